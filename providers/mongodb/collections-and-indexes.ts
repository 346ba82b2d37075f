/** Makes the collections and their indexes from the kinds of the store. */
import type { Db, IndexDescription } from 'mongodb';
import type { Clock } from '#core/ports/platform.ts';
import { KINDS, MEMORIES } from '#store/record-kinds-and-indexes.ts';
import type { AnyKind } from '#store/storage-driver.ts';
import { requireKnownSchema } from '#store/record-and-schema-checks.ts';
import type { Connection } from './connection.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import { indexesOf } from './record-documents.ts';

export const SCHEMA_VERSION = 1;

/** Timeout for building the indexes of one collection; a timeout undoes the whole build. */
const BUILD_MS_MAX = 3_600_000;
/** The socket is silent during a build, and must not time out before the server answers. */
const BUILDING = { maxTimeMS: BUILD_MS_MAX, socketTimeoutMS: BUILD_MS_MAX + COMMAND_MS_MAX };

const VERSIONS = 'schema_version';
const IN_SCOPE = { '_id.tenant': 1, 'c.layer': 1, 'c.scopeId': 1 } as const;

/** Indexes for searches and lists beyond the columns; indexes in memory catch up by `of`. */
const MEMORY_INDEXES: readonly IndexDescription[] = [
  { name: 'by_term', key: { ...IN_SCOPE, terms: 1 } },
  { name: 'by_tag', key: { ...IN_SCOPE, tags: 1 } },
  { name: 'by_field', key: { ...IN_SCOPE, 'fields.path': 1, 'fields.value': 1 } },
  { name: 'by_date', key: { ...IN_SCOPE, 'fields.path': 1, 'fields.date': 1 } },
  { name: 'by_update', key: { ...IN_SCOPE, 'c.updatedAt': -1 } },
  { name: 'by_vector', key: { '_id.tenant': 1, generations: 1, '_id.id': 1 } },
  { name: 'by_revision', key: { of: 1, revision: 1 } },
  // For the query across tenants, at open, for memories of another analyzer.
  { name: 'by_analyzer', key: { analyzer: 1 } },
];

/** Indexes by collection. A name identifies an index: a changed index gets a new name. */
export const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = Object.fromEntries(
  (KINDS as readonly AnyKind[]).map((kind) => [
    kind.name,
    [...indexesOf(kind), ...(kind.name === MEMORIES.name ? MEMORY_INDEXES : [])],
  ]),
);

/**
 * Makes missing indexes; returns the schema version that the database had.
 * Repeatable, and by several processes at once.
 * @throws VarveError PROVIDER_REJECTED for a newer schema
 */
export async function ensureIndexes(connection: Connection): Promise<number> {
  const found = await schemaVersion(connection);
  requireKnownSchema('The database', found, SCHEMA_VERSION);
  for (const [name, indexes] of Object.entries(INDEXES)) {
    await connection.run(`${name}.createIndexes`, (database) =>
      database.collection(name).createIndexes([...indexes], BUILDING),
    );
  }
  return found;
}

/** Records this schema version; call it when nothing of an older version is left. */
export async function putSchemaVersion(connection: Connection, now: Clock): Promise<void> {
  await connection.run(`${VERSIONS}.put`, (database) =>
    versions(database).replaceOne(
      { _id: SCHEMA_VERSION },
      { appliedAt: now() },
      { upsert: true, maxTimeMS: COMMAND_MS_MAX },
    ),
  );
}

/** Returns the schema version of the database; 0 for an empty one. */
export async function schemaVersion(connection: Connection): Promise<number> {
  const [newest] = await connection.run(`${VERSIONS}.select`, (database) =>
    versions(database)
      .find({}, { sort: { _id: -1 }, limit: 1, maxTimeMS: COMMAND_MS_MAX })
      .toArray(),
  );
  return newest?._id ?? 0;
}

function versions(database: Db) {
  return database.collection<{ _id: number; appliedAt: number }>(VERSIONS);
}
