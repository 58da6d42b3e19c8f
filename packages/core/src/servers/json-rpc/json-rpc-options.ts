import { z } from 'zod';

import { serviceShape } from '../service/service-options.ts';
import type { ServiceOptions } from '../service/service-options.ts';

/** What servers of JSON-RPC take. */
export interface JsonRpcOptions extends ServiceOptions {
  /** Messages in one batch; 100 by default. */
  readonly maxBatch?: number | undefined;
}

export const jsonRpcShape = { ...serviceShape, maxBatch: z.int().min(1).default(100) };
