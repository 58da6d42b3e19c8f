import { stripTypeScriptTypes } from 'node:module';

import type { SyntaxFailure } from '@glovebox/protocol/slot-messages';

// The code is the body of an async function. `return` and `await` parse only inside of one.
const PREFIX = 'async function body(){';
const SUFFIX = '\n}';

export type Stripped =
  | { readonly code: string }
  /** The code is not valid TypeScript either. */
  | SyntaxFailure
  /** The type stripper itself failed, and cannot be used again in this thread. */
  | { readonly broken: true };

/**
 * Replaces TypeScript's types by blanks, so that positions do not change. Refuses syntax that needs
 * code generation (enums, parameter properties, namespaces).
 */
export function stripTypes(code: string): Stripped {
  // Node's type stripper is WebAssembly, which V8 does not have without its JIT.
  if (!('WebAssembly' in globalThis)) {
    return { message: 'TypeScript needs the JIT: pass JavaScript, or do not disable the JIT.' };
  }
  try {
    const stripped = stripTypeScriptTypes(`${PREFIX}${code}${SUFFIX}`, { mode: 'strip' });
    return { code: stripped.slice(PREFIX.length, stripped.length - SUFFIX.length) };
  } catch (error) {
    return describe(error);
  }
}

/** Reads the position from the stack; Node puts it first: `:LINE`, the source line, and carets. */
function describe(error: unknown): Stripped {
  const { code } = error as { code?: unknown };
  // Any other error is an overflow of the WebAssembly stack, caused by deeply nested code.
  if (code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' && code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return { broken: true };
  }
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = Number(/^:(\d+)\n/.exec(stack)?.[1]);
  if (!Number.isSafeInteger(line)) return { message };
  const carets = /^ *\^+$/m.exec(stack.slice(0, stack.indexOf('\nSyntaxError')))?.[0];
  if (carets === undefined) return { message, line };
  const column = carets.indexOf('^') + 1 - (line === 1 ? PREFIX.length : 0);
  return { message, line, column: Math.max(1, column) };
}
