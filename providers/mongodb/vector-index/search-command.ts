/** Commands to the search process of MongoDB, and what its refusals mean. */
import { MongoServerError, type Collection, type Document } from 'mongodb';
import type { Connection } from '../connection.ts';
import { COMMAND_MS_MAX } from '../connection-settings.ts';
import { type VectorDefinition, listedIndex, type ListedIndex } from './index-definition.ts';

/**
 * `Unknown`: the server does not know search commands. `NoSearch`: it does, but has no search
 * process. `NotReady`: the process cannot answer this now. `Refused`: an index cannot be made, or
 * not even listed.
 */
export type SearchOutcome<T> =
  | { readonly kind: 'Answered'; readonly value: T }
  | { readonly kind: 'NoSearch' | 'NotReady' | 'Unknown' }
  | { readonly kind: 'Refused'; readonly reason: string };

const COLLECTION = 'memories';
/** Indexes of one collection; Varve has one for each generation in use. */
const LISTED_MAX = 100;

/** CommandNotFound, unknown stage: another server of the protocol, or MongoDB before 6.0. */
const UNKNOWN_CODES: ReadonlySet<unknown> = new Set([59, 40_324]);
/** CommandNotSupported, SearchNotEnabled. */
const NO_SEARCH_CODES: ReadonlySet<unknown> = new Set([115, 31_082]);
/** Matched by message: refusals of the search process share one code. */
const NOT_READY =
  /while in state|needs to be indexed as|dimensions but queried|search index management/iu;

export function listIndexes(connection: Connection): Promise<SearchOutcome<ListedIndex[]>> {
  return ask(connection, { verb: 'listSearchIndexes', refusalOf: refused }, async (memories) => {
    const rows: ListedIndex[] = [];
    const stages = [{ $listSearchIndexes: {} }, { $limit: LISTED_MAX }];
    for await (const row of memories.aggregate(stages, { maxTimeMS: COMMAND_MS_MAX })) {
      rows.push(listedIndex(row));
    }
    return rows;
  });
}

/** Creates an index. Resolves as soon as the server knows of it; building takes longer. */
export function createIndex(
  connection: Connection,
  { name, definition }: { name: string; definition: VectorDefinition },
): Promise<SearchOutcome<unknown>> {
  return ask(connection, { verb: 'createSearchIndex', refusalOf: refused }, (memories) =>
    memories.createSearchIndex({ name, type: 'vectorSearch', definition }),
  );
}

/** Updates an index. Its old definition serves queries until the new one is built. */
export function updateIndex(
  connection: Connection,
  { name, definition }: { name: string; definition: VectorDefinition },
): Promise<SearchOutcome<unknown>> {
  return ask(connection, { verb: 'updateSearchIndex', refusalOf: refused }, (memories) =>
    memories.updateSearchIndex(name, definition),
  );
}

/** Returns the rows of a pipeline that begins with `$vectorSearch`. */
export function searchRows(
  connection: Connection,
  stages: readonly Document[],
): Promise<SearchOutcome<Document[]>> {
  return ask(connection, { verb: 'vectorSearch', refusalOf: unanswered }, (memories) =>
    memories.aggregate([...stages], { maxTimeMS: COMMAND_MS_MAX }).toArray(),
  );
}

type Refusal = Exclude<SearchOutcome<never>, { kind: 'Answered' }>;

/** Runs a search command; these refuse every read concern but `local`. */
function ask<T>(
  connection: Connection,
  { verb, refusalOf }: { verb: string; refusalOf: (error: MongoServerError) => Refusal | null },
  command: (memories: Collection) => Promise<T>,
): Promise<SearchOutcome<T>> {
  return connection.run(`${COLLECTION}.${verb}`, async (database) => {
    try {
      const memories = database.collection(COLLECTION, { readConcern: { level: 'local' } });
      return { kind: 'Answered', value: await command(memories) };
    } catch (error) {
      const refusal = error instanceof MongoServerError ? refusalOf(error) : null;
      if (refusal === null) throw error;
      return refusal;
    }
  });
}

function unanswered({ code, message }: MongoServerError): Refusal | null {
  if (UNKNOWN_CODES.has(code)) return { kind: 'Unknown' };
  if (NO_SEARCH_CODES.has(code)) return { kind: 'NoSearch' };
  return NOT_READY.test(message) ? { kind: 'NotReady' } : null;
}

/** A refusal is a result, not an error, since searches work without the index. */
function refused(error: MongoServerError): Refusal {
  const reason = String(error.codeName ?? error.code);
  return unanswered(error) ?? { kind: 'Refused', reason };
}
