/** The six payloads of the comparison. Each is built anew, from nothing that is random. */

export interface Payload {
  readonly name: string;
  readonly value: unknown;
  /** Whether JSON carries it as base64 in a string, as people do. */
  readonly isBinary: boolean;
}

/** One step of an agent: the small message that crosses most often. */
function step(): unknown {
  return {
    id: 'step-42',
    kind: 'tool_call',
    tool: 'search',
    args: { query: 'weather in Paris', limit: 10, filters: ['a', 'b', 'c'], exact: true },
    status: 'done',
    startedAt: 1_700_000_000_000,
    durationMs: 123.5,
    result: {
      ok: true,
      items: [
        { id: 1, title: 'First result' },
        { id: 2, title: 'Second result' },
      ],
    },
    error: null,
  };
}

/** A page of a table, with two dates in each of 1 000 rows. */
function rows(): unknown {
  return Array.from({ length: 1000 }, (_, n) => ({
    id: n,
    name: `Customer ${n}`,
    email: `user${n}@example.com`,
    city: ['Berlin', 'Paris', 'Rome'][n % 3],
    amount: ((n * 7919) % 100_003) / 100,
    active: n % 2 === 0,
    createdAt: new Date(1_700_000_000_000 + n * 12_345_678),
    updatedAt: new Date(1_710_000_000_000 + n * 3_600_001),
    note: `Order ${n} shipped`,
  }));
}

/** A binary tree of 4 095 nodes. */
function tree(): unknown {
  let next = 0;
  const node = (depth: number): unknown => ({
    name: `n${next++}`,
    kids: depth === 0 ? [] : [node(depth - 1), node(depth - 1)],
  });
  return node(11);
}

function bytes(): Uint8Array {
  return Uint8Array.from({ length: 1 << 20 }, (_, n) => (n * 2_654_435_761) >>> 24);
}

function doubles(): Float64Array {
  return Float64Array.from({ length: 100_000 }, (_, n) => Math.sin(n) * 1000);
}

// No two chapters are the same, as some formats write equal texts once.
const paragraph = (n: number): string =>
  `In chapter ${n} the quick brown fox jumps over the lazy dog, and rests – a while – near “the river”. `;

/** Long texts with some characters beyond Latin-1, as real texts have them. */
function documents(): unknown {
  return {
    title: 'A long read',
    chapters: Array.from({ length: 40 }, (_, n) => ({
      number: n,
      text: paragraph(n).repeat(240),
      tags: ['fox', 'dog', 'river'],
    })),
  };
}

export const payloads: readonly Payload[] = [
  { name: 'step', value: step(), isBinary: false },
  { name: 'rows with dates', value: rows(), isBinary: false },
  { name: 'tree', value: tree(), isBinary: false },
  { name: 'bytes 1 MiB', value: bytes(), isBinary: true },
  { name: 'doubles 100 k', value: doubles(), isBinary: true },
  { name: 'documents', value: documents(), isBinary: false },
];
