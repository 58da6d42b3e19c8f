// The types of @glovebox/serializer/steps, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
export declare function deserializeInSteps<Value = unknown>(text: string, options?: SerializerOptions): Generator<undefined, Value>;
export {
  ,
};
