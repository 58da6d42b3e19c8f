import {
  defineValue,
  ObjectDefineProperty,
  ReflectConstruct,
  replaceConstructor,
  TypeErrorConstructor,
} from './intrinsics.ts';

/**
 * Replaces `FinalizationRegistry` by one that reports its first use. The garbage collector may call
 * a finalizer at any time, even while the isolate is idle. No other guest code can run then.
 *
 * @param onFirstUse Called before the first registry is created.
 */
export function reportFinalizers(onFirstUse: () => void): void {
  const Native = FinalizationRegistry;
  let isReported = false;
  function ReportingRegistry(this: unknown, cleanup: unknown): object {
    if (new.target === undefined) {
      throw new TypeErrorConstructor("Constructor FinalizationRegistry requires 'new'");
    }
    if (!isReported) {
      isReported = true;
      onFirstUse();
    }
    return ReflectConstruct(Native, [cleanup], new.target) as object;
  }
  ObjectDefineProperty(ReportingRegistry, 'name', { value: 'FinalizationRegistry' });
  replaceConstructor(Native, ReportingRegistry);
  defineValue(globalThis, 'FinalizationRegistry', ReportingRegistry);
}
