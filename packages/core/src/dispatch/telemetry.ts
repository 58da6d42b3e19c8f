import { createRequire } from 'node:module';

import type * as OpenTelemetry from '@opentelemetry/api';

import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { DispatchResult } from './dispatch-result.ts';

type Api = typeof OpenTelemetry;

/** What spans contain besides names and times. */
export interface TelemetryOptions {
  /** Whether spans contain arguments as JSON; `false` by default, as they may be private. */
  readonly recordArguments?: boolean | undefined;
  /** Whether spans contain results as JSON; `false` by default. */
  readonly recordResults?: boolean | undefined;
}

/** The span of a dispatch. Exported types must not use types of OpenTelemetry: it is optional. */
export interface Trace {
  addEvent(name: string, attributes: Readonly<Record<string, string | number>>): unknown;
}

/** The OpenTelemetry contexts of spans, as parents of nested spans. */
const contexts = new WeakMap<Trace, OpenTelemetry.Context>();

export interface TracedCall {
  readonly toolName: string;
  readonly tool: RegisteredTool | undefined;
  readonly args: unknown;
  readonly callId: string | undefined;
  /** The span of the outer call, if this call is nested. */
  readonly parent: Trace | undefined;
}

/** `undefined` before the first call of `findApi`, `null` if the API is not installed. */
let found: Api | null | undefined;

/**
 * Loads OpenTelemetry's API if it is installed. It is not imported, because most applications do not
 * use it. All copies of the API share one global state, so any copy works.
 */
function findApi(): Api | null {
  if (found === undefined) {
    try {
      // The cast is safe: this name belongs to OpenTelemetry's API.
      found = createRequire(import.meta.url)('@opentelemetry/api') as Api;
    } catch {
      found = null;
    }
  }
  return found;
}

/** Creates spans of dispatches, following OpenTelemetry's conventions for generative AI. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #api: Api | null;
  readonly #tracer: OpenTelemetry.Tracer | undefined;

  constructor(options: TelemetryOptions | false) {
    this.#options = options === false ? {} : options;
    this.#api = options === false ? null : findApi();
    this.#tracer = this.#api?.trace.getTracer('@glovebox/core');
  }

  /** Calls `dispatch`, within a span if there is a tracer. */
  async trace<T>(
    call: TracedCall,
    dispatch: (trace: Trace | undefined) => Promise<DispatchResult<T>>,
  ): Promise<DispatchResult<T>> {
    const api = this.#api;
    if (api === null || this.#tracer === undefined) return dispatch(undefined);
    const { toolName, tool, args, callId, parent } = call;
    const outer = (parent && contexts.get(parent)) ?? api.context.active();
    const name = `execute_tool ${toolName}`;
    const span = this.#tracer.startSpan(name, { kind: api.SpanKind.INTERNAL }, outer);
    span.setAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.type': 'function',
    });
    if (tool?.description !== undefined) {
      span.setAttribute('gen_ai.tool.description', tool.description);
    }
    if (callId !== undefined) span.setAttribute('gen_ai.tool.call.id', callId);
    if (this.#options.recordArguments === true) record(span, 'arguments', args);
    const context = api.trace.setSpan(outer, span);
    contexts.set(span, context);
    const result = await api.context.with(context, () => dispatch(span));
    if (!result.ok) {
      span.setAttribute('error.type', result.error.kind);
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: result.error.message });
    } else if (this.#options.recordResults === true) {
      record(span, 'result', result.value);
    }
    span.end();
    return result;
  }
}

function record(span: OpenTelemetry.Span, what: 'arguments' | 'result', value: unknown): void {
  if (!span.isRecording() || value === undefined) return;
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    // A BigInt or a cycle, which JSON cannot represent; the convention requires JSON.
    text = '"[not JSON]"';
  }
  span.setAttribute(`gen_ai.tool.call.${what}`, text);
}
