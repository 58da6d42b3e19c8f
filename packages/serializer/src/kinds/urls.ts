import { pathOf } from '../path.ts';
import { UrlConstructor } from '../platform.ts';
import { uncurryGetter } from '../primordials.ts';
import { SerializationError } from '../serialization-error.ts';
import { tagText } from '../tags.ts';
import type { Kind, KindReader, KindWriter } from './kind.ts';

/** Without a URL class, the text of a URL is refused: it must not become a string. */
const refuse: KindReader = (reader, node, parent) => {
  throw new SerializationError('UNSUPPORTED_TYPE', 'There is no URL here', {
    path: pathOf(parent),
    value: reader.onlyText(node, parent),
  });
};

function withUrl(Constructor: NonNullable<typeof UrlConstructor>): Kind {
  const hrefOf = uncurryGetter<string>(Constructor.prototype, 'href');

  const write: KindWriter = (writer, value, parent) => {
    const href = hrefOf(value); // Throws if the value is not a URL.
    if (writer.settings.isPython) throw writer.unsupported('a URL', value, parent);
    return tagText('url', ',"data":' + writer.writeString(href, parent));
  };

  const read: KindReader = (reader, node, parent) => {
    const text = reader.onlyText(node, parent);
    let made: object;
    try {
      made = new Constructor(text);
    } catch (cause) {
      throw reader.malformed('Not a URL', text, parent, cause);
    }
    if (hrefOf(made) !== text) throw reader.malformed('Not as a URL gives itself', text, parent);
    return made;
  };

  return { prototypes: [Constructor.prototype], write, readers: { url: read } };
}

export const urls: Kind =
  UrlConstructor === undefined
    ? { prototypes: [], readers: { url: refuse } }
    : withUrl(UrlConstructor);
