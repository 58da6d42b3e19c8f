import { formatInstant, isPythonInstant, readInstant } from '../iso-time.ts';
import {
  DateConstructor,
  dateGetTime,
  DatePrototype,
  NOT_A_NUMBER,
  ownEnumerableKeys,
} from '../primordials.ts';
import { DateTime } from '../special-values.ts';
import { TAG_KEY, tagText } from '../tags.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';

const LAST_EPOCH_MS = 8_640_000_000_000_000;

const write: KindWriter = (writer, value, parent) => {
  const epochMs = dateGetTime(value);
  writer.requireNoOwnKeys(value, parent);
  if (isPythonInstant(epochMs)) {
    return '{"__type__":"datetime","data":"' + formatInstant(epochMs) + '"}';
  }
  if (writer.settings.isPython) throw writer.unsupported('a Date beyond its years', value, parent);
  // NaN, the time of an invalid Date, is not equal to itself.
  return tagText('date_ms', ',"data":' + (epochMs === epochMs ? epochMs : 'null'));
};

/** The tagged object for a Date; `undefined` if the writer would not write it as `datetime`. */
export function dateTag(value: object): object | undefined {
  const epochMs = dateGetTime(value);
  return isPythonInstant(epochMs) && ownEnumerableKeys(value).length === 0
    ? { [TAG_KEY]: 'datetime', data: formatInstant(epochMs) }
    : undefined;
}

const readDatetime: KindReader = (reader, node, parent) => {
  const text = reader.onlyText(node, parent);
  const epochMs = readInstant(text);
  if (epochMs !== undefined) return new DateConstructor(epochMs);
  return reader.construct(DateTime, text, parent);
};

const readDateMs: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['data'], [], parent);
  const { data } = node;
  if (data === null) return new DateConstructor(NOT_A_NUMBER);
  const isTime =
    typeof data === 'number' && data % 1 === 0 && data >= -LAST_EPOCH_MS && data <= LAST_EPOCH_MS;
  if (!isTime || isPythonInstant(data)) throw reader.malformed('Not a time', data, parent);
  return new DateConstructor(data);
};

export const dates: Kind = {
  prototypes: [DatePrototype],
  write,
  readers: { datetime: readDatetime, date_ms: readDateMs },
};
