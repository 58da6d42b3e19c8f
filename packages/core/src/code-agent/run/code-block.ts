/** The code in a model's output, or why there is none. */
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

/** After such a line, the model invents the result of its code. */
const OBSERVATION = /^[ \t>*_#]*observation[*_]*:/i;

interface Block {
  readonly language: string;
  readonly code: string;
}

/**
 * Finds the code in the fenced Markdown blocks of a model's output. Several blocks form one
 * program. Text after a line that starts with `Observation:` and text in `<think>` tags is ignored.
 *
 * @param isCut Whether the output was cut off. It is then rejected: a partial program must not run.
 */
export function readCode(text: string, isCut = false): ReadCode {
  if (isCut) {
    const message = 'Your answer was cut off at the token limit, so its code was not run.';
    return { ok: false, message: `${message} Write less, and solve the task in smaller steps.` };
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
      ? 'Your answer contains no code block.'
      : `Your code block is ${JSON.stringify(other.language.slice(0, 40))}, which cannot run here.`;
  return {
    ok: false,
    message: `${why} Write JavaScript or TypeScript in one block that starts with \`\`\`ts and ends with \`\`\`. To end the task, call finalAnswer(value) in it.`,
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
    // A block that is not closed extends to the end: models forget the closing fence.
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

/** Whether a line is only a fence that is at least as long as the opening fence. */
function closes(line: string, ticks: string): boolean {
  return line.length >= ticks.length && line === ticks.charAt(0).repeat(line.length);
}

/** Removes the indentation of the fence: models indent a block inside a list. */
function withoutIndent(line: string, indent: number): string {
  const spaces = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, spaces));
}
