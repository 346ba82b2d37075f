/**
 * The state of a workqueue, without any waiting: delayed, ready and running keys.
 *
 * Guarantees, whatever the order of the calls:
 * - a key never runs twice at once;
 * - a key that is added while it runs, runs again afterwards;
 * - a key that is added is here once, at its earliest time and its highest priority;
 * - a key that was accepted runs: it only leaves by being taken.
 *
 * Times are milliseconds of one monotonic clock, passed as arguments.
 */

/** Real changes come before keys that were only listed, so that a start does not starve them. */
export type Priority = 'Change' | 'Listed';

/** Limit of keys. One key is one object; far more means that a namespace is being misused. */
export const KEYS_MAX = 100_000;
/** Changes taken in a row while a listed key waits; then a listed key has its turn. */
const CHANGES_IN_ROW_MAX = 10;

export interface WorkItem {
  readonly key: string;
  readonly priority: Priority;
  /** The earliest time at which it may run. */
  readonly readyAt: number;
}

export class WorkItems {
  readonly #keysMax: number;
  readonly #timers = new Map<string, WorkItem>();
  readonly #times = new DelayHeap();
  /** In the order in which they became ready. */
  readonly #ready = { Change: new Map<string, WorkItem>(), Listed: new Map<string, WorkItem>() };
  readonly #running = new Set<string>();
  /** Keys that were added while they ran. */
  readonly #again = new Map<string, WorkItem>();
  #changesInRow = 0;

  constructor(keysMax = KEYS_MAX) {
    this.#keysMax = keysMax;
  }

  /** Keys that could run now. */
  get depth(): number {
    return this.#ready.Change.size + this.#ready.Listed.size;
  }

  /** Keys that have to run, now or later. */
  get size(): number {
    return this.depth + this.#timers.size + this.#again.size;
  }

  /** `Known` if the key was already here; `Full` if it was not accepted. */
  add(key: string, options: Omit<WorkItem, 'key'>): 'Added' | 'Known' | 'Full' {
    const known = this.#find(key);
    if (known === null && this.size >= this.#keysMax) return 'Full';
    this.#place({ key, ...options }, known);
    return known === null ? 'Added' : 'Known';
  }

  /** Puts back a key that was taken, for a later time. This always has room. */
  putBack(key: string, options: Omit<WorkItem, 'key'>): void {
    this.#place({ key, ...options }, this.#find(key));
  }

  /** Takes the next key to run; null if none is ready. */
  take(now: number): WorkItem | null {
    this.#ripen(now);
    const item = this.#next();
    if (item === null) return null;
    this.#ready[item.priority].delete(item.key);
    this.#running.add(item.key);
    return item;
  }

  /** Marks a key as no longer running. */
  finish(key: string): void {
    this.#running.delete(key);
    const again = this.#again.get(key);
    if (again === undefined) return;
    this.#again.delete(key);
    this.#wait(again);
  }

  /** When the first delayed key becomes ready; null if none is delayed. */
  nextAt(): number | null {
    return this.#times.first()?.at ?? null;
  }

  #place(added: WorkItem, known: WorkItem | null): void {
    const item = merged(added, known);
    // A key that is here with the right time and priority keeps its turn.
    if (item === known) return;
    this.#remove(item.key);
    if (this.#running.has(item.key)) this.#again.set(item.key, item);
    else this.#wait(item);
  }

  #wait(item: WorkItem): void {
    this.#timers.set(item.key, item);
    this.#times.put(item.key, item.readyAt);
  }

  #ripen(now: number): void {
    for (let first = this.#times.first(); first !== null; first = this.#times.first()) {
      if (first.at > now) return;
      this.#times.remove(first.key);
      const item = this.#timers.get(first.key);
      this.#timers.delete(first.key);
      if (item !== undefined) this.#ready[item.priority].set(item.key, item);
    }
  }

  #next(): WorkItem | null {
    const [change, listed] = [firstOf(this.#ready.Change), firstOf(this.#ready.Listed)];
    const isTurnOfListed = this.#changesInRow >= CHANGES_IN_ROW_MAX && listed !== null;
    if (change === null || isTurnOfListed) {
      this.#changesInRow = 0;
      return listed;
    }
    this.#changesInRow += 1;
    return change;
  }

  /** The item of a key, running or not. */
  #find(key: string): WorkItem | null {
    const { Change, Listed } = this.#ready;
    const found = Change.get(key) ?? Listed.get(key) ?? this.#timers.get(key);
    return found ?? this.#again.get(key) ?? null;
  }

  #remove(key: string): void {
    for (const items of [this.#timers, this.#ready.Change, this.#ready.Listed, this.#again]) {
      items.delete(key);
    }
    this.#times.remove(key);
  }
}

/** Returns the earlier time and the higher priority; the known item itself if nothing changes. */
function merged(added: WorkItem, known: WorkItem | null): WorkItem {
  if (known === null) return added;
  const priority = added.priority === 'Change' ? 'Change' : known.priority;
  const readyAt = Math.min(added.readyAt, known.readyAt);
  if (priority === known.priority && readyAt === known.readyAt) return known;
  return { key: known.key, priority, readyAt };
}

function firstOf(items: ReadonlyMap<string, WorkItem>): WorkItem | null {
  for (const item of items.values()) return item;
  return null;
}

interface Entry {
  readonly key: string;
  readonly at: number;
  /** The order of insertion, among entries of the same time. */
  readonly turn: number;
}

/** A binary heap that knows the position of each key. All steps are logarithmic. */
class DelayHeap {
  readonly #entries: Entry[] = [];
  readonly #places = new Map<string, number>();
  #turns = 0;

  first(): Entry | null {
    return this.#entries[0] ?? null;
  }

  /** Adds a key, or moves it to another time. */
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
