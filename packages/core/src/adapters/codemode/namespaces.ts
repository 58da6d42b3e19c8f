import type { Executor, ResolvedProvider } from '@cloudflare/codemode/browser';

import { isVariableName } from '../../executor/guest-names.ts';

type ExecuteOptions = NonNullable<Parameters<Executor['execute']>[2]>;
/** The entry points of codemode that Node can load do not export this type. */
type ConnectorBinding = NonNullable<ExecuteOptions['connectors']>[number];

/** Name of the only tool of the guest code: all namespaces call it. */
export const CALL = '__callCodemode';

/** A function of a namespace. */
type CodemodeFunction = (...args: unknown[]) => Promise<unknown>;

/** An object that guest code sees as a constant of this name. */
export interface Namespace {
  readonly name: string;
  /** Source code that runs after the namespace is defined. */
  readonly prelude: string;
  find(tool: string): CodemodeFunction | undefined;
}

/** Property that marks a control message which a connector returns instead of a value. */
const CONTROL = '__codemode_control__';
/** Message of the error that pauses a durable run. */
const PAUSE = '__CODEMODE_PAUSE__';

/** Returns the namespaces of a run, or as text why they are not valid. */
export function readNamespaces(
  providers: readonly ResolvedProvider[],
  connectors: readonly ConnectorBinding[],
): readonly Namespace[] | string {
  const namespaces = new Map<string, Namespace>();
  for (const given of [...providers, ...connectors]) {
    const { name } = given;
    if (!isVariableName(name) || name === CALL) return `The name "${name}" cannot be used in code.`;
    if (namespaces.has(name)) return `Two providers or connectors have the name "${name}".`;
    const namespace = 'fns' in given ? providerOf(given) : connectorOf(given);
    if (typeof namespace === 'string') return namespace;
    namespaces.set(name, namespace);
  }
  return [...namespaces.values()];
}

function providerOf({ name, fns, prelude = '' }: ResolvedProvider): Namespace | string {
  const byName = new Map<string, CodemodeFunction>();
  for (const [tool, execute] of Object.entries(fns)) {
    const key = sanitize(tool);
    if (byName.has(key)) return `Two tools of "${name}" have the name "${key}" in code.`;
    byName.set(key, execute);
  }
  return {
    name,
    prelude,
    // Codemode tells models reserved words with an underscore at the end.
    find: (tool) => byName.get(tool) ?? byName.get(tool.replace(/_$/, '')),
  };
}

function connectorOf({ name, binding }: ConnectorBinding): Namespace {
  const find = (tool: string): CodemodeFunction => {
    return async (args) => {
      const answer = await binding.callTool(tool, args);
      if (typeof answer !== 'object' || answer === null || !(CONTROL in answer)) return answer;
      const message = 'message' in answer ? String(answer.message) : '';
      throw new Error(answer[CONTROL] === 'pause' ? PAUSE : message);
    };
  };
  return { name, prelude: '', find };
}

/** The name that codemode tells a model for a tool. */
function sanitize(tool: string): string {
  const name = tool.replaceAll(/[-.\s]/g, '_').replaceAll(/[^\w$]/g, '');
  return /^\d|^$/.test(name) ? `_${name}` : name;
}

/** Writes a function body that defines the namespaces and calls the arrow function in `code`. */
export function writeBody(code: string, namespaces: readonly Namespace[]): string {
  const constants = namespaces.map(({ name }) => `const ${name} = ${writeNamespace(name)};`);
  const preludes = namespaces.map(({ prelude }) => `${prelude}\n;`);
  // Models often write a semicolon after the function.
  const source = code.trimEnd().replace(/;+$/, '');
  // A line comment at the end of the code must not include the closing parenthesis.
  return `${constants.join(' ')} ${preludes.join(' ')} return (${source}\n)();`;
}

/** Writes an object whose properties are functions, unless a prelude sets them. */
function writeNamespace(name: string): string {
  return (
    'new Proxy({}, { get: (target, tool) => Object.hasOwn(target, tool) ? target[tool]' +
    // `await` would call a property `then`.
    " : typeof tool !== 'string' || tool === 'then' ? undefined" +
    ` : async (...args) => ${CALL}({ namespace: '${name}', tool, args }) })`
  );
}
