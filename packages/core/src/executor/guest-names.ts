import {
  LANGUAGE_GLOBALS,
  OPTIONAL_GLOBALS,
  PROVIDED_GLOBALS,
  TOOLS_GLOBAL,
} from '@glovebox/protocol/guest-globals';

import { GloveboxError } from '../shared/errors.ts';

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const MAX_LENGTH = 256;

/** Words that cannot be variable or function names in strict mode. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum ' +
    'eval export extends false finally for function if implements import in instanceof interface ' +
    'let new null package private protected public return static super switch this throw true try ' +
    'typeof var void while with yield'
  ).split(' '),
);

/** Properties that the global object inherits. */
const INHERITED = [
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
];

/** Globals of the guest. A variable with such a name would hide the global from guest code. */
const GLOBALS: ReadonlySet<string> = new Set([
  ...LANGUAGE_GLOBALS,
  ...OPTIONAL_GLOBALS,
  ...PROVIDED_GLOBALS,
  TOOLS_GLOBAL,
  ...INHERITED,
]);

/** Names that JavaScript itself looks up on objects. It would call such a tool without a request. */
const IMPLICITLY_USED = new Set(['__proto__', 'constructor', 'prototype', 'then']);

/**
 * Refuses a variable name that guest code cannot use.
 *
 * @throws {GloveboxError} `INVALID_NAME`.
 */
export function checkVariableName(name: string): void {
  const fault = findFault(name);
  if (fault !== undefined) throw invalidName('variable', name, fault);
}

/**
 * Refuses a tool name that guest code cannot call. A valid name consists of one or more identifiers
 * with dots between them: the first is a global, the others are properties.
 *
 * @throws {GloveboxError} `INVALID_NAME`.
 */
export function checkToolName(name: string): void {
  const [first = '', ...rest] = name.split('.', MAX_LENGTH);
  const fault =
    findFault(first) ??
    findLengthFault(name) ??
    rest.map(findPropertyFault).find((found) => found !== undefined) ??
    findImplicitUse(first);
  if (fault !== undefined) throw invalidName('tool', name, fault);
}

/**
 * Refuses tool names that exclude each other: `orders` and `orders.total`.
 *
 * @throws {GloveboxError} `INVALID_NAME`.
 */
export function checkToolClashes(names: ReadonlySet<string>): void {
  for (const name of names) {
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const group = name.slice(0, dot);
      if (names.has(group)) {
        throw invalidName('tool', name, `clashes with ${group}: that is a tool, and not a group`);
      }
    }
  }
}

/** The name of the global through which guest code calls a tool. */
export function globalOf(toolName: string): string {
  const dot = toolName.indexOf('.');
  return dot < 0 ? toolName : toolName.slice(0, dot);
}

/** Whether guest code can have a variable of this name. */
export function isVariableName(name: string): boolean {
  return findFault(name) === undefined;
}

function findFault(name: string): string | undefined {
  const fault = findLengthFault(name) ?? findSyntaxFault(name);
  if (fault !== undefined) return fault;
  if (RESERVED.has(name)) return 'is a reserved word';
  if (GLOBALS.has(name)) return 'would hide a global of the guest';
  return undefined;
}

function findPropertyFault(name: string): string | undefined {
  return findSyntaxFault(name) ?? findImplicitUse(name);
}

function findLengthFault(name: string): string | undefined {
  return name.length > MAX_LENGTH ? `is longer than ${MAX_LENGTH} characters` : undefined;
}

function findSyntaxFault(name: string): string | undefined {
  return IDENTIFIER.test(name) ? undefined : 'is not a JavaScript identifier';
}

function findImplicitUse(name: string): string | undefined {
  // For example, `await tools` would call a tool named `then`.
  return IMPLICITLY_USED.has(name)
    ? `has the part ${name}, which JavaScript looks up by itself`
    : undefined;
}

function invalidName(kind: 'variable' | 'tool', name: string, why: string): GloveboxError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  return new GloveboxError('INVALID_NAME', `The ${kind} name ${JSON.stringify(shown)} ${why}.`, {
    path: `${kind}s`,
  });
}
