import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the live child processes of a process, from Linux's `/proc`. */
export function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      // The name in parentheses may hold anything; the fields follow the last parenthesis.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(parent) === pid && state !== 'Z') children.push(Number(entry));
    } catch {
      // It ended while the list was read.
    }
  }
  return children;
}

/** Whether a process is there, zombies apart. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/**
 * Waits until a condition holds.
 *
 * @param withinMs When it is given up: no limit of what is waited for, but of a test that would
 * hang.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not so within ${withinMs} ms.`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
