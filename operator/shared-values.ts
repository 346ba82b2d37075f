/**
 * What many resources say alike, such as the defaults of a layer, is kept once in memory. Owned by
 * who keeps the resources; the values are those of JSON, and immutable.
 */

/** Values remembered, far more than are common; one that is forgotten is kept twice, no more. */
const VALUES_MAX = 512;

export class SharedValues {
  readonly #max: number;
  readonly #values = new Map<string, unknown>();

  constructor(max = VALUES_MAX) {
    this.#max = max;
  }

  /** An equal value: the first one that was given, where it is still remembered. */
  of<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#values.get(text) as T | undefined;
    const shared = known ?? value;
    // What was used last stands last, so that the first is the one to forget.
    this.#values.delete(text);
    this.#values.set(text, shared);
    if (this.#values.size > this.#max) this.#forgetOne();
    return shared;
  }

  #forgetOne(): void {
    for (const first of this.#values.keys()) {
      this.#values.delete(first);
      return;
    }
  }
}
