/**
 * What a schedule does, as one text that is equal for equal schedules: the server writes the same
 * thing in other ways than it was told. Pure. What people may set (paused, notes, how often it may
 * still run) is left out.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { Schedule } from './declared-schedules.ts';

export function scheduleReading({ spec, action, policies }: Schedule): string {
  const start = action?.startWorkflow;
  return JSON.stringify({
    intervals: (spec?.interval ?? []).map(({ interval, phase }) => ({
      everyMs: optionalTsToMs(interval) ?? 0,
      phaseMs: optionalTsToMs(phase) ?? 0,
    })),
    // What is never declared, so that whatever somebody adds is seen.
    calendars: sizeOf(spec?.structuredCalendar) + sizeOf(spec?.calendar) + sizeOf(spec?.cronString),
    exceptions: sizeOf(spec?.excludeStructuredCalendar) + sizeOf(spec?.excludeCalendar),
    from: optionalTsToMs(spec?.startTime) ?? null,
    to: optionalTsToMs(spec?.endTime) ?? null,
    jitterMs: optionalTsToMs(spec?.jitter) ?? 0,
    timeZone: spec?.timezoneName ?? '',
    workflowType: start?.workflowType?.name ?? '',
    workflowId: start?.workflowId ?? '',
    taskQueue: start?.taskQueue?.name ?? '',
    timeoutMs: optionalTsToMs(start?.workflowExecutionTimeout) ?? 0,
    runTimeoutMs: optionalTsToMs(start?.workflowRunTimeout) ?? 0,
    inputs: sizeOf(start?.input?.payloads),
    summary: summaryOf(start?.userMetadata?.summary),
    overlap: policies?.overlapPolicy ?? 0,
    catchupMs: optionalTsToMs(policies?.catchupWindow) ?? 0,
    pauseOnFailure: policies?.pauseOnFailure ?? false,
  });
}

function sizeOf(list: readonly unknown[] | null | undefined): number {
  return list?.length ?? 0;
}

function summaryOf(payload: Payload | null | undefined): string {
  return payload == null ? '' : (payloadText(payload) ?? 'not a text');
}

/** Null where it is no text; a payload that somebody else wrote may be anything. */
export function payloadText(payload: Payload): string | null {
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
