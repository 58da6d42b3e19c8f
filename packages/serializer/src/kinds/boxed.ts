import type { PathFrame } from '../path.ts';
import { uncurry } from '../primordials.ts';
import { tagText } from '../tags.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';
import type { WritePass } from './write-pass.ts';

/** A kind such as `new Number(1)`. `valueOf` returns the primitive, and throws for other values. */
function boxed(
  prototype: object,
  valueOf: (value: unknown) => unknown,
  ownKeyCount: (primitive: unknown) => number = () => 0,
): Kind {
  const write: KindWriter = (writer: WritePass, value: object, parent: PathFrame | undefined) => {
    const primitive = valueOf(value);
    if (writer.settings.isPython) throw writer.unsupported('a boxed primitive', value, parent);
    writer.requireOwnKeys(value, ownKeyCount(primitive), parent);
    return tagText('boxed', ',"data":' + writer.write(primitive, parent));
  };
  return { prototypes: [prototype], write, readers: { boxed: read } };
}

const toObject = Object as (primitive: unknown) => object;

const read: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['data'], [], parent);
  const primitive = reader.read(node['data'], parent);
  if (primitive === null || primitive === undefined || typeof primitive === 'object') {
    throw reader.malformed('Not a primitive to box', primitive, parent);
  }
  return toObject(primitive);
};

export const boxedPrimitives: readonly Kind[] = [
  boxed(Boolean.prototype, uncurry(Boolean.prototype.valueOf)),
  boxed(Number.prototype, uncurry(Number.prototype.valueOf)),
  boxed(BigInt.prototype, uncurry(BigInt.prototype.valueOf)),
  boxed(
    String.prototype,
    uncurry(String.prototype.valueOf),
    // The keys of the characters, and `length`.
    (primitive) => (primitive as string).length + 1,
  ),
];
