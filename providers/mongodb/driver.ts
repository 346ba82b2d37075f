/**
 * The driver over MongoDB, or any server that speaks its protocol. It needs no multi-document
 * transactions, and does not rely on the server to drop repeated commands.
 *
 * Flow of a commit: one compare-and-set of the anchor's document raises its revision and stores the
 * rest of the write set in it as a redo entry; then the writes are applied, each only over an older
 * document; then the caller gets its answer. The next commit replaces the entry; if none comes
 * soon, the entry is removed.
 * Guarantees: every reader of an open entry applies it first; applying it twice, or late, changes
 * nothing, since each document has the revision that wrote it, and a deleted one leaves a mark.
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Document, Sort } from 'mongodb';
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import {
  type Anchor,
  type Commit,
  type Driver,
  type Least,
  type LeastScan,
  type Write,
  recordKey,
  type AnyKind,
  type Key,
  type RecordKind,
} from '#store/storage-driver.ts';
import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import {
  decodeRecord,
  decodeWrites,
  encodeRecord,
  encodeWrites,
  filterOf,
  goneDocument,
  idOf,
  pathOf,
  sortOf,
  termOf,
  type DocumentForm,
  type RecordDocument,
  type RedoWrite,
} from './record-documents.ts';

/**
 * Commits listed in an anchor, the latest of each writer. A commit whose answer was lost can be
 * found until this many other writers have committed.
 */
const COMMITS_KEPT = 64;
/** Tries to send the writes of an entry, with backoff. */
const APPLY_TRIES_MAX = 4;
const APPLY_PAUSE_MS = 25;
const LIMITED = { maxTimeMS: COMMAND_MS_MAX } as const;

/**
 * Minimum time that an applied entry stays, half of the maximum, so that the next commit of its
 * anchor may replace it, which saves a command. Correctness does not depend on it: the next reader
 * applies a remaining entry once more, which changes nothing.
 */
const CLEAR_AFTER_MS = 20;

type Named = Pick<AnyKind, 'name'>;

interface AppliedEntry {
  readonly kind: Named;
  readonly _id: RecordDocument['_id'];
  readonly id: string;
  clearAt: number;
}

interface MongoDriverOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** Forms by the name of the kind. */
  readonly forms?: ReadonlyMap<string, DocumentForm<never>>;
}

export class MongoDriver implements Driver {
  readonly namesCommits = true;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #forms: ReadonlyMap<string, DocumentForm<never>>;
  /** Entries that are applied but not removed, by anchor; closing the driver waits for them. */
  readonly #applied = new Map<string, AppliedEntry>();
  readonly #clearing = new Set<Promise<void>>();
  /** One timer for all entries, since a timer for each would cost more than it saves. */
  #timer: NodeJS.Timeout | null = null;

  constructor({ connection, clock, forms = new Map() }: MongoDriverOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#forms = forms;
  }

