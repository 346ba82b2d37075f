/**
 * A write that touches a memory and its scope, without a transaction over both (design 5).
 *
 * Flow: the scope takes the intent; the memory is written and bears the intent's token; the intent
 * is folded into the scope's hash, counts and due mark, or taken back.
 * Guarantees: a scope with an intent reads as stale; each intent is folded in once, since folding
 * takes it out in the same step; whoever finds an old one can finish it (settle.ts).
 * Assumes that a writer changes a memory only where its token is still the one that it read, and
 * that it folds in a finished write it finds there first (`finishOlder`).
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyCompaction } from '#core/retention/compacted-turn.ts';
import { scopeKey, type Scope } from '#core/scope.ts';
import { applyChange } from '#core/scope-change.ts';

import { changesOf } from './intent-change.ts';
import {
  asRead,
  encodeScope,
  ensureScope,
  idsOf,
  isCompacting,
  isHeard,
  readScope,
  rulesOf,
  scopeId,
  scopeOrEmpty,
  scopeRecordOf,
  settleAtOf,
  type ScopeDocument,
  type ScopeDocuments,
  type WriteIntent,
} from './scope-document.ts';
import { citedBy, type SummaryDocuments } from './summary-document.ts';
import { byId } from './table.ts';

/** Writes of one scope under way at once; more wait for a moment. */
export const INTENTS_MAX = 256;
/** Writes that a scope remembers; who knows an older state reads it anew. */
export const TOUCHED_MAX = 64;
/** Tries against other writers of the same scope, each after a pause. */
const TRIES_MAX = 200;
const PAUSE_MS_MAX = 20;

export interface IntentTables {
  readonly scopes: ScopeDocuments;
  readonly summaries: SummaryDocuments;
  readonly digest: Digest;
  /** Of the store: by scope, the newest batch that is being folded in or waits for its turn. */
  readonly batches: Map<string, Batch>;
}

/** Ends of writes that one process folds into a scope in one step. */
export interface Batch {
  readonly ends: End[];
  begun: boolean;
  readonly done: Promise<ScopeRecord>;
}

interface End {
  readonly token: string;
  readonly verdict: Verdict;
}

/** Whether the write that an intent announced has happened. */
export type Verdict = 'Happened' | 'DidNot';

/**
 * Announces writes. The answer is the scope with all the writes that are under way.
 * @throws VarveError RATE_LIMITED where too many are
 */
export async function announce(
  { scopes }: IntentTables,
  scope: Scope,
  intents: readonly WriteIntent[],
): Promise<ScopeDocument> {
  const hasRoom = { [`writes.${INTENTS_MAX - intents.length}`]: { $exists: false } };
  const change = {
    $push: { writes: { $each: intents } },
    // The version too, so that nothing that was read before is taken to be as it was.
    $inc: { revision: 1, ...(intents.some(isHeard) ? { 'record.version': 1 } : {}) },
    $min: { settleAt: settleAtOf(intents) },
  };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const announced = await scopes.updated({ ...byId(scopeId(scope)), ...hasRoom }, change);
    if (announced !== null) return announced;
    if ((await readScope(scopes, scope)) === null) await ensureScope(scopes, scope);
    else await pause();
  }
  throw new VarveError('RATE_LIMITED', 'Too many writes to one scope are under way.', {
    details: { writesMax: INTENTS_MAX },
  });
}

/**
 * Folds a write into its scope, or takes its intent back, and answers the record after that. Writes
 * that end while another is folded in wait and go together, so that the writers of one process do
 * not compete.
 */
export function conclude(
  tables: IntentTables,
  scope: Scope,
  ...ends: readonly End[]
): Promise<ScopeRecord> {
  const { batches } = tables;
  const key = scopeKey(scope);
  const last = batches.get(key);
  if (last !== undefined && !last.begun) {
    last.ends.push(...ends);
    return last.done;
  }
  const { promise, resolve, reject } = Promise.withResolvers<ScopeRecord>();
  const batch: Batch = { ends: [...ends], begun: false, done: promise };
  batches.set(key, batch);
  const fold = async (): Promise<ScopeRecord> => {
    await Promise.allSettled([last?.done]);
    batch.begun = true;
    return foldIn(tables, scope, batch.ends);
  };
  const forget = (): void => {
    if (batches.get(key) === batch) batches.delete(key);
  };
  fold().finally(forget).then(resolve, reject);
  return promise;
}

