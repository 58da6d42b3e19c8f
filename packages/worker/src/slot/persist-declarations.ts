import { parse } from 'acorn';
import type { Pattern, Program, VariableDeclaration } from 'acorn';

/** A source whose top-level declarations outlive its run. */
export interface Persistent {
  readonly code: string;
  /** Names that must be writable globals before the code runs. */
  readonly names: readonly string[];
}

/**
 * Turns the top-level declarations of a source into assignments to globals, as a session needs
 * them: what one run declares, the next one finds. Lines stay what they are, and columns up to the
 * end of a declaration that is changed.
 *
 * Nothing depends on this for safety: a source that the parser does not understand stays as it is.
 */
export function persistDeclarations(code: string): Persistent {
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
      // The declaration stays, since it is hoisted; the global is set where it stands.
      edits.push({ at: statement.end, remove: 0, insert: `;globalThis.${name}=${name};` });
      names.add(name);
    } else if (statement.type === 'ClassDeclaration') {
      edits.push({ at: statement.start, remove: 0, insert: `;${statement.id.name}=` });
      edits.push({ at: statement.end, remove: 0, insert: ';' });
      names.add(statement.id.name);
    }
  }
  return { code: apply(code, edits), names: [...names] };
}

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** `const { a } = b, c` becomes `   ;({ a } = b, c = undefined)`, at the same columns. */
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

function apply(code: string, edits: readonly Edit[]): string {
  let result = '';
  let done = 0;
  // Edits come in the order of the source; those at one place in the order in which they were made.
  for (const { at, remove, insert } of edits) {
    result += code.slice(done, at) + insert;
    done = at + remove;
  }
  return result + code.slice(done);
}
