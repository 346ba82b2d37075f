/**
 * A model of an API server for one Lease. It checks versions; requests and answers may be late or
 * lost. Late requests are executed when they arrive, as on a real network.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';

export interface Trip {
  /** Until the request arrives, and from there until the answer does; in milliseconds. */
  readonly thereMs: number;
  readonly backMs: number;
  /** The answer never comes, though the request did. */
  readonly isAnswerLost?: boolean;
}

export interface LeaseServer {
  /** A client of its own, whose calls take the trips that are asked for. */
  client(trip: () => Trip): KubernetesApi;
  read(): KubernetesObject | null;
  /** Changes it as a person would. */
  write(change: (object: KubernetesObject) => KubernetesObject): void;
  /** Deletes it as a person would. */
  remove(): void;
}

/** @param wait resolves after so many milliseconds, whatever else happens */
export function leaseServer(wait: (milliseconds: number) => Promise<void>): LeaseServer {
  let object: KubernetesObject | null = null;
  let version = 0;
  const keep = (next: KubernetesObject): KubernetesObject => {
    version += 1;
    const metadata = { ...next.metadata, resourceVersion: String(version) };
    object = { ...next, metadata };
    return object;
  };
  const create = (next: KubernetesObject) => {
    if (object !== null) throw failure('CONFLICT', 'AlreadyExists');
    return keep(next);
  };
  const replace = (next: KubernetesObject) => {
    if (object === null) throw failure('NOT_FOUND', 'NotFound');
    const isCurrent = next.metadata.resourceVersion === object.metadata.resourceVersion;
    if (!isCurrent) throw failure('CONFLICT', 'Conflict');
    return keep(next);
  };
  return {
    read: () => object,
    write: (change) => void (object === null ? undefined : keep(change(object))),
    remove: () => void (object = null),
    client: (trip) => {
      const call = async <T>(work: () => T): Promise<T> => {
        const { thereMs, backMs, isAnswerLost = false } = trip();
        await wait(thereMs);
        const answer = resultOf(work);
        await wait(backMs);
        return isAnswerLost ? new Promise<T>(() => undefined) : answer();
      };
      const none = () => Promise.reject(failure('PROVIDER_ERROR', 'NotModelled'));
      return {
        get: () => call(() => object),
        create: (_, next) => call(() => create(next)),
        replace: (_, next) => call(() => replace(next)),
        list: none,
        watch: () => {
          throw failure('PROVIDER_ERROR', 'NotModelled');
        },
        apply: none,
        patch: none,
        delete: none,
      };
    },
  };
}

function resultOf<T>(work: () => T): () => T {
  try {
    const answer = work();
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function failure(code: 'CONFLICT' | 'NOT_FOUND' | 'PROVIDER_ERROR', reason: string): VarveError {
  return new VarveError(code, 'The server refused it.', { details: { reason } });
}
