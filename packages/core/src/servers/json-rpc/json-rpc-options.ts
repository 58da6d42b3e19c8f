import { z } from 'zod';

import { serviceShape } from '../service/service-options.ts';
import type { ServiceOptions } from '../service/service-options.ts';

/** Options of all JSON-RPC servers. */
export interface JsonRpcOptions extends ServiceOptions {
  /** Maximum number of messages in one batch; 100 by default. */
  readonly maxBatch?: number | undefined;
}

export const jsonRpcShape = { ...serviceShape, maxBatch: z.int().min(1).default(100) };
