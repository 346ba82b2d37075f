/**
 * Runs operations that read, decide and write under one anchor.
 *
 * Flow: while a commit of an anchor is in progress, further operations on it queue up. They then
 * run one after another, each on top of the writes of the ones before, and commit together through
 * one compare-and-set of the anchor's revision. If another process committed first, all of them
 * run again on the new state.
 *
 * Guarantees: an operation resolves once its writes are durable; an operation that throws writes
 * nothing and does not affect the others.
 *
 * Assumes that an operation only reads and writes through its transaction, since it may run again.
 */
import { keepNewest } from '#core/keep-newest.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import type { NewId } from '#core/ports/platform.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import {
  recordKey,
  keyText,
  type AnyKind,
  type Key,
  type RecordKind,
  columnValue,
  type Value,
  COMMIT_LENGTH_MAX,
  COMMIT_WRITES_MAX,
  type Anchor,
  type Driver,
  type Scan,
  type Write,
  type FieldCondition,
} from './storage-driver.ts';

/** Maximum operations of one commit; the others wait for the next commit. */
const OPERATIONS_MAX = 256;
/** Maximum tries against writers in other processes, with a pause after each. */
const TRIES_MAX = 64;
const PAUSE_MS_MAX = 20;
/** Maximum failed tries of one commit, including those whose outcome the anchor shows. */
const FAILURES_MAX = 3;
/** Error codes that a lost connection or a slow server causes. */
const RETRYABLE: ReadonlySet<string> = new Set(['PROVIDER_ERROR', 'TIMEOUT']);
/**
 * Sizes that `lengthOf` assumes: of an object without its values, a number, a byte beyond ASCII.
 */
const RECORD_LENGTH = 100;
const NUMBER_LENGTH = 8;
const BEYOND_ASCII = 4;
/** Maximum anchors whose last state this process remembers; the least recently used go first. */
const REMEMBERED_MAX = 1_000;

/** The interface through which an operation reads and writes. */
export interface Transaction<R extends object> {
  /** The anchor as the previous operations left it; null if it does not exist. */
  readonly record: R | null;
  /** Sets the new state of the anchor; null deletes it. */
  readonly set: (record: R | null) => void;
  readonly get: <C extends object>(kind: RecordKind<C>, key: Key) => Promise<C | null>;
  readonly scan: <C extends object>(kind: RecordKind<C>, scan: Scan) => Promise<C[]>;
  /** Writes a record that belongs to the anchor. */
  readonly put: <C extends object>(kind: RecordKind<C>, record: C) => void;
  readonly delete: <C extends object>(kind: RecordKind<C>, key: Key) => void;
  /** Inserts a record that belongs to no anchor, unless its key is taken. */
  readonly insert: <C extends object>(kind: RecordKind<C>, record: C) => void;
}

export interface ReadAhead {
  readonly kind: AnyKind;
  readonly key: Key;
}

export function readAhead<R extends object>(kind: RecordKind<R>, key: Key): ReadAhead {
  return { kind: kind, key };
}

export interface AnchoredWrite<R extends object, T> {
  /**
   * Reads to do in one go for all operations of a commit; an operation may read more as it runs.
   */
  readonly reads?: readonly ReadAhead[];
  readonly run: (transaction: Transaction<R>) => T | Promise<T>;
}

