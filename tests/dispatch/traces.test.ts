import { Executor, TransientError } from '@glovebox/core';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => provider.register());
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

/** The finished spans by their names. */
function spans(): ReadonlyMap<string, ReadableSpan> {
  return new Map(exporter.getFinishedSpans().map((span) => [span.name, span]));
}

test('a call is a span by the conventions for generative AI, without its data', async () => {
  const work = counted(() => 'secret', { description: 'Works.' });
  await dispatcherOf({ tools: [work] }).dispatch({
    tool: 'work',
    args: 'secret',
    callId: 'call_7',
  });
  const span = spans().get('execute_tool work');
  expect(span).toMatchObject({
    kind: SpanKind.INTERNAL,
    status: { code: SpanStatusCode.UNSET },
    instrumentationScope: { name: '@glovebox/core' },
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'work',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'Works.',
      'gen_ai.tool.call.id': 'call_7',
    },
  });
  expect(Object.values(span?.attributes ?? {})).not.toContain('"secret"');
  expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['dispatch.attempt', { attempt: 1 }],
  ]);
});

test('arguments and results are written where that is asked for', async () => {
  const work = counted(() => ({ total: 3n }));
  const telemetry = { recordArguments: true, recordResults: true };
  const dispatcher = dispatcherOf({ tools: [work], telemetry });
  await dispatcher.dispatch({ tool: 'work', args: { id: 1 } });
  expect(spans().get('execute_tool work')?.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"id":1}',
    'gen_ai.tool.call.result': '"[not JSON]"',
  });
});

test('an error has its kind, and each attempt its event', async () => {
  const work = counted(() => Promise.reject(new TransientError('busy')));
  const dispatcher = dispatcherOf({ tools: [work], maxAttempts: 2 });
  expect(errorIn(await dispatcher.dispatch({ tool: 'work' })).kind).toBe('transient');
  const span = spans().get('execute_tool work');
  expect(span).toMatchObject({
    status: { code: SpanStatusCode.ERROR, message: 'busy' },
    attributes: { 'error.type': 'transient' },
  });
  expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['dispatch.attempt', { attempt: 1 }],
    ['dispatch.retry', { attempt: 1, 'error.type': 'transient' }],
    ['dispatch.attempt', { attempt: 2 }],
  ]);
});

test('spans of the tool, and of what a guest calls, are within the span of the call', async () => {
  await using executor = new Executor({ pool: 'thread', hosts: 1 });
  const tracer = trace.getTracer('test');
  const inner = counted(() => tracer.startActiveSpan('query', (span) => span.end()), {
    name: 'inner',
  });
  const dispatcher = dispatcherOf({
    tools: [inner, { name: 'outer', source: 'await inner()', uses: ['inner'] }],
    executor,
  });
  await tracer.startActiveSpan('agent', async (span) => {
    valueIn(await dispatcher.dispatch({ tool: 'outer' }));
    span.end();
  });
  const found = spans();
  const parents = ['query', 'execute_tool inner', 'execute_tool outer'].map((name) => {
    const parentId = found.get(name)?.parentSpanContext?.spanId;
    return [...found.values()].find((span) => span.spanContext().spanId === parentId)?.name;
  });
  expect(parents).toEqual(['execute_tool inner', 'execute_tool outer', 'agent']);
});

test('there are no spans where they are turned off', async () => {
  const dispatcher = dispatcherOf({ tools: [counted(() => 1)], telemetry: false });
  expect(valueIn(await dispatcher.dispatch({ tool: 'work' }))).toBe(1);
  expect(exporter.getFinishedSpans()).toEqual([]);
});
