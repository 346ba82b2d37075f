/** Events of `events.k8s.io/v1`: what is said of an object, and the object that says it. Pure. */
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { microTime } from '../micro-time.ts';

export const EVENT: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  isNamespaced: true,
};

/** The server refuses longer notes; in bytes. */
const NOTE_BYTES_MAX = 1_024;
const ELLIPSIS = '…';
/** A name has at most 253 characters; what is left is for the part that makes it unique. */
const NAME_PREFIX_MAX = 200;
/** Where events of objects without a namespace are kept. */
const CLUSTER_EVENTS_NAMESPACE = 'default';

/** What changed, in words of a short list each; only the note is free. */
export interface EventNews {
  readonly regarding: KubernetesObject;
  readonly type: 'Normal' | 'Warning';
  /** PascalCase, one of few: `Accepted`, `TenantClaimed`. */
  readonly reason: string;
  /** PascalCase, what was being done: `ApplyPolicy`. */
  readonly action: string;
  /** One sentence; no secret and no memory text. */
  readonly note: string;
}

export interface Reporter {
  /** `memory.varve.dev/operator` */
  readonly controller: string;
  /** The pod. */
  readonly instance: string;
}

/** Repetitions of one event; at least 2, the first one counted. */
export interface EventSeries {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

export function eventObject(
  news: EventNews,
  { reporter, id, now }: { readonly reporter: Reporter; readonly id: string; readonly now: number },
): KubernetesObject {
  const { apiVersion, kind, metadata } = news.regarding;
  const { name, namespace, uid, resourceVersion } = metadata;
  const place = { namespace: namespace ?? CLUSTER_EVENTS_NAMESPACE };
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, NAME_PREFIX_MAX)}.${id}`, ...place },
    eventTime: microTime(now),
    type: news.type,
    reason: news.reason,
    action: news.action,
    note: boundedNote(news.note),
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

export function seriesField({ count, lastAt }: EventSeries) {
  return { count, lastObservedTime: microTime(lastAt) };
}

/** Equal texts are the same event said again. */
export function identityOf({ regarding, type, reason, action, note }: EventNews): string {
  const { kind, metadata } = regarding;
  const { namespace = '', name, uid = '' } = metadata;
  return JSON.stringify([kind, namespace, name, uid, type, reason, action, boundedNote(note)]);
}

/** Which object it is about, for limits by object. */
export function subjectOf({ regarding }: EventNews): string {
  const { kind, metadata } = regarding;
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Cut between characters, never inside of one. */
function boundedNote(note: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(note).length <= NOTE_BYTES_MAX) return note;
  const room = NOTE_BYTES_MAX - encoder.encode(ELLIPSIS).length;
  const { read } = encoder.encodeInto(note, new Uint8Array(room));
  return `${note.slice(0, read)}${ELLIPSIS}`;
}
