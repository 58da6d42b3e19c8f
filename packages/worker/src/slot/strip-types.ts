import { stripTypeScriptTypes } from 'node:module';

import type { SyntaxFailure } from '@glovebox/protocol/slot-messages';

// The code is the body of an async function; only inside one do `return` and `await` parse.
const PREFIX = 'async function body(){';
const SUFFIX = '\n}';

export type Stripped =
  | { readonly code: string }
  /** It is no TypeScript either: where the reader gave up, and why. */
  | SyntaxFailure
  /** The reader itself is broken, and stays so in this thread. */
  | { readonly broken: true };

/**
 * Replaces TypeScript's types by blanks, so that every position stays what it was. Syntax that
 * needs code generation (enums, parameter properties, namespaces) is refused.
 */
export function stripTypes(code: string): Stripped {
  // Node's stripper is WebAssembly, and V8 has none without its JIT.
  if (!('WebAssembly' in globalThis)) {
    return { message: 'Types can only be stripped with the JIT: give JavaScript, or leave it on.' };
  }
  try {
    const stripped = stripTypeScriptTypes(`${PREFIX}${code}${SUFFIX}`, { mode: 'strip' });
    return { code: stripped.slice(PREFIX.length, stripped.length - SUFFIX.length) };
  } catch (error) {
    return describe(error);
  }
}

/** Node puts the place of the fault in front of the stack: `:LINE`, the source, and carets. */
function describe(error: unknown): Stripped {
  const { code } = error as { code?: unknown };
  // Everything else comes of a WebAssembly stack that has run over: deep nesting does that.
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
