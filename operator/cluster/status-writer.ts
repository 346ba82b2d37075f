/** The one status write of a reconcile: a server-side apply over the version that was looked at. */
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { Clock } from '#core/ports/platform.ts';
import { leadingEpoch, type Leadership } from './context.ts';
import { STATUS_OWNER } from './annotations.ts';
import { statusDecision, type StatusDecision } from './status-write.ts';

/** Resources whose last write is remembered; for others a counter may be written too early. */
const REMEMBERED_MAX = 100_000;

export interface StatusWriterOptions {
  readonly api: Pick<KubernetesApi, 'apply'>;
  readonly clock: Clock;
  readonly leadership: Leadership;
}

export interface StatusWrite {
  readonly type: ResourceType;
  /** As it was when it was looked at. */
  readonly object: KubernetesObject;
  readonly status: object;
  readonly signal: AbortSignal;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** By uid. */
  readonly #writtenAt = new Map<string, number>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes what differs, and says what it did.
   * @throws VarveError CONFLICT where the resource is another version by now; what the API throws
   */
  async write({ type, object, status, signal }: StatusWrite): Promise<StatusDecision> {
    const { api, clock, leadership } = this.#options;
    const { name, namespace, uid = '', resourceVersion } = object.metadata;
    const now = clock();
    const writtenAt = this.#writtenAt.get(uid) ?? null;
    const decision = statusDecision(object['status'], status, { now, writtenAt });
    if (decision.kind !== 'Write') return decision;
    leadingEpoch({ leadership });
    const place = { name, ...(namespace === undefined ? {} : { namespace }) };
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    await api.apply(
      type,
      {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { ...place, uid, ...version },
        status,
      },
      { subresource: 'status', fieldManager: STATUS_OWNER, force: true, signal },
    );
    this.#remember(uid, now);
    return decision;
  }

  /** The resource is gone. */
  forget(uid: string): void {
    this.#writtenAt.delete(uid);
  }

  #remember(uid: string, now: number): void {
    this.#writtenAt.delete(uid);
    this.#writtenAt.set(uid, now);
    if (this.#writtenAt.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#writtenAt.keys()) {
      this.#writtenAt.delete(oldest);
      return;
    }
  }
}
