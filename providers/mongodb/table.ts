/**
 * A collection of records. A document's `_id` is the record's key, the tenant first; the record
 * stands under `record`; beside it stands what conditions and indexes need.
 */
import {
  MongoBulkWriteError,
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Document,
  type Sort,
  type UpdateFilter,
} from 'mongodb';

import { COMMAND_MS_MAX, type Connection } from './connection.ts';
import { DUPLICATE_KEY, isDuplicate } from './failure.ts';

export interface Key {
  readonly tenant: string;
}

/** What belongs to no tenant has another key. */
export interface Keyed {
  readonly _id: object;
}

export interface Stored extends Keyed {
  readonly _id: Key;
}

/** A condition; begins with the tenant, by `_id` or `_id.tenant`. */
export type Condition = Readonly<Record<string, unknown>>;
export type Change = Readonly<Record<string, unknown>>;

export interface Selection {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
  /** Fields to fetch beside `_id`; all of them where absent. */
  readonly fields?: readonly string[];
}

/** One of many writes that go together and fail apart. */
export type Write<T> =
  | { readonly condition: Condition; readonly change: Change }
  | { readonly condition: Condition; readonly document: T }
  | { readonly put: T };

export interface Table<T extends Keyed> {
  first(condition: Condition, sort?: Selection['sort']): Promise<T | null>;
  select(condition: Condition, selection: Selection): Promise<T[]>;
  /** False where a unique index has the key already. */
  insert(document: T): Promise<boolean>;
  /** As `insert` for each, in one command; one answer for each, in their order. */
  insertMany(documents: readonly T[]): Promise<readonly boolean[]>;
  /** Each by itself, in one command; answers how many met their condition. */
  writeMany(writes: readonly Write<T>[]): Promise<number>;
  /** Replaces what meets the condition; false where nothing does, or a unique index refuses. */
  replace(condition: Condition, document: T): Promise<boolean>;
  /** Writes the document whether or not it was there. */
  put(document: T): Promise<void>;
  /** Changes one; false where none meets the condition, or a unique index refuses. */
  update(condition: Condition, change: Change): Promise<boolean>;
  /** As `update`, and answers the document after it. */
  updated(condition: Condition, change: Change): Promise<T | null>;
  updateAll(condition: Condition, change: Change): Promise<void>;
  remove(condition: Condition): Promise<boolean>;
  /** Answers how many there were. */
  removeAll(condition: Condition): Promise<number>;
  /** Counts up to a bound, or all. */
  count(condition: Condition, most?: number): Promise<number>;
  aggregate(stages: readonly Document[]): Promise<Document[]>;
}

const LIMITED = { maxTimeMS: COMMAND_MS_MAX } as const;

export function openTable<T extends Keyed>(connection: Connection, name: string): Table<T> {
  const run = <R>(verb: string, command: (documents: Collection) => Promise<R>) =>
    connection.run(`${name}.${verb}`, (database: Db) => command(database.collection(name)));
  // A duplicate key is an answer here, not a failure: it says that somebody else was first.
  const unlessDuplicate = async <R>(command: Promise<R>, otherwise: R): Promise<R> =>
    command.catch((error: unknown) => {
      if (isDuplicate(error)) return otherwise;
      throw error;
    });
  return {
    ...reads<T>(connection, name),
    ...bulkWrites<T>(connection, name),
    insert: (document) =>
      run('insert', (documents) =>
        unlessDuplicate(
          documents.insertOne(plain(document), LIMITED).then(() => true),
          false,
        ),
      ),
    replace: (condition, document) =>
      run('replace', (documents) =>
        unlessDuplicate(
          documents.replaceOne(condition, body(document), LIMITED).then(isMatched),
          false,
        ),
      ),
    put: (document) =>
      run('put', async (documents) => {
        const options = { ...LIMITED, upsert: true };
        await documents.replaceOne(byId(document._id), body(document), options);
      }),
    update: (condition, change) =>
      run('update', (documents) =>
        unlessDuplicate(documents.updateOne(condition, change, LIMITED).then(isMatched), false),
      ),
    updated: (condition, change) =>
      run('updated', async (documents) => {
        const options = { ...LIMITED, returnDocument: 'after' } as const;
        const update: UpdateFilter<Document> = change;
        return (await documents.findOneAndUpdate(condition, update, options)) as T | null;
      }),
    updateAll: (condition, change) =>
      run('updateAll', async (documents) => {
        await documents.updateMany(condition, change, LIMITED);
      }),
    remove: (condition) =>
      run('remove', async (documents) => {
        const { deletedCount } = await documents.deleteOne(condition, LIMITED);
        return deletedCount > 0;
      }),
    removeAll: (condition) =>
      run('removeAll', async (documents) => {
        return (await documents.deleteMany(condition, LIMITED)).deletedCount;
      }),
  };
}

