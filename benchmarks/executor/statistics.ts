/** The value below which a share of the sample lies. */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median of the rounds, and how far they lie apart. */
export function summarize(rounds: readonly number[]): Summary {
  return { median: quantile(rounds, 0.5), low: Math.min(...rounds), high: Math.max(...rounds) };
}

/** Three significant digits. */
export function round(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
