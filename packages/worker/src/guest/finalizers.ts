import {
  defineValue,
  ObjectDefineProperty,
  ReflectConstruct,
  takePlaceOf,
  TypeErrorConstructor,
} from './intrinsics.ts';

/**
 * Puts a `FinalizationRegistry` in the place of V8's that tells of its use. The collector calls
 * finalizers when it likes, also in an isolate that stands still, and no other guest code does.
 *
 * @param announce Called before the first registry is made.
 */
export function announceFinalizers(announce: () => void): void {
  const Native = FinalizationRegistry;
  let isAnnounced = false;
  function Announcing(this: unknown, cleanup: unknown): object {
    if (new.target === undefined) {
      throw new TypeErrorConstructor("Constructor FinalizationRegistry requires 'new'");
    }
    if (!isAnnounced) {
      isAnnounced = true;
      announce();
    }
    return ReflectConstruct(Native, [cleanup], new.target) as object;
  }
  ObjectDefineProperty(Announcing, 'name', { value: 'FinalizationRegistry' });
  takePlaceOf(Native, Announcing);
  defineValue(globalThis, 'FinalizationRegistry', Announcing);
}
