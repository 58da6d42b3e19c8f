import type { RegisteredType } from '../custom-types.ts';
import { pathOf } from '../path.ts';
import type { PathFrame } from '../path.ts';
import { stringifyJson } from '../primordials.ts';
import { SerializationError } from '../serialization-error.ts';
import type { ReadPass, WireNode } from './read-pass.ts';
import type { WritePass } from './write-pass.ts';

export function writeCustom(
  writer: WritePass,
  value: object,
  type: RegisteredType,
  parent: PathFrame | undefined,
): string {
  if (writer.settings.isPython) {
    throw writer.unsupported('the custom type ' + type.name, value, parent);
  }
  const frame = writer.openClosed(value, parent, 'data');
  const text = writer.write(type.serialize(value), frame);
  writer.close(frame);
  return '{"__type__":' + stringifyJson(type.name) + ',"data":' + text + '}';
}

export function readCustom(
  reader: ReadPass,
  node: WireNode,
  type: RegisteredType,
  parent: PathFrame | undefined,
): unknown {
  reader.requireFields(node, ['data'], [], parent);
  const frame = reader.openPending(parent, 'data');
  const data = reader.read(node['data'], frame);
  try {
    return type.deserialize(data);
  } catch (cause) {
    throw new SerializationError('MALFORMED', 'The custom type ' + type.name + ' refused this', {
      path: pathOf(parent),
      value: data,
      cause,
    });
  }
}