  async get<R extends object>(kind: RecordKind<R>, key: Key): Promise<R | null> {
    const found = await this.#document(kind, key);
    return found === null ? null : decodeRecord(kind, found, this.#form(kind));
  }

  async getMany<R extends object>(
    kind: RecordKind<R>,
    keys: readonly Key[],
    seen: (revision: number) => void = () => undefined,
  ): Promise<(R | null)[]> {
    if (keys.length === 0) return [];
    const ids = keys.map((key) => idOf(kind as AnyKind, key));
    const found = await this.#run(kind, 'getMany', (documents) =>
      documents.find(byIds(ids), LIMITED).toArray(),
    );
    const documents = found as unknown as readonly RecordDocument[];
    for (const document of documents) {
      seen(document.revision);
      await this.#finish(kind, document);
    }
    const byId = new Map(documents.map((document) => [JSON.stringify(document._id), document]));
    return ids.map((id) => {
      const document = byId.get(JSON.stringify(id));
      return document === undefined ? null : decodeRecord(kind, document, this.#form(kind));
    });
  }

  async scan<R extends object>(
    kind: RecordKind<R>,
    scan: Parameters<Driver['scan']>[1],
  ): Promise<R[]> {
    // For MongoDB a limit of 0 means no limit.
    if (scan.limit <= 0) return [];
    const any = kind as AnyKind;
    const unscanned = ['redo', 'commits', ...(this.#form(kind)?.unscanned ?? [])];
    const found = await this.#run(kind, 'scan', (documents) =>
      documents
        .find(filterOf(any, scan), {
          ...LIMITED,
          sort: sortOf(any, scan) as Sort,
          limit: scan.limit,
          ...hintOf(scan),
          projection: Object.fromEntries(unscanned.map((field) => [field, 0])),
        })
        .toArray(),
    );
    return found.flatMap((document) => {
      const record = decodeRecord(kind, document as unknown as RecordDocument, this.#form(kind));
      return record === null ? [] : [record];
    });
  }

  async count<R extends object>(
    kind: RecordKind<R>,
    where: Parameters<Driver['count']>[1],
    most?: number,
  ): Promise<number> {
    const limit = most === undefined ? {} : { limit: most };
    return this.#run(kind, 'count', (documents) =>
      documents.countDocuments(filterOf(kind as AnyKind, { where }), { ...LIMITED, ...limit }),
    );
  }

  async least<R extends object>(kind: RecordKind<R>, scan: LeastScan): Promise<Least[]> {
    if (scan.limit <= 0) return [];
    const any = kind as AnyKind;
    const [by, path] = [pathOf(any, scan.by), pathOf(any, scan.column)];
    const where = { $and: [filterOf(any, { where: scan.where }), { [path]: { $ne: null } }] };
    if (scan.order === 'group') return this.#nextGroups(kind, where, { ...scan, by, column: path });
    const from = scan.from === undefined ? [] : [{ $match: { least: { $gte: scan.from } } }];
    const skip = scan.skip === undefined || scan.skip === 0 ? [] : [{ $skip: scan.skip }];
    const stages: Document[] = [
      { $match: where },
      { $group: { _id: `$${by}`, least: { $min: `$${path}` } } },
      ...from,
      { $sort: { least: 1, _id: 1 } },
      ...skip,
      { $limit: scan.limit },
    ];
    const rows = await this.#run(kind, 'least', (documents) =>
      documents.aggregate(stages, { ...LIMITED, ...hintOf(scan) }).toArray(),
    );
    return rows.map((row) => ({ group: String(row['_id']), least: Number(row['least']) }));
  }

  async anchor<R extends object>(kind: RecordKind<R>, key: Key): Promise<Anchor<R>> {
    const found = await this.#document(kind, key);
    if (found === null) return { record: null, revision: 0, commits: [] };
    const record = decodeRecord(kind, found, this.#form(kind));
    const { revision, commits = [], born } = found;
    return { record, revision, commits, ...(born === undefined ? {} : { born }) };
  }

  async commit<R extends object>(commit: Commit<R>): Promise<Anchor<R> | null> {
    const { kind, key, anchor, record, id, writer, newest = 0 } = commit;
    const revision = Math.max(anchor.revision, newest) + 1;
    const others = anchor.commits.filter((each) => !each.startsWith(`${writer}/`));
    const commits = [...others, id].slice(-COMMITS_KEPT);
    const born = anchor.revision === 0 ? id : anchor.born;
    const named = born === undefined ? {} : { born };
    const writes = this.#redoWrites(commit, revision);
    const redo = writes.length === 0 ? null : { id, writes: encodeWrites(writes) };
    const gone =
      record === null && anchor.record !== null ? { goneAt: new Date(this.#clock()) } : {};
    const document: RecordDocument = {
      ...encodeRecord(kind, key, { record, revision }, this.#form(kind)),
      ...gone,
      commits,
      redo,
      ...named,
    };
    if (!(await this.#claimAll(commit))) return null;
    const name = anchorName(kind, document);
    const replaced = this.#applied.get(name);
    if (replaced !== undefined) replaced.clearAt = performance.now() + CLEAR_AFTER_MS;
    const [isIn, whole] = await Promise.all([
      this.#replaceAnchor(kind, anchor.revision, document),
      this.#wholeWrites(writes, [...commit.writes, ...commit.inserts]),
    ]);
    // A later commit replaced the entry.
    this.#applied.delete(name);
    if (!isIn) {
      // If the command was sent twice, the first one may have committed.
      const now = await this.#document(kind, key);
      if (now?.commits?.includes(id) !== true) return null;
    } else if (redo !== null) {
      await this.#apply(whole);
      this.#clearLater(kind, document, id);
    }
    return { record, revision, commits, ...named };
  }

  async insert<R extends object>(kind: RecordKind<R>, record: R): Promise<boolean> {
    const document = encodeRecord(
      kind,
      recordKey(kind, record),
      { record, revision: 1 },
      this.#form(kind),
    );
    try {
      await this.#run(kind, 'insert', (documents) =>
        documents.insertOne(document as Document, LIMITED),
      );
      return true;
    } catch (error) {
      if (error instanceof VarveError && error.code === 'CONFLICT') return false;
      throw error;
    }
  }

  async erase<R extends object>(
    kind: RecordKind<R>,
    where: Parameters<Driver['erase']>[1],
    limit: number,
  ): Promise<number> {
    if (limit <= 0) return 0;
    // Erased records must not remain in an entry either.
    await this.idle();
    const any = kind as unknown as AnyKind;
    const condition = { $and: where.map((each) => termOf(any, each)) };
    const options = { ...LIMITED, limit, projection: { _id: 1 }, sort: sortOf(any, { where }) };
    const found = await this.#run(kind, 'erasable', (documents) =>
      documents.find(condition, options as Document).toArray(),
    );
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id as unknown);
    return this.#run(kind, 'erase', async (documents) => {
      const meant = { $and: [{ _id: { $in: ids } }, condition] } as Document;
      await documents.deleteMany(meant, LIMITED);
      // If the command is sent twice, the second one deletes nothing.
      return ids.length;
    });
  }

  /** Resolves when no entry that this driver applied is left in an anchor. */
  async idle(): Promise<void> {
    this.#clearUntil(Infinity);
    await Promise.allSettled(this.#clearing);
  }

  /** Returns the document of a key, after applying its open entry. */
  async #document<R extends object>(kind: RecordKind<R>, key: Key): Promise<RecordDocument | null> {
    const found = await this.#find(kind, idOf(kind, key));
    if (found !== null) await this.#finish(kind, found);
    return found;
  }

  async #find(kind: Named, _id: RecordDocument['_id']): Promise<RecordDocument | null> {
    const found = this.#run(kind, 'get', (documents) =>
      documents.findOne({ _id } as Document, LIMITED),
    );
    return (await found) as RecordDocument | null;
  }

