/** A fenced block of TypeScript in Markdown. The fence is longer than any that the code contains. */
export function fence(code: string): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}ts\n${code}\n${ticks}`;
}
