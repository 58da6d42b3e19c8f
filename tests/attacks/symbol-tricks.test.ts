import { attacks } from './support/attack.ts';

attacks('symbol tricks', {}, [
  {
    kind: 7,
    name: 'Symbol.species on Promise and Array does not see the result',
    code: `
      class Thief extends Promise {
        static get [Symbol.species]() { return Thief; }
        then(resolve) { return super.then(() => resolve('FORGED')); }
      }
      Object.defineProperty(Promise, Symbol.species, { get: () => Thief });
      Object.defineProperty(Array, Symbol.species, { get: () => class extends Array {} });
      const list = [1, 2];
      Promise.prototype.constructor = Thief;
      return list`,
    expected: { value: [1, 2] },
  },
  {
    kind: 7,
    name: 'an array that names itself as its species comes out as the array that it is',
    code: `
      const self = [1, 2, 3];
      self.constructor = { [Symbol.species]: function () { return self; } };
      delete self.constructor;
      Array.prototype.constructor = { [Symbol.species]: function () { return self; } };
      return self`,
    expected: { value: [1, 2, 3] },
  },
  {
    kind: 7,
    name: 'Symbol.hasInstance that says yes to everything decides nothing',
    code: `
      const yes = { value: () => true };
      for (const target of [Map, Set, Date, RegExp, Error, Promise, ArrayBuffer, Uint8Array, Object, Array])
        Object.defineProperty(target, Symbol.hasInstance, yes);
      return { plain: { a: 1 }, list: [1], map: new Map([[1, 2]]), when: new Date(5) }`,
    expected: { value: { plain: { a: 1 }, list: [1], map: new Map([[1, 2]]), when: new Date(5) } },
  },
  {
    kind: 7,
    name: 'isConcatSpreadable, iterator and toPrimitive on prototypes decide nothing',
    code: `
      const result = [[1], 'a', { b: 2 }];
      Object.prototype[Symbol.isConcatSpreadable] = true;
      Array.prototype[Symbol.iterator] = function* () { yield 'FORGED'; };
      Object.prototype[Symbol.toPrimitive] = () => 'FORGED';
      String.prototype[Symbol.iterator] = function* () { yield 'FORGED'; };
      return result`,
    expected: { value: [[1], 'a', { b: 2 }] },
  },
  {
    kind: 8,
    name: 'a custom inspect function does not cross',
    code: `
      const custom = Symbol.for('nodejs.util.inspect.custom');
      return { a: 1, [custom]: () => 'ran' }`,
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 8,
    name: 'nor is one called for a log or an error',
    code: `
      const custom = Symbol.for('nodejs.util.inspect.custom');
      let ran = 0;
      Object.prototype[custom] = () => { ran++; return 'ran'; };
      console.log({ [custom]() { ran++; return 'ran'; } });
      globalThis.ran = () => ran;
      return ran`,
    expected: { value: 0 },
  },
  {
    kind: 8,
    name: 'rejection and promisify symbols of Node mean nothing to a tool',
    code: `
      const bag = {};
      for (const name of ['nodejs.rejection', 'nodejs.util.promisify.custom', 'nodejs.dispose', 'nodejs.asyncDispose', 'glovebox.error'])
        bag[Symbol.for(name)] = 1;
      return await tool(bag).catch((error) => error.code)`,
    tools: { tool: (): number => 1 },
    expected: { value: 'UNSUPPORTED_TYPE' },
  },
  {
    kind: 8,
    name: 'a symbol as a name, code or message of an error is text or nothing',
    code: `
      const error = new Error('x');
      error.name = Symbol('name');
      error.code = Symbol('code');
      Object.defineProperty(error, 'message', { value: Symbol('message') });
      throw error`,
    expected: { error: 'GUEST_ERROR', name: 'Error', message: 'Symbol(message)' },
  },
  {
    kind: 9,
    name: 'a proxy that watches how it is shown is not asked by the host',
    code: `
      const asked = [];
      const spy = new Proxy({}, { get(target, key) { asked.push(String(key)); return target[key]; } });
      console.log(spy, { inner: spy });
      return asked`,
    expected: { value: [] },
  },
  {
    kind: 9,
    name: 'a thrown proxy shows none of its handler',
    code: "throw new Proxy({}, { get: () => undefined, handlerSecret: 'x' })",
    expected: { error: 'GUEST_ERROR', name: 'Error', message: '{}' },
  },
]);
