/** Which stale summaries were told already: a state is told once, and not at every read of it. */
import { scopeKey, type Scope } from '#core/scope.ts';

/** Scopes that are remembered; of more, the one told longest ago may be told again. */
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
