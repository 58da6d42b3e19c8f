import type { CustomTypes } from './custom-types.ts';
import { canTellProxies } from './platform.ts';
import { ownField } from './primordials.ts';
import { SerializationError } from './serialization-error.ts';
import { resolveLimits } from './serializer-limits.ts';
import type { Limits } from './serializer-limits.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

export interface SerializerOptions {
  /**
   * `native` (default) supports all data types of JavaScript. `python` writes only what an
   * unmodified Python reader understands, and refuses the rest; it reads bare `NaN` and `Infinity`,
   * and reads integers beyond 2⁵³ as BigInt.
   */
  readonly profile?: 'native' | 'python';
  /**
   * Whether an object that occurs twice becomes two copies (`duplicate`, default) or stays one
   * object (`preserve`). Both support cycles. The Python profile supports neither `preserve` nor
   * cycles.
   */
  readonly references?: 'duplicate' | 'preserve';
  readonly limits?: Partial<Limits>;
  /** Whether to read `unsafe:` text, and to write it if `safe:` text fails. Default false. */
  readonly allowUnsafe?: boolean;
  /**
   * If true, reads each property exactly once and checks every own key of every container; plain
   * data takes two to six times as long. If false, data that JSON represents exactly is checked and
   * passed to `JSON.stringify`, which reads it a second time. Default false on Node; true if
   * Proxies cannot be detected, as in a bare isolate.
   */
  readonly thorough?: boolean;
  /** Whether to write the stacks of errors, which name files of this machine. Default true. */
  readonly errorStacks?: boolean;
}

/** Options with all defaults. */
export interface Settings {
  readonly isPython: boolean;
  readonly preservesReferences: boolean;
  readonly limits: Limits;
  /** Present if the caller allows `unsafe:` text. */
  readonly unsafe: UnsafeCodec | undefined;
  /** Whether JSON values are written as plain JSON: no preserved references, not for Python. */
  readonly isNativeTree: boolean;
  /** Whether plain data may be passed to `JSON.stringify`. */
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
