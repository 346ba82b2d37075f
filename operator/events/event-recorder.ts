/**
 * Says in Events what became of a resource. Events are for people and expire: what counts also
 * stands in a condition. To be called only when something changed.
 *
 * Guarantees: never throws, never waits, never holds more than `QUEUED_MAX` events; the same thing
 * said again is one Event with a series.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, ObjectPlace } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Clock, Log, NewId } from '#core/ports/platform.ts';
import { withinTime, type Timers } from '../timers.ts';
import {
  EVENT,
  eventObject,
  seriesField,
  type EventNews,
  type EventSeries,
  type Reporter,
} from './event-object.ts';
import { RecentEvents } from './recent-events.ts';

/** Events that wait to be written; more are dropped and counted. */
export const QUEUED_MAX = 1_000;
const WRITE_MS_MAX = 10_000;

export interface EventRecorderOptions {
  readonly api: KubernetesApi;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
}

export interface EventRecorder {
  record(news: EventNews): void;
  /** Resolves when what was recorded so far is written or given up. */
  flush(): Promise<void>;
}

type Outcome = 'Created' | 'Dropped' | 'Failed' | 'Repeated' | 'Suppressed';

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, newId } = options;
  const recent = new RecentEvents();
  let queued = 0;
  let last: Promise<void> = Promise.resolve();

  const count = (news: EventNews, outcome: Outcome) =>
    options.metrics.count('events_recorded_total', { type: news.type, outcome });

  const write = async (news: EventNews, now: number): Promise<Outcome> => {
    try {
      let step = recent.step(news, { now, newId: newId() });
      if (step.kind === 'Repeat') {
        if (await repeat(options, { news, ...step })) return 'Repeated';
        recent.forget(news);
        step = recent.step(news, { now, newId: newId() });
      }
      if (step.kind !== 'Create') return 'Suppressed';
      await create(options, { news, id: step.id, now });
      return 'Created';
    } catch (error) {
      recent.forget(news);
      const { reason } = news;
      options.log.warn({ error, reason }, 'failed to write event; dropped');
      return 'Failed';
    }
  };

  return {
    record(news) {
      if (queued >= QUEUED_MAX) {
        count(news, 'Dropped');
        return;
      }
      queued += 1;
      const now = clock();
      // One after another: a series must not overtake the event that it continues.
      last = last
        .then(() => write(news, now))
        .then((outcome) => count(news, outcome))
        .finally(() => {
          queued -= 1;
        });
    },
    flush: () => last,
  };
}

interface ToCreate {
  readonly news: EventNews;
  readonly id: string;
  readonly now: number;
}

async function create(options: EventRecorderOptions, { news, id, now }: ToCreate): Promise<void> {
  const event = eventObject(news, { reporter: options.reporter, id, now });
  await within(options, (signal) => options.api.create(EVENT, event, { signal }));
}

interface ToRepeat {
  readonly news: EventNews;
  readonly id: string;
  readonly series: EventSeries;
}

/** False where the event has expired; what has no count any more is said anew. */
async function repeat(
  options: EventRecorderOptions,
  { news, id, series }: ToRepeat,
): Promise<boolean> {
  const { name, namespace } = eventObject(news, {
    reporter: options.reporter,
    id,
    now: series.lastAt,
  }).metadata;
  const place: ObjectPlace = namespace === undefined ? { name } : { name, namespace };
  const operations = [{ op: 'add', path: '/series', value: seriesField(series) }] as const;
  try {
    await within(options, (signal) =>
      options.api.patch(EVENT, place, { operations, options: { signal } }),
    );
    return true;
  } catch (error) {
    if (error instanceof VarveError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

async function within(
  { timers }: EventRecorderOptions,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { signal } = new AbortController();
  await withinTime(timers, { limitMs: WRITE_MS_MAX, signal }, work);
}
