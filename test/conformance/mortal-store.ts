/** A store as the suites see it, whatever keeps its records: it dies, and opens on what is left. */
import type { Store } from '#core/ports/store.ts';

import type { Opened } from './adapter.ts';
import type { Mortality } from './mortality.ts';

export interface Kept extends Pick<Opened, 'dump' | 'raw' | 'stepsMin'> {
  /** Opens a store on all that others left; it dies as `mortal` says. */
  readonly open: () => Promise<Store>;
  readonly mortal: Mortality;
  /** Removes what was kept, once no store is open. */
  readonly remove: () => Promise<void>;
}

export async function openMortal(kept: Kept): Promise<Opened> {
  const { open, mortal, remove, ...rest } = kept;
  let store = await open();
  return {
    ...rest,
    get store() {
      return store;
    },
    async reopen() {
      mortal.revive();
      await store[Symbol.asyncDispose]();
      store = await open();
      return store;
    },
    dieAt(step) {
      mortal.dieAt(step);
    },
    hasDied: () => mortal.hasDied(),
    async [Symbol.asyncDispose]() {
      mortal.revive();
      await store[Symbol.asyncDispose]();
      await remove();
    },
  };
}
