import { attacks } from './support/attack.ts';

attacks('endless loops', { limits: { wallMs: 300 } }, [
  { kind: 23, name: 'while (true)', code: 'while (true);', expected: { error: 'WALL_LIMIT', limit: 300, ran: 'yes' } },
  { kind: 23, name: 'inert', code: 'return 1', expected: { value: 1 } },
]);
