/** Which resources were changed and have no effect yet, and for how long that has been seen. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { fieldOf } from '../tenant/conditions.ts';

export interface UnsyncedAge {
  /** `MemoryTenant` */
  readonly kind: string;
  /** Of the oldest one; 0 where there is none. */
  readonly forMs: number;
}

/** Times count from the first look that saw a generation: as exact as looks are often. */
export class PendingChanges {
  #since: ReadonlyMap<string, number> = new Map();

  /** Remembers no more than what is unsynced now. */
  look(objects: ReadonlyMap<string, readonly KubernetesObject[]>, now: number): UnsyncedAge[] {
    const since = new Map<string, number>();
    const ages = [...objects].map(([kind, all]) => {
      const unsynced = all.filter((object) => isUnsynced(object));
      const starts = unsynced.map((object) => {
        const key = `${object.metadata.uid ?? ''} ${String(object.metadata.generation)}`;
        const start = this.#since.get(key) ?? now;
        since.set(key, start);
        return start;
      });
      return { kind, forMs: starts.reduce((longest, at) => Math.max(longest, now - at), 0) };
    });
    this.#since = since;
    return ages;
  }
}

function isUnsynced({ metadata, status }: KubernetesObject): boolean {
  const { generation } = metadata;
  return generation !== undefined && fieldOf(status, 'observedGeneration') !== generation;
}
