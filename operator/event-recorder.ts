/**
 * Records Events about resources. Events are for people and expire, so anything important is in a
 * condition too. Call it only when something changed.
 *
 * Guarantees: never throws, never waits, never holds more than `QUEUED_MAX` events; repetitions of
 * the same Event become one Event with a series.
 */
import { keepNewest } from '#core/keep-newest.ts';
import { VarveError } from '#core/errors.ts';
import type {
  KubernetesApi,
  ObjectPlace,
  KubernetesObject,
  ResourceType,
} from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Clock, Log, NewId, Timers } from '#core/ports/platform.ts';
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import { microTime, withinTime } from './timers.ts';

/** Events that wait to be written; further ones are dropped and counted. */
export const QUEUED_MAX = 1_000;
const WRITE_MS_MAX = 10_000;

interface EventRecorderOptions {
  readonly api: KubernetesApi;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
}

export interface EventRecorder {
  record(newEvent: NewEvent): void;
  /** Resolves when everything recorded so far is written or dropped. */
  flush(): Promise<void>;
}

type Outcome = 'Created' | 'Dropped' | 'Failed' | 'Repeated' | 'Suppressed';

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, newId } = options;
  const recent = new RecentEvents();
  let queued = 0;
  let last: Promise<void> = Promise.resolve();

  const count = (newEvent: NewEvent, outcome: Outcome) =>
    options.metrics.count('events_recorded_total', { type: newEvent.type, outcome });

  const write = async (newEvent: NewEvent, now: number): Promise<Outcome> => {
    try {
      let step = recent.step(newEvent, { now, newId: newId() });
      if (step.kind === 'Repeat') {
        if (await repeat(options, { newEvent, ...step })) return 'Repeated';
        recent.forget(newEvent);
        step = recent.step(newEvent, { now, newId: newId() });
      }
      if (step.kind !== 'Create') return 'Suppressed';
      const event = eventObject(newEvent, { reporter: options.reporter, id: step.id, now });
      await within(options, (signal) => options.api.create(EVENT, event, { signal }));
      return 'Created';
    } catch (error) {
      recent.forget(newEvent);
      const { reason } = newEvent;
      options.log.warn({ error, reason }, 'failed to write event; dropped');
      return 'Failed';
    }
  };

  return {
    record(newEvent) {
      if (queued >= QUEUED_MAX) {
        count(newEvent, 'Dropped');
        return;
      }
      queued += 1;
      const now = clock();
      // One after another: a series must not overtake the event that it continues.
      last = last
        .then(() => write(newEvent, now))
        .then((outcome) => count(newEvent, outcome))
        .finally(() => {
          queued -= 1;
        });
    },
    flush: () => last,
  };
}