  /** Applies the open entry of an anchor. */
  async #finish(kind: Named, document: RecordDocument): Promise<void> {
    const { redo } = document;
    if (redo === null || redo === undefined) return;
    if (this.#applied.get(anchorName(kind, document))?.id === redo.id) return;
    await this.#apply(decodeWrites(redo.writes).map((write) => this.#whole(write)));
    this.#clearLater(kind, document, redo.id);
  }

  #redoWrites<R extends object>(commit: Commit<R>, revision: number): readonly RedoWrite[] {
    const of = idOf(commit.kind, commit.key);
    const writes = commit.writes.map(({ kind, key, record, isNew, isContested }): RedoWrite => {
      const any = kind as unknown as RecordKind<object>;
      const document =
        record === null
          ? goneDocument(kind, key, revision, this.#clock())
          : encodeRecord(any, key, { record, revision }, this.#form(any));
      // A claimed key has a mark in its place.
      const way = isNew === true && isContested !== true ? 'Insert' : 'Replace';
      return { collection: kind.name, document: { ...document, of }, way };
    });
    const inserts = commit.inserts.map(({ kind, key, record }): RedoWrite => {
      const any = kind as unknown as RecordKind<object>;
      const document = encodeRecord(any, key, { record, revision: 1 }, this.#form(any));
      return { collection: kind.name, document, way: 'InsertOnce' };
    });
    return [...writes, ...inserts];
  }

  /** Completes writes with derived fields, after the command of their commit was sent. */
  async #wholeWrites(
    writes: readonly RedoWrite[],
    records: readonly Pick<Write, 'record'>[],
  ): Promise<readonly RedoWrite[]> {
    await turn();
    return writes.map((write, at) => this.#whole(write, records[at]?.record));
  }

  /** Adds the derived fields that an entry leaves out. */
  #whole(write: RedoWrite, record?: object | null): RedoWrite {
    const { collection, document } = write;
    const form = this.#form({ name: collection } as RecordKind<object>);
    if (form === undefined || document.record === null) return write;
    const derived = form.derive(record ?? form.decode(document));
    return { ...write, document: { ...document, ...derived } };
  }

  /** Claims contested keys. False if another anchor has or claims one; applies its open entry. */
  async #claimAll<R extends object>({ kind, key, writes }: Commit<R>): Promise<boolean> {
    const contested = writes.filter(({ isContested }) => isContested === true);
    if (contested.length === 0) return true;
    const of = idOf(kind, key);
    const byKind = Map.groupBy(contested, (each) => each.kind);
    const answers = [...byKind].map(([claimed, group]) => {
      const ids = group.map((each) => idOf(claimed, each.key));
      return this.#claim(claimed, ids, { claim: anchorName(kind, { _id: of }), of });
    });
    return (await Promise.all(answers)).every(Boolean);
  }

