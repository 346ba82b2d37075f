/** One watch from a version until it ends, whoever ends it. */
import type {
  KubernetesApi,
  ListOptions,
  ResourceType,
  WatchEvent,
} from '#core/ports/kubernetes-api.ts';
import { afterTime, type Timers } from '../timers.ts';
import { failureInterruption, interruptionOf, type Interruption } from './interruption.ts';

export interface Follow {
  readonly type: ResourceType;
  readonly selection: ListOptions;
  readonly version: string;
  readonly timeoutSeconds: number;
  /** Longest silence, in milliseconds; the server sends a bookmark a minute. */
  readonly idleMs: number;
  /** When something was heard last, by the clock that never goes back. */
  readonly heardAt: () => number;
  /** Takes an event in; an interruption ends the watch. */
  readonly take: (event: WatchEvent) => Interruption | null;
  readonly signal: AbortSignal;
}

export interface EndOfWatch extends Interruption {
  /** The failure that was the end. */
  readonly error?: unknown;
}

/** Null where the signal is aborted. Never throws. */
export async function follow(
  { api, timers }: { readonly api: Pick<KubernetesApi, 'watch'>; readonly timers: Timers },
  watch: Follow,
): Promise<EndOfWatch | null> {
  const { type, selection, version, timeoutSeconds, signal } = watch;
  const silence = new AbortController();
  const done = new AbortController();
  const openedAt = timers.timer();
  const listen = () => {
    const leftMs = watch.idleMs - (timers.timer() - Math.max(openedAt, watch.heardAt()));
    if (leftMs <= 0) silence.abort();
    else afterTime(timers, { ms: leftMs, signal: done.signal }, listen);
  };
  listen();
  const ended = AbortSignal.any([signal, silence.signal]);
  const given = () => {
    if (signal.aborted) return null;
    return silence.signal.aborted ? interruptionOf('Idle') : interruptionOf('Ended');
  };
  try {
    const options = { ...selection, resourceVersion: version, timeoutSeconds };
    for await (const event of api.watch(type, options, ended)) {
      // What was under way when it was given up no longer counts: a list may have begun.
      if (ended.aborted) return given();
      const interruption = watch.take(event);
      if (interruption !== null) return interruption;
    }
    return given();
  } catch (error) {
    return ended.aborted ? given() : { ...failureInterruption(error), error };
  } finally {
    done.abort();
    // What listens to a signal made of others is kept until one of them is aborted.
    silence.abort();
  }
}
