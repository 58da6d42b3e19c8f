import { SerializationError } from '../errors.ts';
import { pathOf } from '../path.ts';
import { UrlConstructor } from '../platform.ts';
import { uncurryGetter } from '../primordials.ts';
import { tagText } from '../tags.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';

/** Of URL; where there is none, its text is refused rather than made a string. */
const hrefOf =
  UrlConstructor === undefined
    ? undefined
    : uncurryGetter<string>(UrlConstructor.prototype, 'href');

const write: KindWriter = (writer, value, parent) => {
  const href = hrefOf?.(value) ?? '';
  if (writer.settings.isPython) throw writer.unsupported('a URL', value, parent);
  return tagText('url', ',"data":' + writer.writeString(href, parent));
};

const read: KindReader = (reader, node, parent) => {
  const text = reader.onlyText(node, parent);
  if (UrlConstructor === undefined || hrefOf === undefined) {
    throw new SerializationError('UNSUPPORTED_TYPE', 'There is no URL here', {
      path: pathOf(parent),
      value: text,
    });
  }
  let made: object;
  try {
    made = new UrlConstructor(text);
  } catch (cause) {
    throw reader.malformed('Not a URL', text, parent, cause);
  }
  if (hrefOf(made) !== text) throw reader.malformed('Not as a URL gives itself', text, parent);
  return made;
};

export const urls: Kind = {
  prototypes: UrlConstructor === undefined ? [] : [UrlConstructor.prototype],
  write,
  readers: { url: read },
};
