/** Which stale summaries were logged already: a state is logged once, and not at every read. */
import { scopeKey, type Scope } from '#core/scope.ts';

/** Scopes that are remembered; beyond that, the one logged longest ago may be logged again. */
const SCOPES_MAX = 10_000;

export class StaleNotes {
  readonly #told = new Map<string, string>();
  readonly #scopesMax: number;

  constructor(scopesMax = SCOPES_MAX) {
    this.#scopesMax = scopesMax;
  }

  /** Whether this is another state than the last one of the scope. @param state null where fresh */
  isNews(scope: Scope, state: string | null): boolean {
    const key = scopeKey(scope);
    const before = this.#told.get(key);
    if (before === state) return false;
    this.#told.delete(key);
    if (state === null) return false;
    const [oldest] = this.#told.keys();
    if (oldest !== undefined && this.#told.size >= this.#scopesMax) this.#told.delete(oldest);
    this.#told.set(key, state);
    return true;
  }
}
