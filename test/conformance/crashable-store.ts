/** A store over any database, as the suites see it: it dies, and opens again on what is left. */
import type { Store } from '#core/ports/store.ts';

import type { Opened } from './adapter.ts';
import type { CrashPoint } from './crash-point.ts';

export interface Kept extends Pick<Opened, 'dump' | 'raw' | 'stepsMin'> {
  /** Opens a store on all that others left; it dies as `crashPoint` says. */
  readonly open: () => Promise<Store>;
  readonly crashPoint: CrashPoint;
  /** Removes what was kept, once no store is open. */
  readonly remove: () => Promise<void>;
}

export async function openCrashable(kept: Kept): Promise<Opened> {
  const { open, crashPoint, remove, ...rest } = kept;
  let store = await open();
  return {
    ...rest,
    get store() {
      return store;
    },
    async reopen() {
      crashPoint.revive();
      await store[Symbol.asyncDispose]();
      store = await open();
      return store;
    },
    crashAt(step) {
      crashPoint.crashAt(step);
    },
    hasCrashed: () => crashPoint.hasCrashed(),
    async [Symbol.asyncDispose]() {
      crashPoint.revive();
      await store[Symbol.asyncDispose]();
      await remove();
    },
  };
}
