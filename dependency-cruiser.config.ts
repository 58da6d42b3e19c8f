/** Which file may import which. `npx -y pnpm run lint:layers` checks it. */
import { Visitor } from '@swc/core/Visitor.js';
import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';

type VariableDeclarator = Parameters<Visitor['visitVariableDeclarator']>[0];

/** A package, or a folder of one. */
export interface Room {
  readonly name: string;
  /** A regular expression of the paths of its files. */
  readonly path: string;
}

const packageNamed = (name: string): Room => ({ name, path: `^packages/${name}/src/` });
const roomOfCore = (name: string): Room => ({ name, path: `^packages/core/src/${name}/` });

/** The files at the root of core's sources: what applications import. */
const ENTRY_POINTS: Room = { name: 'entry points', path: '^packages/core/src/[^/]+[.]ts$' };

/**
 * All rooms, the lowest first. A room imports from rows below its own, and never from another room
 * of its row or above.
 */
export const LAYERS: readonly (readonly Room[])[] = [
  [packageNamed('protocol'), packageNamed('serializer')],
  [packageNamed('worker')],
  [roomOfCore('shared')],
  [roomOfCore('pools')],
  [roomOfCore('executor'), roomOfCore('nats')],
  [roomOfCore('tools')],
  [roomOfCore('dispatch')],
  [roomOfCore('code-mode')],
  [roomOfCore('plan-execute'), roomOfCore('code-agent')],
  [roomOfCore('adapters')],
  [roomOfCore('servers')],
  [ENTRY_POINTS, roomOfCore('cli')],
];

function layerRules(): IForbiddenRuleType[] {
  return LAYERS.flatMap((row, height) =>
    row.map((room) => {
      const notBelow = LAYERS.slice(height).flat();
      return {
        name: `layer: ${room.name}`,
        comment: `${room.name} imports only what lies below it, see LAYERS.`,
        severity: 'error',
        from: { path: room.path },
        to: { path: notBelow.filter((other) => other !== room).map(({ path }) => path) },
      } as const;
    }),
  );
}

/** A package of a registry, wherever it is installed. */
const installed = (...names: readonly string[]): string =>
  `(^|/)node_modules/(${names.join('|')})/`;

/** Files of the protocol that load zod, for the side that checks what the other one sends. */
const WITH_ZOD =
  '^packages/protocol/src/(error-data|guest-messages|host-messages|limits-schema|slot-messages)[.]ts$';

const rules: IForbiddenRuleType[] = [
  {
    name: 'no circles',
    comment: 'What two files need of each other belongs into a third one. Types count.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'found',
    comment: 'A rule sees only imports that lead to a file.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'in a room',
    comment: 'Each file lies in a room of LAYERS.',
    severity: 'error',
    from: { path: '^packages/', pathNot: LAYERS.flat().map(({ path }) => path) },
    to: {},
  },
  ...layerRules(),
  {
    name: 'no entry point',
    comment: 'What an entry point exports is imported from the room where it lies.',
    severity: 'error',
    from: {},
    to: { path: ENTRY_POINTS.path },
  },
  {
    name: 'safe serializer',
    comment: 'Worker and core load the entries without unsafe: text.',
    severity: 'error',
    from: { path: '^packages/(worker|core)/src/' },
    to: { path: '^packages/serializer/', pathNot: '^packages/serializer/src/(safe|steps)[.]ts$' },
  },
  {
    name: 'worker without zod',
    comment: 'A host process starts faster without it; types may be imported.',
    severity: 'error',
    from: { path: '^packages/worker/src/' },
    to: { path: [installed('zod'), WITH_ZOD], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'protocol without zod',
    comment: 'Files that the worker loads; another one that needs zod belongs into WITH_ZOD.',
    severity: 'error',
    from: { path: '^packages/protocol/src/', pathNot: WITH_ZOD },
    to: { path: [installed('zod'), WITH_ZOD], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'msgpackr',
    comment: 'Only the codec of unsafe: text loads it.',
    severity: 'error',
    from: { pathNot: '^packages/serializer/src/msgpack[.]ts$' },
    to: { path: installed('msgpackr', 'msgpackr-extract') },
  },
  {
    name: 'terminal',
    comment: 'Who imports the library does not load what only its command line needs.',
    severity: 'error',
    from: { pathNot: '^packages/core/src/cli/' },
    to: { path: installed('commander', 'log-update', 'slice-ansi') },
  },
  {
    name: 'yaml',
    comment: 'Only the command line and the folders of agents need it.',
    severity: 'error',
    from: { pathNot: '^packages/core/src/(cli|code-agent/folder)/' },
    to: { path: installed('yaml') },
  },
];

teachUsing();

export default {
  forbidden: rules,
  options: {
    doNotFollow: { path: 'node_modules' },
    // It reads TypeScript as it is written, so that imports of types count.
    parser: 'swc',
    enhancedResolveOptions: {
      conditionNames: ['@glovebox/source', 'import'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js'],
    },
  },
} satisfies IConfiguration;

/** The visitor with which dependency-cruiser reads a file throws at `using`, which it does not know. */
function teachUsing(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`.
  const { visitStatement } = Visitor.prototype;
  Visitor.prototype.visitStatement = function visit(statement) {
    // The types of swc lack it, too; it has the declarators of a `const`.
    const { type, decls } = statement as { type: string; decls?: VariableDeclarator[] };
    if (type !== 'UsingDeclaration' || decls === undefined) {
      return visitStatement.call(this, statement);
    }
    this.visitVariableDeclarators(decls);
    return statement;
  };
}
