export * from './safe.ts';
// These override the three of the same name, and support `unsafe:` text if it is allowed.
export { deserialize, SafeSerializer, serialize } from './host-serializer.ts';
