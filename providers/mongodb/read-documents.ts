/** Reads of a collection's documents, for searches and lists; writing is the driver's. */
import type { Db, Document, Sort } from 'mongodb';

import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';

/** A condition; begins with the tenant, by `_id` or `_id.tenant`. */
export type Condition = Readonly<Record<string, unknown>>;

export interface Selection {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
  /** Fields to fetch beside `_id`; all of them where absent. */
  readonly fields?: readonly string[];
}

export interface Table<T> {
  select(condition: Condition, selection: Selection): Promise<T[]>;
  /** Counts up to a bound, or all. */
  count(condition: Condition, most?: number): Promise<number>;
  aggregate(stages: readonly Document[]): Promise<Document[]>;
}

const LIMITED = { maxTimeMS: COMMAND_MS_MAX } as const;

export function openTable<T>(connection: Connection, name: string): Table<T> {
  const run = <R>(verb: string, command: (database: Db) => Promise<R>) =>
    connection.run(`${name}.${verb}`, command);
  return {
    select: async (condition, { sort, limit, fields }) => {
      // To MongoDB no limit and a limit of 0 are the same.
      if (limit <= 0) return [];
      return run('select', async (database) => {
        const sorted = sort === undefined ? {} : { sort: sort as Sort };
        const found = database.collection(name).find(condition, { ...LIMITED, limit, ...sorted });
        if (fields !== undefined) found.project(Object.fromEntries(fields.map((f) => [f, 1])));
        return (await found.toArray()) as unknown as T[];
      });
    },
    count: (condition, most) =>
      run('count', (database) =>
        database.collection(name).countDocuments(condition, {
          ...LIMITED,
          ...(most === undefined ? {} : { limit: most }),
        }),
      ),
    aggregate: (stages) =>
      run('aggregate', (database) =>
        database
          .collection(name)
          .aggregate([...stages], LIMITED)
          .toArray(),
      ),
  };
}