/** The condition of being the document of a key. */
export function byId(id: object): Record<string, unknown> {
  return { _id: id };
}

type BulkWrites<T extends Keyed> = Pick<Table<T>, 'insertMany' | 'writeMany'>;

function bulkWrites<T extends Keyed>(connection: Connection, name: string): BulkWrites<T> {
  const run = <R>(verb: string, command: (documents: Collection) => Promise<R>) =>
    connection.run(`${name}.${verb}`, (database: Db) => command(database.collection(name)));
  return {
    insertMany: async (given) => {
      if (given.length === 0) return [];
      const refused = await run('insertMany', (documents) =>
        documents
          .insertMany(given.map(plain), { ...LIMITED, ordered: false })
          .then((): readonly number[] => [], refusedBy),
      );
      return given.map((_, at) => !refused.includes(at));
    },
    writeMany: async (writes) => {
      if (writes.length === 0) return 0;
      return run('writeMany', (documents) =>
        documents
          .bulkWrite(writes.map(operationOf), { ...LIMITED, ordered: false })
          .then(({ matchedCount }) => matchedCount, matchedBy),
      );
    },
  };
}

type Reads<T extends Keyed> = Pick<Table<T>, 'first' | 'select' | 'aggregate' | 'count'>;

function reads<T extends Keyed>(connection: Connection, name: string): Reads<T> {
  const run = <R>(verb: string, command: (documents: Collection) => Promise<R>) =>
    connection.run(`${name}.${verb}`, (database: Db) => command(database.collection(name)));
  return {
    first: (condition, sort) =>
      run('first', async (documents) => {
        const options = { ...LIMITED, ...(sort === undefined ? {} : { sort: sort as Sort }) };
        return (await documents.findOne(condition, options)) as T | null;
      }),
    select: async (condition, { sort, limit, fields }) => {
      // To MongoDB no limit and a limit of 0 are the same.
      if (limit <= 0) return [];
      return run('select', async (documents) => {
        const options = {
          ...LIMITED,
          limit,
          ...(sort === undefined ? {} : { sort: sort as Sort }),
        };
        const found = documents.find(condition, options);
        if (fields !== undefined) found.project(Object.fromEntries(fields.map((f) => [f, 1])));
        return (await found.toArray()) as unknown as T[];
      });
    },
    count: (condition, most) =>
      run('count', (documents) =>
        documents.countDocuments(condition, {
          ...LIMITED,
          ...(most === undefined ? {} : { limit: most }),
        }),
      ),
    aggregate: (stages) =>
      run('aggregate', (documents) => documents.aggregate([...stages], LIMITED).toArray()),
  };
}

function operationOf(write: Write<Keyed>): AnyBulkWriteOperation {
  if ('put' in write) {
    const filter = byId(write.put._id);
    return { replaceOne: { filter, replacement: body(write.put), upsert: true } };
  }
  const filter = write.condition;
  return 'change' in write
    ? { updateOne: { filter, update: write.change } }
    : { replaceOne: { filter, replacement: body(write.document) } };
}

/** Places of the documents that a unique index refused; any other failure is thrown. */
function refusedBy(error: unknown): readonly number[] {
  return writeErrors(error).map(({ index }) => index);
}

/** What a unique index refused met no condition. */
function matchedBy(error: unknown): number {
  writeErrors(error);
  return error instanceof MongoBulkWriteError ? error.result.matchedCount : 0;
}

function writeErrors(error: unknown) {
  const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (failed.length === 0 || failed.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  return failed;
}

function isMatched({ matchedCount }: { matchedCount: number }): boolean {
  return matchedCount > 0;
}

function plain(document: Keyed): Document {
  return { ...document };
}

/** A replacement keeps the `_id` of what it replaces. */
function body(document: Keyed): Document {
  const { _id, ...rest } = document;
  return rest;
}
