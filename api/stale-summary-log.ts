/** Remembers which stale summaries were logged: each state is logged once, not at every read. */
import { keepNewest } from '#core/keep-newest.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';

/** Maximum scopes remembered; above it, the one logged longest ago may be logged again. */
const SCOPES_MAX = 10_000;

export class StaleNotes {
  readonly #reported = new Map<string, string>();
  readonly #scopesMax: number;

  constructor(scopesMax = SCOPES_MAX) {
    this.#scopesMax = scopesMax;
  }

  /**
   * Remembers the state of a scope. Returns whether it is stale, and in another way than before.
   * @param state null if fresh
   */
  recordIfChanged(scope: Scope, state: string | null): boolean {
    const key = scopeKey(scope);
    const before = this.#reported.get(key);
    if (before === state) return false;
    if (state === null) this.#reported.delete(key);
    else keepNewest(this.#reported, this.#scopesMax, [key, state]);
    return state !== null;
  }
}
