import {
  defineValue,
  MathImul,
  ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor,
  ReflectApply,
  ReflectConstruct,
  replaceConstructor,
} from './intrinsics.ts';

/** A frozen clock and repeatable random numbers. */
export interface Determinism {
  /** The current time that guest code sees, in milliseconds since 1970. */
  readonly now: number;
  /** Seed of the random numbers: a 32-bit integer. */
  readonly seed: number;
}

/** Random numbers from 0 up to 1; the same seed gives the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = MathImul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + MathImul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A constructor like `Date` whose current time is frozen. */
function frozenDate(RealDate: DateConstructor, now: number): unknown {
  function Date(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined)
      return ReflectApply(RealDate.prototype.toString, new RealDate(now), []);
    return ReflectConstruct(RealDate, parts.length === 0 ? [now] : parts, new.target);
  }
  ObjectDefineProperty(Date, 'length', { value: 7 });
  replaceConstructor(RealDate, Date);
  defineValue(Date, 'now', () => now);
  defineValue(Date, 'parse', RealDate.parse);
  defineValue(Date, 'UTC', RealDate.UTC);
  return Date;
}

/** Makes `Intl.DateTimeFormat` use the frozen time where it would read the clock. */
function freezeFormatting(now: number): void {
  const { prototype } = Intl.DateTimeFormat;
  const format = ObjectGetOwnPropertyDescriptor(prototype, 'format')?.get;
  if (format !== undefined) {
    ObjectDefineProperty(prototype, 'format', {
      get(this: unknown) {
        const bound = ReflectApply(format, this, []) as (date: unknown) => string;
        return (date: unknown) => bound(date === undefined ? now : date);
      },
      configurable: true,
    });
  }
  const { formatToParts } = prototype;
  defineValue(prototype, 'formatToParts', function (this: unknown, date: unknown) {
    return ReflectApply(formatToParts, this, [date === undefined ? now : date]);
  });
}

/**
 * Replaces every source of time and randomness that guest code can use. Called before guest code
 * starts. Timers still wait, but guest code cannot measure for how long.
 */
export function makeDeterministic({ now, seed }: Determinism): void {
  defineValue(globalThis, 'Date', frozenDate(Date, now));
  defineValue(Math, 'random', randomFrom(seed));
  defineValue(globalThis, 'performance', { now: () => 0, timeOrigin: now });
  freezeFormatting(now);
  const { Temporal } = globalThis as { Temporal?: object };
  if (Temporal !== undefined) Reflect.deleteProperty(Temporal, 'Now');
}
