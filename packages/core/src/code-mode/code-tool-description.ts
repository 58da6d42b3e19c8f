import type { RegisteredTool } from '../tools/tool-registry.ts';
import { toolTypes } from '../tools/tool-types.ts';
import { fence } from './fence.ts';

/** What a model is told of a tool that runs code. */
export function describeCodeTool(
  tools: readonly RegisteredTool[],
  maxResultCharacters: number,
): string {
  const most = maxResultCharacters.toLocaleString('en');
  return `\
Runs code in a sandbox and tells what it returns and logs. Use it to call the functions below, \
several at once or one with the result of another, and to work on what they give.

- The code is the body of an async function, in JavaScript or TypeScript: use \`await\` and \`return\`.
- There is the language, \`console\`, timers and the functions below; no imports, network or files.
- Each function takes one argument and gives a promise. Those that do not need each other run in \
parallel with \`Promise.all\`.
- A function that fails throws an error with \`name\`, \`message\`, \`code\` and \`details\`.
- Return only what is needed: of result and logs, ${most} characters are shown.

${fence(toolTypes(tools).trimEnd())}
`;
}
