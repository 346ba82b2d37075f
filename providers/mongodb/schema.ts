/** The collections and their indexes; an index begins with the tenant or says why it does not. */
import type { Db, IndexDescription } from 'mongodb';

import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';

import { COMMAND_MS_MAX, type Connection } from './connection.ts';
import { VOID_SECONDS } from './memory-document.ts';

export const SCHEMA_VERSION = 3;

/**
 * Longest build of the indexes of one collection: those of a large one that an earlier version
 * wrote are made at the first start, and a limit that is reached undoes all of it.
 */
const BUILD_MS_MAX = 3_600_000;
/** The line is silent meanwhile, and is not to be cut before the server answers. */
const BUILDING = { maxTimeMS: BUILD_MS_MAX, socketTimeoutMS: BUILD_MS_MAX + COMMAND_MS_MAX };

const VERSIONS = 'schema_version';
const TENANT = '_id.tenant';

/** A name tells an index apart: a changed one gets a new name. */
export const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  memories: [
    index('by_slot', { [TENANT]: 1, slot: 1 }, { unique: true }),
    index('by_scope', { [TENANT]: 1, layer: 1, scopeId: 1, '_id.id': 1 }),
    index('by_id', { [TENANT]: 1, '_id.id': 1 }),
    index('by_term', { [TENANT]: 1, layer: 1, scopeId: 1, terms: 1 }),
    index('by_tag', { [TENANT]: 1, layer: 1, scopeId: 1, tags: 1 }),
    index('by_field', {
      [TENANT]: 1,
      layer: 1,
      scopeId: 1,
      'fields.path': 1,
      'fields.value': 1,
    }),
    index('by_date', { [TENANT]: 1, layer: 1, scopeId: 1, 'fields.path': 1, 'fields.date': 1 }),
    index('by_update', { [TENANT]: 1, layer: 1, scopeId: 1, 'record.updatedAt': -1 }),
    index('by_content', { [TENANT]: 1, 'record.contentHash': 1 }),
    index('by_generation', { [TENANT]: 1, generations: 1, generation: 1, '_id.id': 1 }),
    // Asked across tenants, at open, for what another analyzer analysed.
    index('by_analyzer', { analyzer: 1 }),
    // Asked by the server alone, which removes the marks of deleted memories.
    index('by_void', { voidAt: 1 }, { expireAfterSeconds: VOID_SECONDS }),
  ],
  turns: [
    index('by_chunk', { [TENANT]: 1, '_id.sessionId': 1, '_id.chunk': 1 }),
    index('by_turn', { [TENANT]: 1, '_id.sessionId': 1, 'turns.id': 1 }),
    // Of turns that have their text; also asked for one tenant after another, whose turns are old.
    index(
      'by_text',
      { [TENANT]: 1, textAt: 1, '_id.sessionId': 1 },
      { partialFilterExpression: { textAt: { $exists: true } } },
    ),
    // Asked across tenants, for what an earlier version wrote; holds nothing else.
    index('by_untold', { told: 1, _id: 1 }, { partialFilterExpression: { told: null } }),
  ],
  scopes: [
    index('by_name', { [TENANT]: 1, '_id.layer': 1, '_id.scopeId': 1 }),
    index('by_due', { [TENANT]: 1, urgent: 1, lookAt: 1 }),
    index('by_settle', { [TENANT]: 1, settleAt: 1 }),
    index('by_claim', { [TENANT]: 1, 'record.lease.claimId': 1 }),
    index('by_batch', { [TENANT]: 1, 'record.lease.batchId': 1 }),
    // The one question across tenants: whose turn is it. It answers tenant ids only.
    index('by_due_of_all', { lookAt: 1, [TENANT]: 1 }),
    index('by_settle_of_all', { settleAt: 1, [TENANT]: 1 }),
  ],
  summaries: [index('by_scope', { [TENANT]: 1, '_id.layer': 1, '_id.scopeId': 1 })],
  segments: [index('by_scope', { [TENANT]: 1, '_id.layer': 1, '_id.scopeId': 1 })],
  variants: [
    index('by_scope', { [TENANT]: 1, '_id.layer': 1, '_id.scopeId': 1, lastReadAt: 1 }),
    index('by_due', { [TENANT]: 1, dueAt: 1 }),
    index('by_claim', { [TENANT]: 1, 'record.lease.claimId': 1 }),
    index('by_batch', { [TENANT]: 1, 'record.lease.batchId': 1 }),
    // Asked across tenants: whose turn is it. It answers tenant ids only.
    index('by_due_of_all', { dueAt: 1, [TENANT]: 1 }),
  ],
  documents: [
    index('by_number', { [TENANT]: 1, '_id.subject': 1, '_id.path': 1, '_id.version': 1 }),
    index('by_slot', { [TENANT]: 1, '_id.subject': 1, '_id.path': 1, slot: 1 }, { unique: true }),
  ],
  subjects: [
    index('by_key', { [TENANT]: 1, '_id.subject': 1 }),
    index('by_id', { [TENANT]: 1, 'record.subjectId': 1 }, { unique: true }),
    index('by_new', { [TENANT]: 1, 'record.hasNew': 1, '_id.subject': 1 }),
  ],
  dreamSchedules: [
    index('by_name', { [TENANT]: 1, '_id.name': 1 }),
    // Asked across tenants: whose time has come.
    index('by_due_of_all', { dueAt: 1, [TENANT]: 1, '_id.name': 1 }),
  ],
  proposals: [
    index('by_id', { [TENANT]: 1, '_id.id': 1 }),
    index('by_subject', { [TENANT]: 1, 'record.subject': 1, '_id.id': 1 }),
    index('by_state', { [TENANT]: 1, 'record.state': 1, '_id.id': 1 }),
    // Asked across tenants: what was approved and is not applied.
    index('by_owed_of_all', { owedAt: 1, [TENANT]: 1, '_id.id': 1 }),
  ],
  answers: [
    index('by_batch', { [TENANT]: 1, batchId: 1, promptHash: 1 }),
    index('by_text', { [TENANT]: 1, at: 1 }, { partialFilterExpression: { hasText: true } }),
  ],
  accounts: [],
  ledger: [
    index('by_time', { [TENANT]: 1, reservedAt: -1, '_id.attemptId': -1 }),
    index('by_batch', { [TENANT]: 1, batchId: 1, reservedAt: -1 }),
    index('by_purpose', { [TENANT]: 1, 'record.purpose': 1, 'record.period': 1 }),
    index('by_booking', { [TENANT]: 1, bookAt: 1 }),
    // Asked across tenants, by the tick: what was reserved and left.
    index('by_state_of_all', { state: 1, reservedAt: 1 }),
    index('by_booking_of_all', { bookAt: 1 }),
  ],
  policies: [
    index('by_tenant', { [TENANT]: 1 }),
    // Asked across tenants: which of them nobody declares any more.
    index('by_release', { 'record.releasedAt': 1, [TENANT]: 1 }),
  ],
  policyFences: [],
  modelProviders: [index('by_name', { '_id.name': 1 })],
  wakes: [index('open_of_all', { open: 1, wantedAt: 1, [TENANT]: 1 })],
  events: [index('by_id', { [TENANT]: 1, '_id.id': 1 })],
  memoryChanges: [index('by_memory', { [TENANT]: 1, '_id.memoryId': 1, '_id.version': -1 })],
  idempotency: [index('by_end', { [TENANT]: 1, expiresAt: 1 })],
  // Asked across tenants: whose change of model is under way.
  embeddingStates: [index('by_phase', { 'record.phase': 1, [TENANT]: 1 })],
  calibrations: [],
};

