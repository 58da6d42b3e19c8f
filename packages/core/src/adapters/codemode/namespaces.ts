import type { Executor, ResolvedProvider } from '@cloudflare/codemode/browser';

import { isVariableName } from '../../executor/guest-names.ts';

type ExecuteOptions = NonNullable<Parameters<Executor['execute']>[2]>;
/** Not exported by the entries of codemode that Node can load. */
type ConnectorBinding = NonNullable<ExecuteOptions['connectors']>[number];

/** The one tool that code in codemode has: all namespaces go through it. */
export const CALL = '__callCodemode';

/** A function behind a namespace. */
type CodemodeFunction = (...args: unknown[]) => Promise<unknown>;

/** An object that code sees by its name. */
export interface Namespace {
  readonly name: string;
  /** Source that is run once the namespace is there. */
  readonly prelude: string;
  find(tool: string): CodemodeFunction | undefined;
}

/** What a connector answers in place of a value. */
const CONTROL = '__codemode_control__';
/** The message of the error by which a durable run is paused. */
const PAUSE = '__CODEMODE_PAUSE__';

/** The namespaces of a run, or why there cannot be such. */
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
    // Models are told of reserved words with an underscore after them.
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

/** What codemode makes of a name of a tool when it tells a model of it. */
function sanitize(tool: string): string {
  const name = tool.replaceAll(/[-.\s]/g, '_').replaceAll(/[^\w$]/g, '');
  return /^\d|^$/.test(name) ? `_${name}` : name;
}

/** The body of a function that runs an arrow function with these namespaces. */
export function writeBody(code: string, namespaces: readonly Namespace[]): string {
  const constants = namespaces.map(({ name }) => `const ${name} = ${writeNamespace(name)};`);
  const preludes = namespaces.map(({ prelude }) => `${prelude}\n;`);
  // Models end the function like a statement.
  const source = code.trimEnd().replace(/;+$/, '');
  // A comment at the end of the code must not swallow what follows.
  return `${constants.join(' ')} ${preludes.join(' ')} return (${source}\n)();`;
}

/** An object of which each property is a function, unless a prelude sets it. */
function writeNamespace(name: string): string {
  return (
    'new Proxy({}, { get: (target, tool) => Object.hasOwn(target, tool) ? target[tool]' +
    // `await` would look for it.
    " : typeof tool !== 'string' || tool === 'then' ? undefined" +
    ` : async (...args) => ${CALL}({ namespace: '${name}', tool, args }) })`
  );
}