/** Returns false if the event has expired. An event without a count is written as a new one. */
async function repeat(
  options: EventRecorderOptions,
  { newEvent, id, series }: { newEvent: NewEvent; id: string; series: EventSeries },
): Promise<boolean> {
  const { name, namespace } = eventObject(newEvent, {
    reporter: options.reporter,
    id,
    now: series.lastAt,
  }).metadata;
  const place: ObjectPlace = namespace === undefined ? { name } : { name, namespace };
  const value = { count: series.count, lastObservedTime: microTime(series.lastAt) };
  const operations = [{ op: 'add', path: '/series', value }] as const;
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

/** Events and objects that are remembered; the least recently recorded are forgotten first. */
const RECENT_MAX = 4_096;
/** A series is written at most this often; repetitions in between are counted here. */
const SERIES_WRITE_MS = 6 * 60_000;
/** An event that was not repeated for this long starts a new series. */
const SERIES_END_MS = 30 * 60_000;
/** Rate limit of one object: as in client-go, 25 events, then one every five minutes. */
const OF_ONE_OBJECT = { perSecond: 1 / 300, burst: 25 };

interface Said {
  readonly id: string;
  readonly count: number;
  readonly saidAt: number;
  readonly writtenAt: number;
}

type EventStep =
  | { readonly kind: 'Create'; readonly id: string }
  | { readonly kind: 'Repeat'; readonly id: string; readonly series: EventSeries }
  /** Nothing is written: it is only counted, or its object is over the rate limit. */
  | { readonly kind: 'Suppress' };

class RecentEvents {
  readonly #said = new Map<string, Said>();
  readonly #buckets = new Map<string, TokenBucket>();

  /**
   * Returns what to write for this event now. The caller writes it, and calls `forget` if that
   * fails.
   * @param newId the id of a new event, used if there is to be one
   */
  step(
    newEvent: NewEvent,
    { now, newId }: { readonly now: number; readonly newId: string },
  ): EventStep {
    const identity = identityOf(newEvent);
    const said = this.#said.get(identity);
    const step = stepAfter(said, { now, newId });
    if (step.kind === 'Create' && !this.#mayCreate(eventObjectKey(newEvent), now)) {
      return { kind: 'Suppress' };
    }
    const isWritten = step.kind !== 'Suppress';
    const latest = {
      id: step.kind === 'Create' ? newId : (said?.id ?? newId),
      count: step.kind === 'Create' ? 1 : (said?.count ?? 0) + 1,
      saidAt: now,
      writtenAt: isWritten ? now : (said?.writtenAt ?? now),
    };
    keepNewest(this.#said, RECENT_MAX, [identity, latest]);
    return step;
  }

  /** Makes the next event like this one a new one. */
  forget(newEvent: NewEvent): void {
    this.#said.delete(identityOf(newEvent));
  }

  #mayCreate(subject: string, now: number): boolean {
    const bucket = this.#buckets.get(subject) ?? createTokenBucket(OF_ONE_OBJECT, now);
    keepNewest(this.#buckets, RECENT_MAX, [subject, bucket]);
    return bucket.take(now);
  }
}

function stepAfter(
  said: Said | undefined,
  { now, newId }: { readonly now: number; readonly newId: string },
): EventStep {
  if (said === undefined || now - said.saidAt > SERIES_END_MS) return { kind: 'Create', id: newId };
  const isFirstRepeat = said.count === 1;
  if (!isFirstRepeat && now - said.writtenAt < SERIES_WRITE_MS) return { kind: 'Suppress' };
  return { kind: 'Repeat', id: said.id, series: { count: said.count + 1, lastAt: now } };
}

/**
 * Events of `events.k8s.io/v1`: what to report about an object, and the Event made of it. Pure.
 */
export const EVENT: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  isNamespaced: true,
};

/** In bytes; the server refuses longer notes. */
const NOTE_BYTES_MAX = 1_024;
const ELLIPSIS = '…';
/** A name has at most 253 characters; the rest is for the part that makes it unique. */
const NAME_PREFIX_MAX = 200;
/** Where Events about objects without a namespace are kept. */
const CLUSTER_EVENTS_NAMESPACE = 'default';

/** What changed. Every field but the note takes its value from a short list. */
export interface NewEvent {
  readonly regarding: KubernetesObject;
  readonly type: 'Normal' | 'Warning';
  /** PascalCase, from a short list: `Accepted`, `TenantClaimed`. */
  readonly reason: string;
  /** PascalCase, the action that was under way: `ApplyPolicy`. */
  readonly action: string;
  /** One sentence; no secret and no memory text. */
  readonly note: string;
}

interface Reporter {
  /** `memory.varve.dev/operator` */
  readonly controller: string;
  /** The pod. */
  readonly instance: string;
}

/** Repetitions of one event, counting the first; at least 2. */
interface EventSeries {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

function eventObject(
  newEvent: NewEvent,
  { reporter, id, now }: { readonly reporter: Reporter; readonly id: string; readonly now: number },
): KubernetesObject {
  const { apiVersion, kind, metadata } = newEvent.regarding;
  const { name, namespace, uid, resourceVersion } = metadata;
  const place = { namespace: namespace ?? CLUSTER_EVENTS_NAMESPACE };
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, NAME_PREFIX_MAX)}.${id}`, ...place },
    eventTime: microTime(now),
    type: newEvent.type,
    reason: newEvent.reason,
    action: newEvent.action,
    note: boundedNote(newEvent.note),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    regarding: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

/** Equal identities mean that the same event is repeated. */
function identityOf({ regarding, type, reason, action, note }: NewEvent): string {
  const { kind, metadata } = regarding;
  const { namespace = '', name, uid = '' } = metadata;
  return JSON.stringify([kind, namespace, name, uid, type, reason, action, boundedNote(note)]);
}

/** Names the object of an event, for rate limits by object. */
function eventObjectKey({ regarding }: NewEvent): string {
  const { kind, metadata } = regarding;
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Cuts between characters, never inside of one. */
function boundedNote(note: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(note).length <= NOTE_BYTES_MAX) return note;
  const room = NOTE_BYTES_MAX - encoder.encode(ELLIPSIS).length;
  const { read } = encoder.encodeInto(note, new Uint8Array(room));
  return `${note.slice(0, read)}${ELLIPSIS}`;
}
