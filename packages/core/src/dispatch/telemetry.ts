import { createRequire } from 'node:module';

import type * as OpenTelemetry from '@opentelemetry/api';

import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { DispatchResult } from './dispatch-result.ts';

type Api = typeof OpenTelemetry;

/** What goes into spans besides names and times. */
export interface TelemetryOptions {
  /** Write arguments into spans, as JSON; `false` by default: they may hold what is private. */
  readonly recordArguments?: boolean | undefined;
  /** Write results into spans, as JSON; `false` by default. */
  readonly recordResults?: boolean | undefined;
}

/** The span of a dispatch. What is exported names no type of OpenTelemetry, which may be missing. */
export interface Trace {
  addEvent(name: string, attributes: Readonly<Record<string, string | number>>): unknown;
}

/** The contexts of spans, for those within them. */
const contexts = new WeakMap<Trace, OpenTelemetry.Context>();

export interface TracedCall {
  readonly toolName: string;
  readonly tool: RegisteredTool | undefined;
  readonly args: unknown;
  readonly callId: string | undefined;
  /** The outer call, where this one is made within one. */
  readonly parent: Trace | undefined;
}

/** `undefined` before the first look, `null` where it is not installed. */
let found: Api | null | undefined;

/**
 * OpenTelemetry's API where the application has it. It is looked for in place of being imported:
 * most applications do without. All its copies share one global state, so that any copy will do.
 */
function findApi(): Api | null {
  if (found === undefined) {
    try {
      // Its type is known only where it is installed; nothing else has this name.
      found = createRequire(import.meta.url)('@opentelemetry/api') as Api;
    } catch {
      found = null;
    }
  }
  return found;
}

/** Makes spans of dispatches, as OpenTelemetry's conventions for generative AI have them. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #api: Api | null;
  readonly #tracer: OpenTelemetry.Tracer | undefined;

  constructor(options: TelemetryOptions | false) {
    this.#options = options === false ? {} : options;
    this.#api = options === false ? null : findApi();
    this.#tracer = this.#api?.trace.getTracer('@glovebox/core');
  }

  /** Makes a dispatch, within a span where there is a tracer. */
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
    // A BigInt or a cycle: JSON is what the convention asks for.
    text = '"[not JSON]"';
  }
  span.setAttribute(`gen_ai.tool.call.${what}`, text);
}
