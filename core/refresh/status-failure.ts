/** Why scopes of a tenant are not summarized: of many reasons the one that most of them have. */
import type { ScopeRecord } from '../records/scope-record.ts';

/** Codes that are listed one by one, more than the table of errors has; others are left out. */
const CODES_MAX = 64;

export interface StatusFailure {
  readonly code: string;
  /** Of the latest scope that was given up with the code; null where all are tried again. */
  readonly reason: string | null;
  readonly scopes: number;
  /** When the first of them failed so, of those in a row. */
  readonly since: number;
}

export interface FailureFold {
  /** A scope with a code, and since when; with its dead letter where it was given up. */
  add(code: string, since: number, letter: ScopeRecord['deadLetter']): void;
  /** Of equally many the first by name, so that the answer does not change without a reason. */
  most(): StatusFailure | null;
}

export function failureFold(): FailureFold {
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
    most() {
      const [first] = [...byCode.values()].toSorted(
        (a, b) => b.scopes - a.scopes || (a.code < b.code ? -1 : 1),
      );
      if (first === undefined) return null;
      const { code, reason, scopes, since } = first;
      return { code, reason, scopes, since };
    },
  };
}
