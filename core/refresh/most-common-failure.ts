/** Finds the most common reason why a tenant's scopes are not summarized. */
import type { ScopeRecord } from '../records/scope-record.ts';

/** The most codes to count, more than the error table has; others are ignored. */
const CODES_MAX = 64;

export interface StatusFailure {
  readonly code: string;
  /** Reason of the latest dead letter with the code; null if all scopes will be retried. */
  readonly reason: string | null;
  readonly scopes: number;
  /** When the current series of such failures began. */
  readonly since: number;
}

export interface FailureCounts {
  /** Adds a scope with a code and its start time, and its dead letter if it has one. */
  add(code: string, since: number, letter: ScopeRecord['deadLetter']): void;
  /** Ties go to the first by name, so that the result is stable. */
  mostCommon(): StatusFailure | null;
}

export function createFailureCounts(): FailureCounts {
  const byCode = new Map<string, StatusFailure & { readonly at: number }>();
  return {
    add(code, since, letter) {
      const known = byCode.get(code);
      if (known === undefined && byCode.size >= CODES_MAX) return;
      const before = known ?? { code, reason: null, scopes: 0, since, at: -1 };
      const isLatest = letter !== null && letter.at > before.at;
      const last = isLatest ? { reason: letter.reason, at: letter.at } : {};
      const first = Math.min(before.since, since);
      byCode.set(code, { ...before, ...last, since: first, scopes: before.scopes + 1 });
    },
    mostCommon() {
      const [first] = [...byCode.values()].toSorted(
        (a, b) => b.scopes - a.scopes || (a.code < b.code ? -1 : 1),
      );
      if (first === undefined) return null;
      const { code, reason, scopes, since } = first;
      return { code, reason, scopes, since };
    },
  };
}
