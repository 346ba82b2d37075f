/**
 * Summaries, and the commit that makes a new generation current: one change of the scope's
 * document, which names the current generation of each audience. A generation is written before it
 * is named and removed after it is not, so that no reader and no death sees half a commit.
 */
import { GENERAL } from '#core/variants/audience.ts';
import { VarveError } from '#core/errors.ts';
import type { SummaryCommit, SummaryRecords } from '#core/ports/summary-records.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';

import { deliverEvents, type EventDocuments } from './events.ts';
import {
  asRead,
  atVersion,
  encodeScope,
  ensureScope,
  isCompacting,
  INTENT_MS_MAX,
  NEVER,
  readScope,
  settleAtOf,
  type Current,
  type ScopeDocument,
  type ScopeDocuments,
} from './scope-document.ts';
import { removeSegments, type SegmentDocuments } from './segments.ts';
import {
  decodeSummary,
  encodeSummary,
  summaryId,
  type SummaryDocuments,
} from './summary-document.ts';
import { byId } from './table.ts';
import { removeVariants, type VariantDocuments } from './variants.ts';

/** Generations that a death left behind go with the first commit after this time. */
const ORPHAN_MS_MAX = 60 * 60 * 1_000;
/** Reads against commits that remove the generation in between. */
const READ_TRIES_MAX = 4;

export interface SummaryTables {
  readonly scopes: ScopeDocuments;
  readonly summaries: SummaryDocuments;
  readonly segments: SegmentDocuments;
  readonly variants: VariantDocuments;
  readonly events: EventDocuments;
}

export function summaryRecords(tables: SummaryTables): SummaryRecords {
  return {
    get: (scope, audience) => readSummary(tables, scope, audience),
    list: (tenant, limit) => listSummaries(tables, tenant, limit),
    commit: (commit) => commitSummary(tables, commit),
  };
}

async function readSummary(
  { scopes, summaries }: SummaryTables,
  scope: Scope,
  audience: string,
): Promise<Summary | null> {
  for (let tries = 0; tries < READ_TRIES_MAX; tries += 1) {
    const document = await readScope(scopes, scope);
    const current = document?.summaries.find((each) => each.audience === audience);
    if (current === undefined) return null;
    const found = await summaries.first(byId(summaryId(scope, current)));
    if (found !== null) return decodeSummary(found, current);
  }
  throw new VarveError('CORRUPT', 'A current summary is not there. Restore a backup.');
}

async function listSummaries(
  { scopes, summaries }: SummaryTables,
  tenant: string,
  limit: number,
): Promise<Summary[]> {
  const having = { '_id.tenant': tenant, 'summaries.0': { $exists: true } };
  const sort = { '_id.layer': 1, '_id.scopeId': 1 } as const;
  const documents = await scopes.select(having, { sort, limit });
  const current = documents.flatMap((document) =>
    document.summaries
      .toSorted((a, b) => (a.audience < b.audience ? -1 : 1))
      .map((each) => ({ _id: summaryId(document._id, each), each })),
  );
  const wanted = current.slice(0, limit);
  const ids = { _id: { $in: wanted.map(({ _id }) => _id) } };
  const found = await summaries.select(ids, { limit: wanted.length });
  const byName = new Map(found.map((document) => [JSON.stringify(document._id), document]));
  return wanted.flatMap(({ _id, each }) => {
    const document = byName.get(JSON.stringify(_id));
    return document === undefined ? [] : [decodeSummary(document, each)];
  });
}

async function commitSummary(tables: SummaryTables, commit: SummaryCommit): Promise<boolean> {
  const { scope, outcome, summary, event } = commit;
  if (outcome === 'Generated' && summary === null) {
    throw new VarveError('INVALID_INPUT', 'A generated outcome comes with its summary.');
  }
  if (scope.version === 1) await ensureScope(tables.scopes, scope);
  const before = await readScope(tables.scopes, scope);
  if (before === null || before.record.version !== scope.version - 1) return false;
  if (isCompacting(before)) return false;
  if (summary !== null) await tables.summaries.put(encodeSummary(summary));
  const current = currentAfter(before.summaries, commit);
  const { _id, ...rest } = encodeScope(scope);
  const settleAt = Math.min(settleAtOf(before.writes), event.at + INTENT_MS_MAX);
  const forgottenBefore = forgottenAfter(before, commit);
  const written = await tables.scopes.update(asRead(before), {
    $set: { ...rest, summaries: current, forgottenBefore, settleAt },
    $push: { events: event },
  });
  if (!written) {
    if (summary !== null) await tables.summaries.remove(byId(summaryId(scope, summary)));
    return false;
  }
  await tidy(tables, { before, current }, commit);
  return true;
}

function currentAfter(
  before: readonly Current[],
  { summary, outcome, scope }: SummaryCommit,
): readonly Current[] {
  switch (outcome) {
    case 'Generated': {
      if (summary === null) return before;
      const { audience, id, checkedAt } = summary;
      // Variants were chosen from the general summary before this one.
      const isOther = (each: Current) => audience !== GENERAL && each.audience !== audience;
      const others = before.filter(isOther);
      return [...others, { audience, id, checkedAt }];
    }
    case 'Unchanged': {
      const checkedAt = scope.checkedAt ?? 0;
      return before.map((each) => (each.audience === GENERAL ? { ...each, checkedAt } : each));
    }
    default:
      return [];
  }
}

/**
 * A recount leaves out what ended by itself: what ends before the next expiry that it found, and,
 * where it found none, whatever has ended until now. With a write under way there is no recount.
 */
function forgottenAfter(before: ScopeDocument, { scope }: SummaryCommit): number {
  if (before.writes.length > 0) return before.forgottenBefore;
  const ended = Math.min(scope.nextExpiryAt ?? NEVER, (scope.checkedAt ?? 0) + 1);
  return Math.max(before.forgottenBefore, ended);
}

/** What goes with the last source of a scope, beside its summaries. Repeatable. */
export async function removeParts(
  { segments, variants }: Pick<SummaryTables, 'segments' | 'variants'>,
  scope: Scope,
): Promise<void> {
  await removeSegments(segments, scope);
  await removeVariants(variants, scope);
}

/** What a death may leave undone: the next look for due work delivers, a later commit removes. */
async function tidy(
  tables: SummaryTables,
  { before, current }: { before: ScopeDocument; current: readonly Current[] },
  { scope, event, outcome }: SummaryCommit,
): Promise<void> {
  if (outcome === 'Emptied') await removeParts(tables, scope);
  await deliverEvents(tables, { ...before, events: [...before.events, event] });
  const settleAt = settleAtOf(before.writes);
  const committed = { ...atVersion(scope, scope.version), revision: before.revision };
  await tables.scopes.update(committed, { $set: { settleAt } });
  const named = new Set(current.map(({ id }) => id));
  const replaced = before.summaries.map(({ id }) => id).filter((id) => !named.has(id));
  const { tenant, layer, scopeId } = scope;
  await tables.summaries.removeAll({
    '_id.tenant': tenant,
    '_id.layer': layer,
    '_id.scopeId': scopeId,
    '_id.id': { $nin: [...named] },
    $or: [{ '_id.id': { $in: replaced } }, { generatedAt: { $lt: event.at - ORPHAN_MS_MAX } }],
  });
}