/** An intent that is gone was dealt with by somebody else; then nothing is done. */
async function foldIn(
  tables: IntentTables,
  scope: Scope,
  ends: readonly End[],
): Promise<ScopeRecord> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const document = await readScope(tables.scopes, scope);
    const found = document?.writes.filter(({ token }) => ends.some((end) => end.token === token));
    if (document === null || found === undefined || found.length === 0) {
      return document === null ? scopeOrEmpty(tables.scopes, scope) : scopeRecordOf(document);
    }
    const happened = found.filter((intent) =>
      ends.some(({ token, verdict }) => token === intent.token && verdict === 'Happened'),
    );
    const next = await folded(tables, document, { found, happened });
    const writes = document.writes.filter((intent) => !found.includes(intent));
    const { _id, ...rest } = encodeScope(next);
    const settleAt = settleAtOf(writes);
    const revision = document.revision + 1;
    const change = { $set: { ...rest, writes, settleAt, revision, ...touchedBy(found, document) } };
    if (await tables.scopes.update(asRead(document), change)) {
      return scopeRecordOf({ ...document, ...rest, writes });
    }
    await pause();
  }
  throw new VarveError('TIMEOUT', 'Too many writers of one scope; it is settled by itself later.');
}

/** Whether or not they happened: who keeps the memories in mind looks at them again. */
function touchedBy(
  found: readonly WriteIntent[],
  { touches, touched }: ScopeDocument,
): Pick<ScopeDocument, 'touches' | 'touched'> {
  const ids = found.flatMap(idsOf);
  return { touches: touches + ids.length, touched: [...touched, ...ids].slice(-TOUCHED_MAX) };
}

/**
 * Folds in the write that a document bears, if that is still owed: once another token stands
 * there, nobody could tell any more that it happened.
 */
export async function finishOlder(
  tables: IntentTables,
  document: ScopeDocument,
  tokens: readonly string[],
): Promise<void> {
  const owed = document.writes.filter(({ token }) => tokens.includes(token));
  if (owed.length === 0) return;
  const ends = owed.map(({ token }) => ({ token, verdict: 'Happened' as const }));
  await conclude(tables, document._id, ...ends);
}

async function folded(
  { summaries, digest }: IntentTables,
  document: ScopeDocument,
  { found, happened }: { found: readonly WriteIntent[]; happened: readonly WriteIntent[] },
): Promise<ScopeRecord> {
  let record = scopeRecordOf(document);
  // After a compaction too: whoever read its words before is to read the sources again.
  const isRaised = found.some(isHeard) || isCompacting({ writes: found });
  record = { ...record, version: record.version + (isRaised ? 1 : 0) };
  // Asked now and not before the writes: a commit in between may have cited them.
  const dropped = happened.filter(({ of }) => of.kind === 'Memory' && of.drops !== null);
  const cited = await citedBy(
    summaries,
    document,
    dropped.map(({ id }) => id),
  );
  for (const intent of happened) {
    if (intent.of.kind === 'Touch') {
      record = { ...record, sourceBytes: Math.max(0, record.sourceBytes + intent.of.bytes) };
    }
    if (intent.of.kind === 'Compaction') {
      const { version } = record;
      record = { ...applyCompaction(record, intent.of.bytes), version };
    }
    for (const change of changesOf(intent, { document, cited: cited.has(intent.id), digest })) {
      const { version } = record;
      record = { ...applyChange(record, change, rulesOf(intent)), version };
    }
  }
  return record;
}

async function pause(): Promise<void> {
  await sleep(Math.random() * PAUSE_MS_MAX);
}
