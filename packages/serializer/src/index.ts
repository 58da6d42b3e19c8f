export * from './safe.ts';
// On the host the same three have a way for `unsafe:` text, where it is allowed.
export { deserialize, SafeSerializer, serialize } from './host-serializer.ts';
