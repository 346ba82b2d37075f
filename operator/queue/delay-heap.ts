/** Keys in the order of their times; each key at most once, so its size is bounded by the keys. */

interface Entry {
  readonly key: string;
  readonly at: number;
  /** Which was put in first, among those of the same time. */
  readonly turn: number;
}

/** A binary heap that knows where each key stands. All steps are logarithmic. */
export class DelayHeap {
  readonly #entries: Entry[] = [];
  readonly #places = new Map<string, number>();
  #turns = 0;

  first(): Entry | null {
    return this.#entries[0] ?? null;
  }

  /** Puts a key in, or moves it to another time. */
  put(key: string, at: number): void {
    this.remove(key);
    this.#turns += 1;
    this.#entries.push({ key, at, turn: this.#turns });
    this.#rise(this.#entries.length - 1);
  }

  remove(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const last = this.#entries.pop();
    this.#places.delete(key);
    if (last === undefined || last.key === key) return;
    this.#set(place, last);
    this.#rise(place);
    this.#sink(this.#places.get(last.key) ?? place);
  }

  #set(place: number, entry: Entry): void {
    this.#entries[place] = entry;
    this.#places.set(entry.key, place);
  }

  #rise(from: number): void {
    const entry = this.#entries[from];
    if (entry === undefined) return;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#entries[above];
      if (other === undefined || !isEarlier(entry, other)) break;
      this.#set(place, other);
      place = above;
    }
    this.#set(place, entry);
  }

  #sink(from: number): void {
    const entry = this.#entries[from];
    if (entry === undefined) return;
    let place = from;
    for (;;) {
      const below = this.#earlierBelow(place);
      const other = this.#entries[below];
      if (other === undefined || !isEarlier(other, entry)) break;
      this.#set(place, other);
      place = below;
    }
    this.#set(place, entry);
  }

  #earlierBelow(place: number): number {
    const left = 2 * place + 1;
    const right = left + 1;
    const [a, b] = [this.#entries[left], this.#entries[right]];
    return a !== undefined && b !== undefined && isEarlier(b, a) ? right : left;
  }
}

function isEarlier(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn);
}
