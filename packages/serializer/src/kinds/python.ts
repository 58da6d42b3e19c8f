import { decodeBase64 } from '../base64.ts';
import { isFiniteNumber } from '../primordials.ts';
import {
  CalendarDate,
  Complex,
  Dataclass,
  DateTime,
  Decimal,
  FilePath,
  NdArray,
  PngImage,
  TimeDelta,
  WallTime,
} from '../special-values.ts';
import { tagText } from '../tags.ts';
import { base64Of } from './binary.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';

/**
 * The value classes. Their getters are frozen and their state is private, so a getter returns
 * exactly what the constructor got, or throws.
 */

interface TextClass {
  readonly prototype: { toString(): string };
  new (text: string): { toString(): string };
}

/** A class whose state is one text, which is also its serialized form. */
function textKind(valueClass: TextClass, tag: string | undefined, writtenTag: string): Kind {
  const write: KindWriter<{ toString(): string }> = (writer, value, parent) =>
    tagText(writtenTag, ',"data":' + writer.writeString(value.toString(), parent));
  const read: KindReader = (reader, node, parent) =>
    reader.construct(valueClass, reader.onlyText(node, parent), parent);
  return {
    prototypes: [valueClass.prototype],
    write,
    readers: tag === undefined ? {} : { [tag]: read },
  };
}

const writeComplex: KindWriter<Complex> = (writer, value, parent) =>
  tagText(
    'complex',
    ',"real":' + writer.write(value.real, parent) + ',"imag":' + writer.write(value.imag, parent),
  );

const readComplex: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['real', 'imag'], [], parent);
  const real = reader.read(node['real'], parent);
  const imag = reader.read(node['imag'], parent);
  if (typeof real !== 'number' || typeof imag !== 'number') {
    throw reader.malformed('Not a complex number', node, parent);
  }
  return new Complex(real, imag);
};

const writeTimeDelta: KindWriter<TimeDelta> = (writer, value, parent) =>
  '{"__type__":"timedelta","total_seconds":' + writer.write(value.totalSeconds, parent) + '}';

const readTimeDelta: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['total_seconds'], [], parent);
  const seconds = node['total_seconds'];
  if (!isFiniteNumber(seconds)) throw reader.malformed('Not a span of time', seconds, parent);
  return new TimeDelta(seconds as number);
};

const writeNdArray: KindWriter<NdArray> = (writer, value, parent) => {
  const { data, dtype } = value;
  const frame = writer.openClosed(value, parent, 'data');
  const text = writer.write(data, frame);
  writer.close(frame);
  return tagText('ndarray', ',"data":' + text + ',"dtype":' + writer.writeString(dtype, parent));
};

const writeDataclass: KindWriter<Dataclass> = (writer, value, parent) => {
  const { className, module, fields } = value;
  const frame = writer.openClosed(value, parent, 'fields');
  const text = writer.write(fields, frame);
  writer.close(frame);
  return tagText(
    'dataclass',
    ',"class_name":' +
      writer.writeString(className, parent) +
      ',"module":' +
      writer.writeString(module, parent) +
      ',"data":' +
      text,
  );
};

const readDataclass: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['class_name', 'module', 'data'], [], parent);
  const className = reader.text(node['class_name'], parent);
  const module = reader.text(node['module'], parent);
  const frame = reader.openPending(parent, 'fields');
  const fields = reader.read(node['data'], frame);
  if (typeof fields !== 'object' || fields === null) {
    throw reader.malformed('Not the fields of a dataclass', fields, parent);
  }
  return new Dataclass(className, module, fields);
};

const writePngImage: KindWriter<PngImage> = (writer, value, parent) =>
  tagText('PIL.Image', ',"data":"' + base64Of(writer, value.png, parent) + '"');

const readPngImage: KindReader = (reader, node, parent) => {
  reader.requireFields(node, ['data'], [], parent);
  const png = decodeBase64(reader.blob(node['data'], parent));
  if (png === undefined) throw reader.malformed('Not canonical base64', node, parent);
  return new PngImage(png);
};

/** Created on first use, which is safe at any time because the classes are frozen. */
export const pythonValues = (): readonly Kind[] => [
  textKind(Decimal, 'Decimal', 'Decimal'),
  textKind(FilePath, 'Path', 'Path'),
  textKind(CalendarDate, 'date', 'date'),
  textKind(WallTime, 'time', 'time'),
  // No reader: the reader for Date handles this tag as well.
  textKind(DateTime, undefined, 'datetime'),
  {
    prototypes: [Complex.prototype],
    write: writeComplex as KindWriter, // The getters throw for other values, here and below.
    readers: { complex: readComplex },
  },
  {
    prototypes: [TimeDelta.prototype],
    write: writeTimeDelta as KindWriter,
    readers: { timedelta: readTimeDelta },
  },
  { prototypes: [NdArray.prototype], write: writeNdArray as KindWriter, readers: {} },
  {
    prototypes: [Dataclass.prototype],
    write: writeDataclass as KindWriter,
    readers: { dataclass: readDataclass },
  },
  {
    prototypes: [PngImage.prototype],
    write: writePngImage as KindWriter,
    readers: { 'PIL.Image': readPngImage },
  },
];
