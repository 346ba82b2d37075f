/** The commands that the peer answers itself; the server behind it answers all others. */
import { Aggregator } from 'mingo';
import type { Document } from 'mongodb';

import { Refusal } from './refusal.ts';
import type { ReadAll, SearchIndexes } from './search-index.ts';
import { vectorSearch } from './vector-search.ts';

/** Stages that the peer runs after its own; another one is refused rather than run wrongly. */
const STAGES = ['$addFields', '$count', '$limit', '$match', '$project', '$set', '$skip', '$sort'];
/** Where the score stands while the later stages run. */
const SCORE = '__vectorSearchScore';

export interface Database {
  readonly indexes: SearchIndexes;
  readonly readAll: ReadAll;
  /** Live documents of these ids, in no order. */
  readonly readByIds: (namespace: string, ids: readonly unknown[]) => Promise<readonly Document[]>;
  readonly hasCollection: (namespace: string) => Promise<boolean>;
  /** False: the deployment has no search process beside it. */
  readonly searchEnabled: boolean;
  /** Called before each query and listing, for indexes that build and refresh by themselves. */
  readonly advance: () => Promise<void>;
}

/** The answer; null where the command is not the peer's. @throws Refusal */
export function searchAnswer(database: Database, command: Document): Promise<Document> | null {
  const [name = ''] = Object.keys(command);
  const namespace = `${String(command['$db'])}.${String(command[name])}`;
  const answers: Readonly<Record<string, () => Promise<Document>>> = {
    createSearchIndexes: () => create(database, namespace, command),
    updateSearchIndex: () => update(database, namespace, command),
    dropSearchIndex: () => drop(database, namespace, command),
  };
  const answer = name === 'aggregate' ? aggregation(database, namespace, command) : answers[name];
  if (answer === undefined || answer === null) return null;
  return database.searchEnabled ? answer() : Promise.reject(notEnabled());
}

async function create(
  { indexes, hasCollection }: Database,
  namespace: string,
  command: Document,
): Promise<Document> {
  if (!(await hasCollection(namespace))) {
    throw new Refusal('NamespaceNotFound', `Collection '${namespace}' does not exist.`);
  }
  const made = (command['indexes'] as readonly Document[]).map(({ name, type, definition }) => {
    if (type !== 'vectorSearch') throw new Refusal('BadValue', 'the peer has vector indexes only');
    return indexes.create(namespace, String(name), definition);
  });
  return { ok: 1, indexesCreated: made.map(({ id, name }) => ({ id, name })) };
}

function update({ indexes }: Database, namespace: string, command: Document): Promise<Document> {
  indexes.update(namespace, String(command['name']), command['definition']);
  return Promise.resolve({ ok: 1 });
}

function drop({ indexes }: Database, namespace: string, command: Document): Promise<Document> {
  indexes.drop(namespace, String(command['name']));
  return Promise.resolve({ ok: 1 });
}

/** Null for an aggregation that holds neither of the search stages. */
function aggregation(
  database: Database,
  namespace: string,
  command: Document,
): (() => Promise<Document>) | null {
  const pipeline = (command['pipeline'] ?? []) as readonly Document[];
  const [first = {}, ...rest] = pipeline;
  const stage = '$vectorSearch' in first ? first['$vectorSearch'] : null;
  const listing = '$listSearchIndexes' in first ? first['$listSearchIndexes'] : null;
  if (stage === null && listing === null) return misplaced(rest);
  return async () => {
    checkCommand(command);
    await database.advance();
    const rows =
      listing === null
        ? await search(database, namespace, { stage: stage as Document, rest })
        : database.indexes.list(namespace, nameOf(listing as Document));
    return { ok: 1, cursor: { id: 0n, ns: namespace, firstBatch: rows } };
  };
}

function nameOf({ name }: Document): string | null {
  return typeof name === 'string' ? name : null;
}

function misplaced(stages: readonly Document[]): (() => Promise<Document>) | null {
  const later = JSON.stringify(stages);
  if (!later.includes('"$vectorSearch"')) return null;
  const message = '$vectorSearch is only valid as the first stage in a pipeline';
  return () => Promise.reject(new Refusal('NotFirstStage', message));
}

function checkCommand({ readConcern, apiStrict }: Document): void {
  const level: unknown = (readConcern as Document | undefined)?.['level'];
  if (level !== undefined && level !== 'local') {
    throw new Refusal('InvalidOptions', 'search stages need the read concern "local"');
  }
  if (apiStrict === true) {
    throw new Refusal('InvalidOptions', 'search stages are not in API version 1');
  }
}

/** The filter sees what the index knew; the documents are those of now, and deleted ones vanish. */
async function search(
  { indexes, readByIds }: Database,
  namespace: string,
  { stage, rest }: { stage: Document; rest: readonly Document[] },
): Promise<readonly Document[]> {
  const unknown = rest.flatMap((each) => Object.keys(each)).find((name) => !STAGES.includes(name));
  if (unknown !== undefined) throw new Refusal('BadValue', `the peer does not run ${unknown}`);
  const hits = vectorSearch(stage, (name) => indexes.find(namespace, name));
  const ids = hits.map(({ id }) => id);
  const live = new Map(
    (await readByIds(namespace, ids)).map((document) => [idText(document['_id']), document]),
  );
  const documents = hits.flatMap(({ id, score }) => {
    const document = live.get(idText(id));
    return document === undefined ? [] : [{ ...document, [SCORE]: score }];
  });
  const stages = scoreStages(rest) as Document[];
  return new Aggregator(stages).run(documents).map(withoutScore);
}

/** `{ $meta: 'vectorSearchScore' }` becomes the field where the peer keeps it. */
function scoreStages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scoreStages);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  if ((value as Document)['$meta'] === 'vectorSearchScore') return `$${SCORE}`;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, scoreStages(each)]));
}

function withoutScore(row: Document): Document {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== SCORE));
}

function idText(id: unknown): string {
  return JSON.stringify(id);
}

function notEnabled(): Refusal {
  const message = 'Using Atlas Search Database Commands requires additional configuration.';
  return new Refusal('SearchNotEnabled', message);
}
