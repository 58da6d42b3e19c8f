/** The code in what a model said; or why there is none. */
export type ReadCode =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly message: string };

const LANGUAGES: ReadonlySet<string> = new Set([
  '',
  'js',
  'javascript',
  'jsx',
  'mjs',
  'cjs',
  'node',
  'ts',
  'typescript',
  'tsx',
  'mts',
  'cts',
  'code',
]);

/** Beyond it, a model is making up what its code would tell. */
const OBSERVATION = /^[ \t>*_#]*observation[*_]*:/i;

interface Block {
  readonly language: string;
  readonly code: string;
}

/**
 * Finds the code that a model wrote in fenced blocks, as Markdown has them. Several blocks are one
 * program. What stands behind a line that begins with `Observation:` is not read, nor what the model
 * thought aloud in `<think>` tags.
 *
 * @param isCut The model was cut off: half a program may do half of what it should.
 */
export function readCode(text: string, isCut = false): ReadCode {
  if (isCut) {
    const message = 'Your answer was cut off at its limit of tokens, and none of it was run.';
    return { ok: false, message: `${message} Write less, and do the task in smaller steps.` };
  }
  const blocks = blocksOf(withoutThoughts(text));
  const code = blocks
    .filter(({ language }) => LANGUAGES.has(language))
    .map((block) => block.code)
    .filter((part) => part.trim() !== '');
  if (code.length > 0) return { ok: true, code: code.join('\n\n') };
  const [other] = blocks;
  const why =
    other === undefined || LANGUAGES.has(other.language)
      ? 'Your answer holds no block of code.'
      : `Your block of code is ${JSON.stringify(other.language.slice(0, 40))}, which cannot be run.`;
  return {
    ok: false,
    message: `${why} Write JavaScript or TypeScript in one block that begins with \`\`\`ts and ends with \`\`\`. To end the task, call finalAnswer(value) in it.`,
  };
}

function withoutThoughts(text: string): string {
  const end = text.lastIndexOf('</think>');
  return /^\s*<think>/.test(text) && end >= 0 ? text.slice(end + '</think>'.length) : text;
}

function blocksOf(text: string): Block[] {
  const lines = text.split(/\r\n|\n|\r/);
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (OBSERVATION.test(line)) break;
    const opening = FENCE.exec(line)?.groups;
    if (opening === undefined) continue;
    const { indent = '', ticks = '', info = '' } = opening;
    const [language = ''] = info
      .trim()
      .toLowerCase()
      .split(/[^\w#+-]/, 1);
    const code: string[] = [];
    // A block that is not closed goes to the end: models forget the last line.
    for (index++; index < lines.length; index++) {
      const inner = lines[index] ?? '';
      if (closes(inner.trim(), ticks)) break;
      code.push(withoutIndent(inner, indent.length));
    }
    blocks.push({ language, code: code.join('\n') });
  }
  return blocks;
}

const FENCE = /^(?<indent>[ \t]*)(?<ticks>`{3,}|~{3,})[ \t]*(?<info>[^`]*)$/;

/** Whether a line is a fence as long as the opening one or longer, and nothing else. */
function closes(line: string, ticks: string): boolean {
  return line.length >= ticks.length && line === ticks.charAt(0).repeat(line.length);
}

/** Models indent a block in a list; the code of the block is not indented by that. */
function withoutIndent(line: string, indent: number): string {
  const spaces = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, spaces));
}
