/** Which policies a process has enforced, and when to check each again. */
import { CLUSTER_RESYNC_MS, RESYNC_SPREAD } from '../resync-intervals.ts';
import type { ScopePlace } from './enforce-policy.ts';

/**
 * The policies that this process has fully enforced, and when: reading every scope of every tenant
 * again and again would be most of the work. Owned by the caller; an entry lasts as long as its
 * tenant is reconciled. In a cluster an entry counts for about a quarter of an hour, since outside
 * systems send no notification of changes.
 */
export class EnforcedPolicies {
  readonly #entries = new Map<string, { hash: string; dueAt: number }>();
  /** The progress of policies that take several runs. */
  readonly #begun = new Map<string, { readonly hash: string; readonly after: ScopePlace }>();

  /** Whether limits and due marks have to be checked. */
  isDue(tenant: string, hash: string, now: number): boolean {
    const entry = this.#entries.get(tenant);
    return entry === undefined || entry.hash !== hash || entry.dueAt <= now;
  }

  /** Whether this process has enforced exactly this policy before. */
  isKnown(tenant: string, hash: string): boolean {
    return this.#entries.get(tenant)?.hash === hash;
  }

  /** The hash of the policy that this process last enforced; null if it enforced none. */
  hashOf(tenant: string): string | null {
    return this.#entries.get(tenant)?.hash ?? null;
  }

  /** Where the previous run ended; null to start over. */
  goesOnAfter(tenant: string, hash: string): ScopePlace | null {
    const begun = this.#begun.get(tenant);
    return begun?.hash === hash ? begun.after : null;
  }

  /** Whether a policy has a next run that must continue at once. */
  isAnyBegun(): boolean {
    return this.#begun.size > 0;
  }

  /** Records where a run ended; null if the next run need not continue from it. */
  begun(tenant: string, hash: string, after: ScopePlace | null): void {
    if (after === null) this.#begun.delete(tenant);
    else this.#begun.set(tenant, { hash, after });
  }

  /** Records that a policy is fully enforced. @param at.random at least 0 and below 1 */
  done(tenant: string, at: { hash: string; now: number; random: number }): void {
    const dueAt = at.now + CLUSTER_RESYNC_MS * (1 + RESYNC_SPREAD * at.random);
    this.#entries.set(tenant, { hash: at.hash, dueAt });
  }

  /** Forgets a tenant, since another policy or none is in force. */
  delete(tenant: string): void {
    this.#entries.delete(tenant);
    this.#begun.delete(tenant);
  }

  /** Makes every policy due again, at once. */
  expire(): void {
    this.#begun.clear();
    for (const [tenant, { hash }] of this.#entries) this.#entries.set(tenant, { hash, dueAt: 0 });
  }
}
