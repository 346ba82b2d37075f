/**
 * A model of an API server for one kind: versions, consistent pages, watches from a version, and
 * the faults that a real one shows too rarely to wait for.
 */
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type {
  KubernetesApi,
  KubernetesObject,
  ListOptions,
  ResourceType,
  WatchEvent,
  WatchOptions,
} from '#core/ports/kubernetes-api.ts';

export const NOTES: ResourceType = {
  group: 'test',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  isNamespaced: true,
};

export interface ObjectServer {
  readonly api: Pick<KubernetesApi, 'list' | 'watch'>;
  /** What was asked, in order. */
  readonly lists: readonly ListOptions[];
  readonly watches: readonly WatchOptions[];
  put(name: string, text: string): KubernetesObject;
  delete(name: string): void;
  /** What a list would answer. */
  state(): readonly KubernetesObject[];
  version(): string;
  /** Forgets all changes up to now: a watch from before is answered 410. */
  compact(): void;
  /** The next list or watch fails so. */
  failNext(call: 'list' | 'watch', error: VarveError): void;
  /** What all open watches are told, instead of what happens, until `deliver`. */
  hold(): void;
  /** Tells the events held, as changed, and from then on what happens. */
  deliver(change?: (events: readonly WatchEvent[]) => readonly WatchEvent[]): void;
  /** All open watches end: in good order, or with this failure. */
  end(error?: VarveError): void;
  /** All open watches are told this. */
  tell(event: WatchEvent): void;
  openWatches(): number;
}

export function objectServer(): ObjectServer {
  return new ModelServer();
}

interface OpenWatch {
  readonly events: WatchEvent[];
  ended: boolean;
  error: VarveError | null;
  wake: () => void;
}

class ModelServer implements ObjectServer {
  readonly lists: ListOptions[] = [];
  readonly watches: WatchOptions[] = [];
  readonly api: ObjectServer['api'];
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #log: { readonly version: number; readonly event: WatchEvent }[] = [];
  readonly #open = new Set<OpenWatch>();
  readonly #failures = { list: [] as VarveError[], watch: [] as VarveError[] };
  #version = 1;
  #compacted = 0;
  #held: WatchEvent[] | null = null;

  constructor() {
    this.api = {
      list: async (_type, options) => {
        this.lists.push(options);
        const failure = this.#failures.list.shift();
        if (failure !== undefined) throw failure;
        return pageOf(this.state(), { version: this.#version, options });
      },
      watch: (_type, options, signal) => this.#watch(options, signal),
    };
  }

  put(name: string, text: string): KubernetesObject {
    this.#version += 1;
    const version = String(this.#version);
    const before = this.#objects.get(name);
    const uid = before?.metadata.uid ?? `${name}-${version}`;
    const object = noteOf({ name, uid, version, text });
    this.#objects.set(name, object);
    this.#happen(before === undefined ? 'ADDED' : 'MODIFIED', object);
    return object;
  }

  delete(name: string): void {
    const before = this.#objects.get(name);
    if (before === undefined) return;
    this.#version += 1;
    this.#objects.delete(name);
    const metadata = { ...before.metadata, resourceVersion: String(this.#version) };
    this.#happen('DELETED', { ...before, metadata });
  }

  state(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  version(): string {
    return String(this.#version);
  }

  compact(): void {
    this.#compacted = this.#version;
  }

  failNext(call: 'list' | 'watch', error: VarveError): void {
    this.#failures[call].push(error);
  }

  hold(): void {
    this.#held ??= [];
  }

  deliver(change: (events: readonly WatchEvent[]) => readonly WatchEvent[] = (all) => all): void {
    const events = this.#held ?? [];
    this.#held = null;
    this.#push(change(events));
  }

  end(error?: VarveError): void {
    for (const own of this.#open) {
      own.ended = true;
      own.error = error ?? null;
      own.wake();
    }
  }

  tell(event: WatchEvent): void {
    this.#push([event]);
  }

  openWatches(): number {
    return this.#open.size;
  }

  #happen(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void {
    const event = { type, object };
    this.#log.push({ version: this.#version, event });
    if (this.#held === null) this.#push([event]);
    else this.#held.push(event);
  }

  #push(events: readonly WatchEvent[]): void {
    for (const watch of this.#open) {
      watch.events.push(...events);
      watch.wake();
    }
  }

  async *#watch(options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    this.watches.push(options);
    const failure = this.#failures.watch.shift();
    if (failure !== undefined) throw failure;
    const own: OpenWatch = {
      events: this.#since(Number(options.resourceVersion)),
      ended: false,
      error: null,
      wake: () => undefined,
    };
    this.#open.add(own);
    signal.addEventListener('abort', () => own.wake(), { once: true });
    try {
      for (;;) {
        if (signal.aborted) throw apiFailure('CANCELLED', { httpStatus: 0, reason: 'Cancelled' });
        const next = own.events.shift();
        if (next !== undefined) {
          yield structuredClone(next);
          continue;
        }
        if (own.error !== null) throw own.error;
        if (own.ended) return;
        await new Promise<void>((resolve) => {
          own.wake = resolve;
        });
      }
    } finally {
      this.#open.delete(own);
    }
  }

  /** What a watch from there has missed; what is held comes with the rest of it. */
  #since(version: number): WatchEvent[] {
    if (version < this.#compacted) {
      throw apiFailure('CONFLICT', { httpStatus: 410, reason: 'Expired' });
    }
    return this.#log
      .filter((entry) => entry.version > version && this.#held?.includes(entry.event) !== true)
      .map(({ event }) => event);
  }
}

export function noteOf({
  name,
  uid = `${name}-uid`,
  version,
  text = '',
}: {
  readonly name: string;
  readonly uid?: string;
  readonly version: string;
  readonly text?: string;
}): KubernetesObject {
  const metadata = { name, namespace: 'a', uid, resourceVersion: version };
  return { apiVersion: 'test/v1', kind: 'Note', metadata, spec: { text } };
}

export function bookmark(version: string): WatchEvent {
  const metadata = { name: '', resourceVersion: version };
  return { type: 'BOOKMARK', object: { apiVersion: 'test/v1', kind: 'Note', metadata } };
}

export function errorEvent(code: number, reason: string, details: object = {}): WatchEvent {
  const status = { apiVersion: 'v1', kind: 'Status', metadata: { name: '' } };
  return { type: 'ERROR', object: { ...status, code, reason, details } };
}

export function apiFailure(
  code: ErrorCode,
  details: { readonly httpStatus: number; readonly reason: string; readonly retryAfterMs?: number },
): VarveError {
  return new VarveError(code, 'A failure of the model.', { details });
}

/** A token holds the moment of its first page, as those of a real server do. */
function pageOf(
  now: readonly KubernetesObject[],
  { version, options }: { readonly version: number; readonly options: ListOptions },
) {
  const { limit = now.length } = options;
  const moment =
    options.continueToken === undefined
      ? { version, objects: now, at: 0 }
      : (JSON.parse(options.continueToken) as {
          version: number;
          objects: readonly KubernetesObject[];
          at: number;
        });
  const next = moment.at + limit;
  const hasMore = next < moment.objects.length;
  return {
    resourceVersion: String(moment.version),
    continueToken: hasMore ? JSON.stringify({ ...moment, at: next }) : null,
    items: moment.objects.slice(moment.at, next).map((object) => structuredClone(object)),
  };
}