interface Waiting<R extends object> {
  readonly operation: AnchoredWrite<R, unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface Queue<R extends object> {
  readonly name: string;
  readonly kind: RecordKind<R>;
  readonly key: Key;
  /** Bounded by the callers: each waits for its own operation. */
  waiting: Waiting<R>[];
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface ConcurrentWritesOptions {
  readonly driver: Driver;
  readonly newId: NewId;
  /** Returns a number from 0 to 1, which sets the length of pauses. */
  readonly random: () => number;
}

export class ConcurrentWrites {
  readonly #driver: Driver;
  readonly #random: () => number;
  /** Identifies this instance among those of all processes. */
  readonly #writer: string;
  #commits = 0;
  readonly #queues = new Map<string, Queue<never>>();
  /** Only a guess: a commit based on an outdated state fails. */
  readonly #remembered = new Map<string, Anchor<object>>();

  constructor({ driver, newId, random }: ConcurrentWritesOptions) {
    this.#driver = driver;
    this.#random = random;
    this.#writer = newId();
  }

  /**
   * Runs an operation and resolves once its writes are durable.
   * @throws VarveError CONFLICT, retryable, if other processes keep writing to the anchor; and
   * whatever the operation throws
   */
  run<R extends object, T>(
    kind: RecordKind<R>,
    key: Key,
    operation: AnchoredWrite<R, T> | AnchoredWrite<R, T>['run'],
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const whole = typeof operation === 'function' ? { run: operation } : operation;
    const name = `${kind.name} ${keyText(key)}`;
    const queue = this.#queues.get(name) as Queue<R> | undefined;
    const waiting: Waiting<R> = { operation: whole, resolve, reject };
    if (queue !== undefined) {
      queue.waiting.push(waiting);
      return promise;
    }
    const opened: Queue<R> = { name, kind, key, waiting: [waiting] };
    this.#queues.set(name, opened as unknown as Queue<never>);
    this.#drain(opened).catch(reject);
    return promise;
  }

  /** Never rejects: failures go to the callers that wait. */
  async #drain<R extends object>(queue: Queue<R>): Promise<void> {
    // Groups operations requested in the same turn, such as the items of a bulk call.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, OPERATIONS_MAX);
      try {
        const left = await this.#commitTogether(queue, batch);
        queue.waiting = [...left, ...queue.waiting];
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(queue.name);
  }

  /** Commits what fits and returns the operations that did not fit. */
  async #commitTogether<R extends object>(
    queue: Queue<R>,
    batch: readonly Waiting<R>[],
  ): Promise<readonly Waiting<R>[]> {
    this.#commits += 1;
    const id = `${this.#writer}/${String(this.#commits)}`;
    const tried: Ran<R>[] = [];
    let failures = 0;
    const remembered = this.#remembered.get(queue.name) as Anchor<R> | undefined;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const guess = tries === 0 ? remembered : undefined;
      try {
        const ran = await this.#attempt(queue, batch, id, tried, guess);
        if (ran !== null) {
          resolveAll(batch, ran.outcomes);
          return batch.slice(ran.outcomes.length);
        }
      } catch (failure) {
        // A failed commit may still be durable: the next read of the anchor shows it.
        failures += 1;
        const isUnknown = tried.length > 0 && !this.#driver.namesCommits;
        if (isUnknown || !isRetryable(failure) || failures === FAILURES_MAX) throw failure;
      }
      if (guess === undefined) await sleep(PAUSE_MS_MAX * this.#random());
    }
    throw new VarveError(
      'CONFLICT',
      `Other processes kept changing the same ${queue.kind.name}. Try again.`,
      { details: { triesMax: TRIES_MAX } },
    );
  }

  /**
   * Returns what ran if it is committed or wrote nothing; null if it has to run again.
   * @param tried the tries of this commit in order, each with its own id
   * @param guess the anchor as last seen
   */
  async #attempt<R extends object>(
    queue: Queue<R>,
    batch: readonly Waiting<R>[],
    id: string,
    tried: Ran<R>[],
    guess: Anchor<R> | undefined,
  ): Promise<Ran<R> | null> {
    const { name, kind, key } = queue;
    const anchor = guess ?? (await this.#driver.anchor(kind, key));
    const done = tried.find((_, at) => anchor.commits.includes(commitId(id, at + 1)));
    if (done !== undefined) return done;
    const ran = await this.#runAll(queue, anchor, batch);
    // A decision to write nothing rests on the anchor alone, so a guess is not enough.
    if (guess !== undefined && !ran.isCertain) return null;
    if (!ran.isWritten) return ran;
    this.#remembered.delete(name);
    tried.push(ran);
    const { record, inserts, uncommitted } = ran;
    const { writes, newest } = uncommitted;
    const named = { kind, key, writer: this.#writer, id: commitId(id, tried.length) };
    const commit = { ...named, anchor, record, writes, newest, inserts };
    const after = await this.#driver.commit(commit);
    if (after === null) return null;
    keepNewest(this.#remembered, REMEMBERED_MAX, [name, after]);
    return ran;
  }

  async #runAll<R extends object>(
    queue: Queue<R>,
    anchor: Anchor<R>,
    batch: readonly Waiting<R>[],
  ): Promise<Ran<R>> {
    const uncommitted = new UncommittedWrites(this.#driver);
    await uncommitted.readAhead(batch.flatMap(({ operation }) => [...(operation.reads ?? [])]));
    const ran: Ran<R> = {
      outcomes: [],
      uncommitted,
      inserts: [],
      record: anchor.record,
      isWritten: false,
      isCertain: true,
      length: 0,
    };
    for (const { operation } of batch) {
      if (!(await runOne(queue, ran, operation))) break;
    }
    return ran;
  }
}

/** The progress of the operations of a commit. */
interface Ran<R extends object> {
  readonly outcomes: Outcome[];
  readonly uncommitted: UncommittedWrites;
  readonly inserts: (Write & { readonly record: object })[];
  record: R | null;
  isWritten: boolean;
  /** False if an operation decided to write nothing. */
  isCertain: boolean;
  /** Characters of the records. */
  length: number;
}

/** Returns false, and leaves the operation out, if its writes do not fit the commit. */
async function runOne<R extends object>(
  { kind, key }: Queue<R>,
  ran: Ran<R>,
  operation: AnchoredWrite<R, unknown>,
): Promise<boolean> {
  const { uncommitted } = ran;
  let { record } = ran;
  let isSet = false;
  let length = 0;
  const inserts: Ran<R>['inserts'] = [];
  const transaction: Transaction<R> = {
    get record() {
      return record;
    },
    set(next) {
      record = next;
      isSet = true;
    },
    get: (child, at) => uncommitted.get(child, at),
    scan: (child, scan) => uncommitted.scan(child, scan),
    put(child, written) {
      length += lengthOf(written);
      uncommitted.write(child, recordKey(child, written), written);
    },
    delete(child, at) {
      uncommitted.write(child, at, null);
    },
    insert(child, written) {
      length += lengthOf(written);
      inserts.push({ kind: child, key: recordKey(child, written), record: written });
    },
  };
  let outcome: Outcome;
  try {
    outcome = { value: await operation.run(transaction) };
  } catch (error) {
    uncommitted.discard();
    ran.outcomes.push({ error });
    ran.isCertain = false;
    return true;
  }
  const writes = uncommitted.writes.length + uncommitted.pendingWrites + inserts.length;
  const isWritten = isSet || uncommitted.pendingWrites > 0 || inserts.length > 0;
  const isTooLarge = writes > COMMIT_WRITES_MAX || ran.length + length > COMMIT_LENGTH_MAX;
  if (isTooLarge && ran.outcomes.length > 0) {
    uncommitted.discard();
    return false;
  }
  if (isTooLarge && writes > COMMIT_WRITES_MAX) {
    throw new RangeError(`A commit of ${kind.name} ${keyText(key)} has ${String(writes)} writes.`);
  }
  uncommitted.accept();
  ran.record = record;
  ran.isWritten ||= isWritten;
  ran.isCertain &&= isWritten;
  ran.length += length;
  ran.inserts.push(...inserts);
  ran.outcomes.push(outcome);
  return true;
}

function commitId(id: string, tries: number): string {
  return `${id}/${String(tries)}`;
}

function isRetryable(failure: unknown): boolean {
  return failure instanceof VarveError && RETRYABLE.has(failure.code);
}

function resolveAll<R extends object>(
  batch: readonly Waiting<R>[],
  outcomes: readonly Outcome[],
): void {
  for (const [at, outcome] of outcomes.entries()) {
    const waiting = batch[at];
    if ('error' in outcome) waiting?.reject(outcome.error);
    else waiting?.resolve(outcome.value as never);
  }
}

/**
 * Estimates the size of a record without serializing it. Text beyond ASCII weighs more: it takes
 * more bytes, and a database keeps more terms of it.
 */
function lengthOf(value: unknown): number {
  if (typeof value === 'string')
    return value.length + BEYOND_ASCII * (utf8Bytes(value) - value.length);
  if (Array.isArray(value)) {
    const isNumbers = typeof value[0] === 'number';
    return isNumbers ? NUMBER_LENGTH * value.length : sumOf(value);
  }
  if (typeof value !== 'object' || value === null) return NUMBER_LENGTH;
  return RECORD_LENGTH + sumOf(Object.values(value));
}

function sumOf(values: readonly unknown[]): number {
  return values.reduce((sum: number, each) => sum + lengthOf(each), 0);
}

interface Pending<R extends object> {
  readonly kind: RecordKind<R>;
  readonly key: Key;
  readonly record: R | null;
}

/**
 * What the operations of one commit have read and written so far, on top of the driver's data. Each
 * operation sees the writes of those before it; a failed operation leaves no writes.
 */
class UncommittedWrites {
  readonly #driver: Driver;
  /** Records read ahead of the operations that ask for them, by kind and key. */
  readonly #read = new Map<string, object | null>();
  #accepted = new Map<string, Pending<never>>();
  #current = new Map<string, Pending<never>>();
  #newest = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Reads, at once, records that operations will ask for one by one. */
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

  /** The newest revision of the records that were read by key. */
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
    // Each pending write may replace a record that is found, so read that many more.
    const limit = scan.limit + pending.length;
    const found = await this.#driver.scan(kind, { ...scan, limit });
    const changed = new Set(pending.map(({ key }) => keyText(key)));
    const kept = found.filter((record) => !changed.has(keyText(recordKey(kind, record))));
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

/** Compares as the databases do: null is no value, neither above nor below one. */
function holds(value: Value, [, operator, wanted]: FieldCondition): boolean {
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

/** Sorts null first, numbers by size and texts by their UTF-8 bytes, as SQLite and MongoDB do. */
function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
  // UTF-16 puts surrogates below the last code points of the first plane; UTF-8 does not.
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
