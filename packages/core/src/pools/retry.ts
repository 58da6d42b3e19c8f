import type { Job } from '@glovebox/protocol/job';

import { debugLog } from '../shared/debug-log.ts';
import type { JobHandle, JobObserver } from './worker-pool.ts';

/** Submits a job to a pool. A *solo* job is alone in its host. */
export type Submit = (job: Job, observer: JobObserver, solo: boolean) => JobHandle;

/**
 * Submits a job to a pool. If the host is lost before the run had any outside effect (it called no
 * tool and logged nothing), submits the job once more, as a solo job. Alone in its host, a run that
 * kills hosts harms no other run, and a run that was not the cause succeeds.
 */
export function submitWithRetry(submit: Submit, job: Job, observer: JobObserver): JobHandle {
  let handle: JobHandle;
  let isRetry = false;
  let hadEffect = false;
  let stopped = false;
  const attempt: JobObserver = {
    onStart: (hostId) => observer.onStart(hostId),
    onLog: (level, text) => {
      hadEffect = true;
      observer.onLog(level, text);
    },
    onCall: (callId, tool, text) => {
      hadEffect = true;
      observer.onCall(callId, tool, text);
    },
    onEnd: (end) => {
      const isLost = end.type === 'failure' && end.code === 'HOST_LOST' && end.ran !== 'no';
      if (isLost && !isRetry && !hadEffect && !stopped) {
        isRetry = true;
        if (debugLog.enabled) debugLog('a run lost its host; it runs again, alone in another host');
        handle = submit(job, attempt, true);
      } else {
        observer.onEnd(end);
      }
    },
  };
  handle = submit(job, attempt, false);
  return {
    reply: (callId, ok, text) => handle.reply(callId, ok, text),
    stop: () => {
      stopped = true;
      handle.stop();
    },
    kill: (why) => {
      stopped = true;
      handle.kill(why);
    },
  };
}
