/**
 * What was said lately, so that the same thing said again becomes a count and not an object. The
 * rules are those of client-go's recorder (tools/events): a second time starts a series, a
 * running series is written every six minutes, and one object may not flood the rest.
 */
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import { identityOf, subjectOf, type EventNews, type EventSeries } from './event-object.ts';

/** Events remembered, and objects; what was said longest ago is forgotten first. */
export const RECENT_MAX = 4_096;
/** A series is written again at most this often; counts in between are kept here. */
export const SERIES_WRITE_MS = 6 * 60_000;
/** An event that was not said again for so long is a new one. */
const SERIES_END_MS = 30 * 60_000;
/** Of one object: client-go lets 25 pass, then one every five minutes. */
const OF_ONE_OBJECT = { perSecond: 1 / 300, burst: 25 };

interface Said {
  readonly id: string;
  readonly count: number;
  readonly saidAt: number;
  readonly writtenAt: number;
}

export type EventStep =
  | { readonly kind: 'Create'; readonly id: string }
  | { readonly kind: 'Repeat'; readonly id: string; readonly series: EventSeries }
  /** Counted here, or one too many of its object; nothing is written. */
  | { readonly kind: 'Suppress' };

export class RecentEvents {
  readonly #max: number;
  readonly #said = new Map<string, Said>();
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(max = RECENT_MAX) {
    this.#max = max;
  }

  /**
   * What is to be written for this, now. Whoever asks does it, and says so with `forget` where
   * that failed.
   * @param newId the id of a new event, used where there is to be one
   */
  step(
    news: EventNews,
    { now, newId }: { readonly now: number; readonly newId: string },
  ): EventStep {
    const identity = identityOf(news);
    const said = this.#said.get(identity);
    const step = stepAfter(said, { now, newId });
    if (step.kind === 'Create' && !this.#mayCreate(subjectOf(news), now)) {
      return { kind: 'Suppress' };
    }
    const isWritten = step.kind !== 'Suppress';
    keep(this.#said, this.#max, identity, {
      id: step.kind === 'Create' ? newId : (said?.id ?? newId),
      count: step.kind === 'Create' ? 1 : (said?.count ?? 0) + 1,
      saidAt: now,
      writtenAt: isWritten ? now : (said?.writtenAt ?? now),
    });
    return step;
  }

  /** The next time it is said it is new. */
  forget(news: EventNews): void {
    this.#said.delete(identityOf(news));
  }

  #mayCreate(subject: string, now: number): boolean {
    const bucket = this.#buckets.get(subject) ?? createTokenBucket(OF_ONE_OBJECT, now);
    keep(this.#buckets, this.#max, subject, bucket);
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

/** Maps keep the order in which keys were put in: the first is the one not used for longest. */
function keep<V>(map: Map<string, V>, max: number, ...[key, value]: [string, V]): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
