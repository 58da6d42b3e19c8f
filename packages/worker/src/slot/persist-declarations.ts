import { parse } from 'acorn';
import type { Pattern, Program, VariableDeclaration } from 'acorn';

/** A source whose top-level declarations stay available after its run. */
export interface PersistentSource {
  readonly code: string;
  /** Names that must be writable globals before the code runs. */
  readonly names: readonly string[];
}

/**
 * Rewrites the top-level declarations of a source as assignments to globals, so that the next run of
 * a session can use what this run declares. Line numbers do not change, and neither do columns up to
 * the end of a rewritten declaration.
 *
 * Safety does not depend on this: a source that the parser refuses is returned unchanged.
 */
export function persistDeclarations(code: string): PersistentSource {
  let statements: Program['body'];
  try {
    statements = parse(code, {
      ecmaVersion: 'latest',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    }).body;
  } catch {
    return { code, names: [] };
  }
  const names = new Set<string>();
  const edits: Edit[] = [];
  for (const statement of statements) {
    if (statement.type === 'VariableDeclaration') {
      edits.push(...rewriteVariables(statement, code));
      for (const { id } of statement.declarations) for (const name of namesOf(id)) names.add(name);
    } else if (statement.type === 'FunctionDeclaration') {
      const { name } = statement.id;
      // The declaration stays, because it is hoisted. The global is assigned right after it.
      edits.push({ at: statement.end, remove: 0, insert: `;globalThis.${name}=${name};` });
      names.add(name);
    } else if (statement.type === 'ClassDeclaration') {
      edits.push({ at: statement.start, remove: 0, insert: `;${statement.id.name}=` });
      edits.push({ at: statement.end, remove: 0, insert: ';' });
      names.add(statement.id.name);
    }
  }
  return { code: applyEdits(code, edits), names: [...names] };
}

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** `const { a } = b, c` becomes `   ;({ a } = b, c = undefined)`, with the same columns. */
function rewriteVariables(node: VariableDeclaration, code: string): Edit[] {
  const keyword = { at: node.start, remove: node.kind.length };
  const edits: Edit[] = [{ ...keyword, insert: ';('.padStart(node.kind.length) }];
  for (const { id, init, end } of node.declarations) {
    if (id.type === 'Identifier' && (init === null || init === undefined)) {
      edits.push({ at: end, remove: 0, insert: '=undefined' });
    }
  }
  const close = code[node.end - 1] === ';' ? node.end - 1 : node.end;
  edits.push({ at: close, remove: 0, insert: close === node.end ? ');' : ')' });
  return edits;
}

/** The names that a pattern binds. */
function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case 'RestElement':
      return namesOf(pattern.argument);
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    case 'MemberExpression':
      return [];
  }
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  let result = '';
  let done = 0;
  // Edits are sorted by position; edits at the same position are in the order of their creation.
  for (const { at, remove, insert } of edits) {
    result += code.slice(done, at) + insert;
    done = at + remove;
  }
  return result + code.slice(done);
}
