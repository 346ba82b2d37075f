/**
 * A collection of records. A document's `_id` is the record's key, the tenant first; the record
 * stands under `record`; beside it stands what conditions and indexes need.
 */
import type { Collection, Db, Document, Sort, UpdateFilter } from 'mongodb';

import { COMMAND_MS_MAX, type Connection } from './connection.ts';
import { isDuplicate } from './failure.ts';

export interface Key {
  readonly tenant: string;
}

export interface Stored {
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

export interface Table<T extends Stored> {
  first(condition: Condition, sort?: Selection['sort']): Promise<T | null>;
  select(condition: Condition, selection: Selection): Promise<T[]>;
  /** False where a unique index has the key already. */
  insert(document: T): Promise<boolean>;
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
  removeAll(condition: Condition): Promise<void>;
  aggregate(stages: readonly Document[]): Promise<Document[]>;
}

const LIMITED = { maxTimeMS: COMMAND_MS_MAX } as const;

export function openTable<T extends Stored>(connection: Connection, name: string): Table<T> {
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
        await documents.deleteMany(condition, LIMITED);
      }),
  };
}

/** The condition of being the document of a key. */
export function byId(id: Key): Record<string, unknown> {
  return { _id: id };
}

type Reads<T extends Stored> = Pick<Table<T>, 'first' | 'select' | 'aggregate'>;

function reads<T extends Stored>(connection: Connection, name: string): Reads<T> {
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
    aggregate: (stages) =>
      run('aggregate', (documents) => documents.aggregate([...stages], LIMITED).toArray()),
  };
}

function isMatched({ matchedCount }: { matchedCount: number }): boolean {
  return matchedCount > 0;
}

function plain(document: Stored): Document {
  return { ...document };
}

/** A replacement keeps the `_id` of what it replaces. */
function body(document: Stored): Document {
  const { _id, ...rest } = document;
  return rest;
}
