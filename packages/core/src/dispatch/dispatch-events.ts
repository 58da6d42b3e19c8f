import { channel } from 'node:diagnostics_channel';

import type { DispatchKind } from './dispatch-kinds.ts';

interface DispatchEvent {
  /** Number of the dispatch within its dispatcher, from 1. */
  readonly dispatchId: number;
  readonly tool: string;
}

export interface DispatchAttemptEvent extends DispatchEvent {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

export interface DispatchRetryEvent extends DispatchEvent {
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** Why it failed. */
  readonly kind: DispatchKind;
  /** Time until the next attempt, in milliseconds. */
  readonly delayMs: number;
}

export interface DispatchApprovalEvent extends DispatchEvent {
  readonly state: 'asked' | 'answered';
}

export interface DispatchEndEvent extends DispatchEvent {
  readonly ok: boolean;
  /** Why the dispatch failed; undefined if it succeeded. */
  readonly kind: DispatchKind | undefined;
  readonly attempts: number;
  readonly cached: boolean;
  readonly durationMs: number;
}

/**
 * The events of a dispatcher, by the last part of the channel's name. They never contain arguments
 * or results.
 */
export interface DispatchEvents {
  readonly start: DispatchEvent;
  readonly attempt: DispatchAttemptEvent;
  readonly retry: DispatchRetryEvent;
  readonly approval: DispatchApprovalEvent;
  readonly end: DispatchEndEvent;
}

/** Names of the channels of `node:diagnostics_channel`. */
export const DISPATCH_CHANNELS = {
  start: 'glovebox:dispatch:start',
  attempt: 'glovebox:dispatch:attempt',
  retry: 'glovebox:dispatch:retry',
  approval: 'glovebox:dispatch:approval',
  end: 'glovebox:dispatch:end',
} as const satisfies Record<keyof DispatchEvents, string>;

const channels = {
  start: channel(DISPATCH_CHANNELS.start),
  attempt: channel(DISPATCH_CHANNELS.attempt),
  retry: channel(DISPATCH_CHANNELS.retry),
  approval: channel(DISPATCH_CHANNELS.approval),
  end: channel(DISPATCH_CHANNELS.end),
};

/** Publishes an event. Creates it only if the channel has subscribers. */
export function publish<Name extends keyof DispatchEvents>(
  name: Name,
  makeEvent: () => DispatchEvents[Name],
): void {
  const { [name]: target } = channels;
  if (target.hasSubscribers) target.publish(makeEvent());
}
