/** What the store suites need from an adapter, and the store that one suite shares. */
import type { Store } from '#core/ports/store.ts';
import { shared } from '#test/shared-fixture.ts';

/** A store of its own, opened on nothing. */
export interface Opened extends AsyncDisposable {
  /** The open store; another object after `reopen`. */
  readonly store: Store;
  /** Closes the store, as far as it is still open, and opens what it left behind. */
  reopen(): Promise<Store>;
  /** Everything that the store holds, without what depends on when it was opened. */
  dump(): Promise<unknown>;
  /** The text of all that lies where the store keeps it, traces of former writes included. */
  raw(): Promise<string>;
  /** Lets the store die at the given step from now on, counted from 0: nothing works after it. */
  crashAt(step: number): void;
  /** Whether it came to that step. */
  hasCrashed(): boolean;
  /** Steps of the shortest write: at least before it, and after it without word of it. */
  readonly stepsMin: number;
}

export type Open = () => Promise<Opened>;

export interface Fixture {
  readonly store: Store;
  /** A tenant that no other test has. */
  readonly tenant: string;
}

let tenantsMade = 0;

export function newTenant(): string {
  tenantsMade += 1;
  return `tenant-${tenantsMade}`;
}

/** One store for the tests of a suite; each call gives a tenant of its own. */
export function sharedStore(open: Open): () => Fixture {
  const opened = shared(open);
  return () => ({ store: opened().store, tenant: newTenant() });
}