  async #claim(
    kind: AnyKind,
    ids: readonly RecordDocument['_id'][],
    anchor: { readonly claim: string; readonly of: RecordDocument['_id'] },
  ): Promise<boolean> {
    const name = `${kind.name}.claim`;
    const mark = { ...anchor, goneAt: new Date(this.#clock()) };
    const documents = ids.map((_id) => ({ _id, revision: 0, record: null, ...mark }));
    const command = { insert: kind.name, documents, ordered: false };
    const { taken } = await this.#connection.write(name, command);
    if (taken.size === 0) return true;
    const there = documents.filter((_, at) => taken.has(at));
    const updates = there.map((document) => ({
      // Matches the mark of a deleted record, or a claim of this anchor.
      q: { _id: document._id, record: null, claim: { $in: [null, anchor.claim] } },
      u: { $set: mark },
    }));
    const { matched } = await this.#connection.write(name, { update: kind.name, updates });
    if (matched === there.length) return true;
    for (const { _id } of there) await this.#finishClaimer(kind, _id);
    return false;
  }

  /** Applies the open entry of a key's owner, which may have crashed before it wrote the key. */
  async #finishClaimer(kind: AnyKind, _id: RecordDocument['_id']): Promise<void> {
    const { claim, of } = (await this.#find(kind, _id)) ?? {};
    const [name] = claim?.split(' ') ?? [];
    if (name === undefined || of === undefined) return;
    const anchor = await this.#find({ name }, of);
    if (anchor !== null) await this.#finish({ name }, anchor);
  }

  /** False if the anchor has another revision, and also if this command is a repetition. */
  async #replaceAnchor<R extends object>(
    kind: RecordKind<R>,
    revision: number,
    document: RecordDocument,
  ): Promise<boolean> {
    const { _id, ...rest } = document;
    // An anchor that was erased and created again reaches the same revisions, so `born` tells them
    // apart. A document that was inserted alone has no first commit.
    const q = { _id, revision, born: document.born ?? null };
    const command =
      revision === 0
        ? { insert: kind.name, documents: [document] }
        : { update: kind.name, updates: [{ q, u: rest }] };
    const { matched, taken } = await this.#connection.write(`${kind.name}.commit`, command);
    return matched === 1 && taken.size === 0;
  }

  async #apply(writes: readonly RedoWrite[]): Promise<void> {
    const byCollection = Map.groupBy(writes, ({ collection }) => collection);
    await Promise.all(
      [...byCollection].map(([collection, group]) => this.#applyTo(collection, group)),
    );
  }

  /** Retries, then fails silently: every reader of the remaining entry applies it. */
  async #applyTo(collection: string, writes: readonly RedoWrite[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#applyOnce(collection, writes);
      } catch (error) {
        const isLast = tries === APPLY_TRIES_MAX;
        if (isLast || !(error instanceof VarveError) || !error.retryable) throw error;
        await sleep(tries * APPLY_PAUSE_MS);
      }
    }
  }

  /**
   * Inserts new documents. If the key is taken, or the document is not new, replaces the document
   * if it is older. Every command may be sent twice, or late.
   */
  async #applyOnce(collection: string, writes: readonly RedoWrite[]): Promise<void> {
    const name = `${collection}.apply`;
    const inserts = writes.filter(({ way }) => way !== 'Replace');
    let replaced = writes.filter(({ way }) => way === 'Replace');
    if (inserts.length > 0) {
      const documents = inserts.map(({ document }) => document);
      const command = { insert: collection, documents, ordered: false };
      const { taken } = await this.#connection.write(name, command);
      const other = inserts.filter(({ way }, at) => way === 'Insert' && taken.has(at));
      replaced = [...replaced, ...other];
    }
    if (replaced.length === 0) return;
    const updates = replaced.map(({ document: { _id, ...u } }) => {
      return { q: { _id, revision: { $lt: u.revision } }, u, upsert: true };
    });
    await this.#connection.write(name, { update: collection, updates, ordered: false });
  }

  #clearLater(kind: Named, { _id }: Pick<RecordDocument, '_id'>, id: string): void {
    const clearAt = performance.now() + CLEAR_AFTER_MS;
    this.#applied.set(anchorName(kind, { _id }), { kind, _id, id, clearAt });
    this.#startTimer();
  }

  #startTimer(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#clearUntil(performance.now());
      if (this.#applied.size > 0) this.#startTimer();
    }, CLEAR_AFTER_MS).unref();
  }

  #clearUntil(now: number): void {
    for (const [name, { kind, _id, id, clearAt }] of this.#applied) {
      if (clearAt > now) continue;
      this.#applied.delete(name);
      const updates = [{ q: { _id, 'redo.id': id }, u: { $set: { redo: null } } }];
      const clearing = this.#connection
        .write(`${kind.name}.clear`, { update: kind.name, updates })
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => this.#clearing.delete(clearing));
      this.#clearing.add(clearing);
    }
  }

  /** Takes one step along the index for each group, however many records a group has. */
  async #nextGroups<R extends object>(
    kind: RecordKind<R>,
    where: Document,
    { by, column, after, limit }: LeastScan,
  ): Promise<Least[]> {
    const found: Least[] = [];
    const sort = { [by]: 1, [column]: 1 } as const;
    for (let last = after ?? ''; found.length < limit;) {
      const next = { $and: [where, { [by]: { $gt: last } }] };
      const document = await this.#run(kind, 'least', (documents) =>
        documents.findOne(next, { ...LIMITED, sort, projection: { [by]: 1, [column]: 1 } }),
      );
      if (document === null) break;
      last = String(valueAt(document, by));
      found.push({ group: last, least: Number(valueAt(document, column)) });
    }
    return found;
  }

  #form<R extends object>(kind: RecordKind<R>): DocumentForm<R> | undefined {
    return this.#forms.get(kind.name);
  }

  #run<T>(kind: Named, verb: string, command: (documents: Collection) => Promise<T>): Promise<T> {
    return this.#connection.run(`${kind.name}.${verb}`, (database) =>
      command(database.collection(kind.name)),
    );
  }
}

function anchorName({ name }: Named, { _id }: Pick<RecordDocument, '_id'>): string {
  return `${name} ${JSON.stringify(_id)}`;
}

function valueAt(document: Document, path: string): unknown {
  const [top = '', field = ''] = path.split('.');
  const values = document[top] as Readonly<Record<string, unknown>>;
  return values[field];
}

function hintOf({ index }: { readonly index?: string }): { readonly hint?: string } {
  return index === undefined ? {} : { hint: index };
}

function byIds(ids: readonly object[]): Document {
  return { _id: { $in: ids } };
}
