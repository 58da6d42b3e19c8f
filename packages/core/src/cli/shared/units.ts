const TIME: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SIZE: Readonly<Record<string, number>> = { b: 1 / 2 ** 20, kb: 1 / 1024, mb: 1, gb: 1024 };

function parse(text: string, units: Readonly<Record<string, number>>, example: string): number {
  const match = /^(?<amount>\d+(?:\.\d+)?)(?<unit>[a-z]+)$/i.exec(text.trim());
  const factor = units[match?.groups?.['unit']?.toLowerCase() ?? ''];
  if (match === null || factor === undefined) {
    throw new Error(`${JSON.stringify(text)} needs a unit, as in ${example}.`);
  }
  const amount = Math.ceil(Number(match.groups?.['amount']) * factor);
  if (amount === 0)
    throw new Error(`${JSON.stringify(text)} is nothing; give more, as in ${example}.`);
  return amount;
}

/** Parses a duration such as `1s`, `250ms` or `2m` into milliseconds. */
export function parseDuration(text: string): number {
  return parse(text, TIME, '500ms, 30s or 2m');
}

/** Parses a size such as `64mb` or `1gb` into MiB. */
export function parseMemory(text: string): number {
  return parse(text, SIZE, '64mb or 1gb');
}
