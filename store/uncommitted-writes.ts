/**
 * What the operations of one commit have read and written so far, over what the driver holds: each
 * sees the writes of those before it, and an operation that fails leaves none of its own.
 */
import {
  columnValue,
  keyOf,
  keyText,
  type Key,
  type RecordKind,
  type Value,
} from './record-kind.ts';
import type { Condition, Driver, Scan, Write } from './driver.ts';

interface Pending<R extends object> {
  readonly kind: RecordKind<R>;
  readonly key: Key;
  readonly record: R | null;
}

export class Overlay {
  readonly #driver: Driver;
  /** By kind and key: read ahead of the operations that ask for them. */
  readonly #read = new Map<string, object | null>();
  #accepted = new Map<string, Pending<never>>();
  #current = new Map<string, Pending<never>>();
  #newest = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Reads records at once that operations will ask for one by one. */
  async readAhead(wanted: readonly { kind: RecordKind<never>; key: Key }[]): Promise<void> {
    const byKind = Map.groupBy(wanted, ({ kind }) => kind);
    await Promise.all(
      [...byKind].map(async ([kind, reads]) => {
        const keys = [...new Map(reads.map(({ key }) => [keyText(key), key])).values()];
        const found = await this.#getMany(kind as RecordKind<object>, keys);
        for (const [at, key] of keys.entries()) this.#read.set(place(kind, key), found[at] ?? null);
      }),
    );
  }

  async get<R extends object>(kind: RecordKind<R>, key: Key): Promise<R | null> {
    const at = place(kind, key);
    const pending = this.#current.get(at) ?? this.#accepted.get(at);
    if (pending !== undefined) return pending.record;
    const known = this.#read.get(at);
    if (known !== undefined) return known as R | null;
    const [found = null] = await this.#getMany(kind, [key]);
    this.#read.set(at, found);
    return found;
  }

  /** The newest revision of what was read by its key. */
  get newest(): number {
    return this.#newest;
  }

  #getMany<R extends object>(kind: RecordKind<R>, keys: readonly Key[]): Promise<(R | null)[]> {
    return this.#driver.getMany(kind, keys, (revision) => {
      this.#newest = Math.max(this.#newest, revision);
    });
  }

  async scan<R extends object>(kind: RecordKind<R>, scan: Scan): Promise<R[]> {
    const pending = this.#pendingOf(kind);
    if (pending.length === 0) return this.#driver.scan(kind, scan);
    // Any of the pending ones may stand in the place of one that is found.
    const limit = scan.limit + pending.length;
    const found = await this.#driver.scan(kind, { ...scan, limit });
    const changed = new Set(pending.map(({ key }) => keyText(key)));
    const kept = found.filter((record) => !changed.has(keyText(keyOf(kind, record))));
    const added = pending.flatMap(({ record }) => {
      return record !== null && meets(kind, record, scan) ? [record] : [];
    });
    return [...kept, ...added].toSorted(orderOf(kind, scan)).slice(0, scan.limit);
  }

  write<R extends object>(kind: RecordKind<R>, key: Key, record: R | null): void {
    this.#current.set(place(kind, key), { kind, key, record } as Pending<never>);
  }

  /** Writes of the operation under way. */
  get pendingWrites(): number {
    return this.#current.size;
  }

  /** Keeps what the operation under way wrote. */
  accept(): void {
    for (const [at, pending] of this.#current) this.#accepted.set(at, pending);
    this.#current.clear();
  }

  /** Forgets what the operation under way wrote. */
  discard(): void {
    this.#current.clear();
  }

  /** Everything that was accepted, in the order of its first write. */
  get writes(): readonly Write[] {
    return [...this.#accepted].map(([at, { kind, key, record }]) => {
      const before = this.#read.get(at);
      const isNew = record !== null && (before ?? null) === null;
      const isContested = isNew && before === null && kind.isShared === true;
      return { kind, key, record, isNew, isContested };
    });
  }

  #pendingOf<R extends object>(kind: RecordKind<R>): readonly Pending<R>[] {
    if (this.#accepted.size === 0 && this.#current.size === 0) return [];
    const all = new Map([...this.#accepted, ...this.#current]);
    const ofKind = [...all.values()].filter((each) => (each.kind as unknown) === kind);
    return ofKind as unknown as readonly Pending<R>[];
  }
}

function place(kind: { readonly name: string }, key: Key): string {
  return `${kind.name} ${keyText(key)}`;
}

function meets<R extends object>(kind: RecordKind<R>, record: R, scan: Scan): boolean {
  if (!scan.where.every((condition) => holds(columnValue(kind, record, condition[0]), condition))) {
    return false;
  }
  const { after, order = kind.key } = scan;
  if (after === undefined) return true;
  const sign = scan.descending === true ? -1 : 1;
  const values = order.map((column) => columnValue(kind, record, column));
  return compareAll(values, after) * sign > 0;
}

/** As the databases compare: null is no value, and is neither above nor below one. */
function holds(value: Value, [, operator, wanted]: Condition): boolean {
  if (operator === 'in' || operator === 'not in') {
    const isIn = Array.isArray(wanted) && wanted.includes(value);
    return isIn === (operator === 'in');
  }
  const other = wanted as Value;
  if (operator === '=') return value === other;
  if (value === null) return operator === 'null or <=';
  const order = compareValues(value, other);
  switch (operator) {
    case '<':
      return order < 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return order <= 0;
  }
}

function orderOf<R extends object>(
  kind: RecordKind<R>,
  { order = kind.key, descending = false }: Scan,
): (a: R, b: R) => number {
  const columns = [...order, ...kind.key.filter((field) => !order.includes(field))];
  const valuesOf = (record: R) => columns.map((column) => columnValue(kind, record, column));
  return (a, b) => compareAll(valuesOf(a), valuesOf(b)) * (descending ? -1 : 1);
}

function compareAll(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, value] of b.entries()) {
    const order = compareValues(a[at] ?? null, value);
    if (order !== 0) return order;
  }
  return 0;
}

/** Null first, numbers by size, texts by their UTF-8 bytes, as SQLite and MongoDB order them. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  // UTF-16 puts surrogates below the last code points of the first plane; UTF-8 does not.
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
