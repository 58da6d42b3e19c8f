import type { CustomTypes } from './custom-types.ts';
import { canTellProxies } from './platform.ts';
import { ownField } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';
import { resolveLimits } from './serializer-limits.ts';
import type { Limits } from './serializer-limits.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

export interface SerializerOptions {
  /**
   * `native` (default) carries everything that JavaScript has. `python` writes only what an
   * unmodified Python reader understands and refuses the rest; reading, it takes bare `NaN` and
   * `Infinity` and reads integers beyond 2⁵³ as BigInt.
   */
  readonly profile?: 'native' | 'python';
  /**
   * What becomes of an object that is reached twice: two copies (`duplicate`, default), or one
   * object again (`preserve`). Cycles are carried either way; the Python profile has neither.
   */
  readonly references?: 'duplicate' | 'preserve';
  readonly limits?: Partial<Limits>;
  /** Whether `unsafe:` text is read, and written where the safe way fails. Default false. */
  readonly allowUnsafe?: boolean;
  /**
   * Reads each property exactly once and accounts for every own key of every container, at two to
   * six times the time for plain data. False hands data that JSON would carry exactly, once checked, to
   * `JSON.stringify`, which reads it a second time. Default false on Node; true where a Proxy cannot
   * be told from what it wraps, as in a bare isolate.
   */
  readonly thorough?: boolean;
  /** Whether the stacks of errors are written. They name files of this machine. Default true. */
  readonly errorStacks?: boolean;
}

/** Options with every default filled in. */
export interface Settings {
  readonly isPython: boolean;
  readonly preservesReferences: boolean;
  readonly limits: Limits;
  /** Present where the caller allows it. */
  readonly unsafe: UnsafeCodec | undefined;
  /** Whether what JSON carries is written as JSON has it: no reference is kept, and no Python reads. */
  readonly isNativeTree: boolean;
  /** Whether plain data may go to `JSON.stringify` as it is. */
  readonly hasFastPath: boolean;
  readonly errorStacks: boolean;
  readonly customTypes: CustomTypes;
}

export function resolveSettings(
  options: SerializerOptions,
  customTypes: CustomTypes,
  unsafe: UnsafeCodec | undefined,
  limits: Limits = resolveLimits(ownField(options, 'limits')),
): Settings {
  const profile = ownField(options, 'profile') ?? 'native';
  const references = ownField(options, 'references') ?? 'duplicate';
  if (profile !== 'native' && profile !== 'python') throw badOption('profile', profile);
  if (references !== 'duplicate' && references !== 'preserve') {
    throw badOption('references', references);
  }
  if (profile === 'python' && references === 'preserve') throw badOption('references', references);
  const allowUnsafe = ownField(options, 'allowUnsafe') === true;
  if (allowUnsafe && unsafe === undefined) {
    throw new SerializationError('UNSAFE_REJECTED', 'There is no unsafe: text here');
  }
  const isNativeTree = profile === 'native' && references === 'duplicate';
  return {
    isNativeTree,
    isPython: profile === 'python',
    preservesReferences: references === 'preserve',
    limits,
    unsafe: allowUnsafe ? unsafe : undefined,
    hasFastPath: isNativeTree && !(ownField(options, 'thorough') ?? !canTellProxies),
    errorStacks: ownField(options, 'errorStacks') ?? true,
    customTypes,
  };
}

function badOption(name: keyof SerializerOptions, value: unknown): SerializationError {
  return new SerializationError('UNSUPPORTED_TYPE', 'The option ' + name + ' cannot be this', {
    value,
  });
}
