/** Which policies a process has enforced, and when each is looked at again. */
import { CLUSTER_RESYNC_MS, RESYNC_SPREAD } from '../resync.ts';
import type { Place } from './enforce-policy.ts';

interface Entry {
  readonly hash: string;
  readonly dueAt: number;
}

/**
 * Which policies this process has enforced to the end, and when: reading every scope of every
 * tenant again and again would be most of the work. Owned by who reconciles; an entry lives as long
 * as its tenant is reconciled. In a cluster it counts for about a quarter of an hour, since the
 * outside world sends no word of what changes in it.
 */
export class EnforcedPolicies {
  readonly #entries = new Map<string, Entry>();
  /** How far policies are enforced that take several runs. */
  readonly #begun = new Map<string, { readonly hash: string; readonly after: Place }>();

  /** Whether limits and due marks have to be looked at. */
  isDue(tenant: string, hash: string, now: number): boolean {
    const entry = this.#entries.get(tenant);
    return entry === undefined || entry.hash !== hash || entry.dueAt <= now;
  }

  /** Whether this process had enforced this very policy before. */
  isKnown(tenant: string, hash: string): boolean {
    return this.#entries.get(tenant)?.hash === hash;
  }

  /** The hash of the policy that this process last enforced; null where it did none. */
  hashOf(tenant: string): string | null {
    return this.#entries.get(tenant)?.hash ?? null;
  }

  /** Where the run before ended; null for one that starts over. */
  goesOnAfter(tenant: string, hash: string): Place | null {
    const begun = this.#begun.get(tenant);
    return begun?.hash === hash ? begun.after : null;
  }

  /** Whether there is a policy whose next run has to go on at once. */
  isAnyBegun(): boolean {
    return this.#begun.size > 0;
  }

  /** Null where nothing is begun any more. */
  begun(tenant: string, hash: string, after: Place | null): void {
    if (after === null) this.#begun.delete(tenant);
    else this.#begun.set(tenant, { hash, after });
  }

  /** @param at.random at least 0 and below 1 */
  done(tenant: string, at: { hash: string; now: number; random: number }): void {
    const dueAt = at.now + CLUSTER_RESYNC_MS * (1 + RESYNC_SPREAD * at.random);
    this.#entries.set(tenant, { hash: at.hash, dueAt });
  }

  /** Another policy is in force, or none is: nothing is known of what it means. */
  delete(tenant: string): void {
    this.#entries.delete(tenant);
    this.#begun.delete(tenant);
  }

  /** Everything is looked at again, at once. */
  expire(): void {
    this.#begun.clear();
    for (const [tenant, { hash }] of this.#entries) this.#entries.set(tenant, { hash, dueAt: 0 });
  }
}
