import { RegExpConstructor, uncurryGetter } from '../primordials.ts';
import { regExpWork } from '../regexp-work.ts';
import { limitError } from '../serializer-limits.ts';
import { tagText } from '../tags.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';

const sourceOf = uncurryGetter<string>(RegExp.prototype, 'source');
const flagGetter = (name: string): ((value: unknown) => boolean) =>
  uncurryGetter<boolean>(RegExp.prototype, name);
const hasIndices = flagGetter('hasIndices');
const isGlobal = flagGetter('global');
const ignoresCase = flagGetter('ignoreCase');
const isMultiline = flagGetter('multiline');
const hasDotAll = flagGetter('dotAll');
const isUnicode = flagGetter('unicode');
const hasUnicodeSets = flagGetter('unicodeSets');
const isSticky = flagGetter('sticky');

/** The flags from internal slots; `RegExp.prototype.flags` would read replaceable properties. */
function flagsOf(value: object): string {
  return (
    (hasIndices(value) ? 'd' : '') +
    (isGlobal(value) ? 'g' : '') +
    (ignoresCase(value) ? 'i' : '') +
    (isMultiline(value) ? 'm' : '') +
    (hasDotAll(value) ? 's' : '') +
    (isUnicode(value) ? 'u' : '') +
    (hasUnicodeSets(value) ? 'v' : '') +
    (isSticky(value) ? 'y' : '')
  );
}

const write: KindWriter<RegExp> = (writer, value, parent) => {
  // `RegExp.prototype` itself has a `source`, but its flags are undefined.
  const flags = flagsOf(value);
  const source = sourceOf(value);
  const { isPython, limits } = writer.settings;
  if (isPython) throw writer.unsupported('a RegExp', value, parent);
  writer.requireOwnKeys(value, 1, parent); // `lastIndex`
  const { lastIndex } = value;
  if (typeof lastIndex !== 'number' || lastIndex % 1 !== 0 || lastIndex < 0) {
    throw writer.unsupported('a RegExp whose lastIndex is no index', value, parent);
  }
  if (source.length > limits.maxRegExpLength) {
    throw limitError('maxRegExpLength', limits.maxRegExpLength, source.length, parent);
  }
  writer.countRegExp(regExpWork(source, flags), parent);
  return tagText(
    'regexp',
    ',"source":' +
      writer.writeString(source, parent) +
      ',"flags":"' +
      flags +
      '"' +
      (lastIndex === 0 ? '' : ',"lastIndex":' + lastIndex),
  );
};

const read: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['source', 'flags'], ['lastIndex'], parent);
  const source = reader.text(node['source'], parent);
  const flags = reader.text(node['flags'], parent);
  const { maxRegExpLength } = reader.settings.limits;
  if (source.length > maxRegExpLength) {
    throw limitError('maxRegExpLength', maxRegExpLength, source.length, parent);
  }
  reader.countRegExp(regExpWork(source, flags), parent);
  let made: RegExp;
  try {
    made = new RegExpConstructor(source, flags);
  } catch (cause) {
    throw reader.malformed('Not a RegExp', source, parent, cause);
  }
  if (sourceOf(made) !== source || flagsOf(made) !== flags) {
    throw reader.malformed('Not as a RegExp gives its source and flags', source, parent);
  }
  const lastIndex = reader.optional(node, 'lastIndex');
  if (lastIndex !== undefined) {
    if (typeof lastIndex !== 'number' || lastIndex % 1 !== 0 || lastIndex < 1) {
      throw reader.malformed('Not an index', lastIndex, parent);
    }
    made.lastIndex = lastIndex;
  }
  return made;
};

export const regExps: Kind = {
  prototypes: [RegExp.prototype],
  // The registry calls it for this prototype; the flag getters throw for other values.
  write: write as KindWriter,
  readers: { regexp: read },
};