/**
 * Makes what indexes are missing; answers the version that the database was of.
 * Repeatable, and by several processes at once.
 * @throws VarveError PROVIDER_REJECTED for a newer schema
 */
export async function ensureIndexes(connection: Connection): Promise<number> {
  const found = await schemaVersion(connection);
  if (found > SCHEMA_VERSION) throw newer(found);
  for (const [name, indexes] of Object.entries(INDEXES)) {
    if (indexes.length === 0) continue;
    await connection.run(`${name}.createIndexes`, (database) =>
      database.collection(name).createIndexes([...indexes], BUILDING),
    );
  }
  return found;
}

/** Says that the database is of this version; to be called when nothing of an older one is left. */
export async function putSchemaVersion(connection: Connection, now: Clock): Promise<void> {
  await connection.run(`${VERSIONS}.put`, (database) =>
    versions(database).replaceOne(
      { _id: SCHEMA_VERSION },
      { appliedAt: now() },
      { upsert: true, maxTimeMS: COMMAND_MS_MAX },
    ),
  );
}

/** The schema version of the database; 0 for an empty one. */
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

function index(
  name: string,
  key: Readonly<Record<string, 1 | -1>>,
  options: Omit<IndexDescription, 'key' | 'name'> = {},
): IndexDescription {
  return { name, key: { ...key }, ...options };
}

function newer(found: number): VarveError {
  return new VarveError(
    'PROVIDER_REJECTED',
    'The database was written by a newer version of Varve ' +
      `(schema ${found}; this version knows ${SCHEMA_VERSION}). Start that newer version, ` +
      'or restore the backup made before the upgrade.',
    { details: { found, supported: SCHEMA_VERSION } },
  );
}
