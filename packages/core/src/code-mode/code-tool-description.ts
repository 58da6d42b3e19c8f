import type { RegisteredTool } from '../tools/tool-registry.ts';
import { toolTypes } from '../tools/tool-types.ts';
import { fence } from './fence.ts';

/** The description, for a model, of a tool that runs code. */
export function describeCodeTool(
  tools: readonly RegisteredTool[],
  maxResultCharacters: number,
): string {
  const maxCharacters = maxResultCharacters.toLocaleString('en');
  return `\
Runs code in a sandbox and returns its result and its logs. Use it to call the functions below, \
several at once or one with the result of another, and to process their results.

- The code is the body of an async function, in JavaScript or TypeScript: use \`await\` and \`return\`.
- The code can use the language, \`console\`, timers and the functions below; no imports, network or \
files.
- Each function takes one argument and returns a promise. Call independent functions in parallel \
with \`Promise.all\`.
- A function that fails throws an error with \`name\`, \`message\`, \`code\` and \`details\`.
- Return only what is needed: at most ${maxCharacters} characters of result and logs are shown.

${fence(toolTypes(tools).trimEnd())}
`;
}
