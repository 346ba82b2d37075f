/** One scope with very many memories: the cost of its first summary, and of one change. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createActivities } from '#activities/create-activities.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { addTotals } from '#core/add-totals.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { NO_TOTALS, type RefreshTotals } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { madeUpMemories } from '../search/made-up-memories.ts';
import { quickModel } from './refreshed-tenants.ts';

const TENANT = 'bench';
const SCOPE = { layer: 'project' as const, identifiers: { projectId: 'large' } };
const MEMORIES_PER_CALL = 5_000;
const ROUNDS_MAX = 10_000;
const SEED = 20_261_122;
/** Micro-dollars that the tenant may spend in total: one dollar. */
const BUDGET_MICRO_DOLLARS = 1_000_000;

export interface LargeScopeCost {
  readonly memories: number;
  /** Tokens of all its memories, which a summary without segments would have to read each time. */
  readonly sourceTokens: number;
  readonly first: Work;
  /** The work after one more memory. */
  readonly change: Work;
  readonly spentMicroDollars: number;
  readonly budgetMicroDollars: number;
  /** Tokens of the largest call, to compare with what the model can read. */
  readonly largestInput: number;
  readonly inputTokensMax: number;
}

export interface Work {
  readonly calls: number;
  readonly nodes: number;
  readonly inputTokens: number;
}

/** Adds, summarizes, changes one memory, summarizes again. Without Temporal: rounds run inline. */
export async function measureLargeScope(memories: number): Promise<LargeScopeCost> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-bench-large-'));
  try {
    const watched = watching();
    await using parts = await openParts({ dataDir, log: SILENT_LOG, model: watched.model });
    await declare(parts);
    await fill(parts, madeUpMemories(memories, SEED).memories);
    await refresh(parts);
    const first = watched.take();
    const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
    const content = 'The harbour of the old town opens at nine from the first of May.';
    await OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, { tenant: TENANT, ...SCOPE, content });
    await refresh(parts);
    const change = watched.take();
    const scope = { tenant: TENANT, layer: SCOPE.layer, scopeId: SCOPE.identifiers.projectId };
    const { sourceTokens } = await parts.store.scopes.get(scope);
    const spentMicroDollars = await spentOf(parts);
    const { largestInput, inputTokensMax } = watched;
    return {
      memories,
      sourceTokens,
      first,
      change,
      spentMicroDollars,
      budgetMicroDollars: BUDGET_MICRO_DOLLARS,
      largestInput: largestInput(),
      inputTokensMax: inputTokensMax(),
    };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The quick model, which records what it was asked since the last check. */
function watching() {
  let asked: ModelBatch[] = [];
  let largest = 0;
  let limit = 0;
  const tokensOf = ({ items }: ModelBatch) =>
    items.flatMap(({ sources }) => sources).reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    model: (extractive: SummaryModel): SummaryModel => {
      const quick = quickModel(extractive);
      limit = quick.inputTokensMax;
      return {
        ...quick,
        answer: (batch, call) => {
          asked.push(batch);
          largest = Math.max(largest, tokensOf(batch));
          return quick.answer(batch, call);
        },
      };
    },
    take: (): Work => {
      const work = {
        calls: asked.length,
        nodes: asked.reduce((sum, { items }) => sum + items.length, 0),
        inputTokens: asked.reduce((sum, batch) => sum + tokensOf(batch), 0),
      };
      asked = [];
      return work;
    },
    largestInput: () => largest,
    inputTokensMax: () => limit,
  };
}

async function declare({ store, platform }: Parts): Promise<void> {
  const owner = { cluster: 'bench', namespace: 'bench', name: TENANT, uid: TENANT };
  const limits = { limitTokens: null, limitMicroDollars: BUDGET_MICRO_DOLLARS };
  const budget = { ...limits, onExhausted: 'Reject' as const };
  const policy = { ...defaultPolicy(TENANT), budget };
  await store.policies.put(owner, policy, { hash: TENANT, now: platform.clock() });
}

async function fill(parts: Parts, contents: readonly string[]): Promise<void> {
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  for (let at = 0; at < contents.length; at += MEMORIES_PER_CALL) {
    const page = contents.slice(at, at + MEMORIES_PER_CALL);
    const memories = page.map((content) => ({ ...SCOPE, content }));
    const { failed } = await OPERATIONS.memory.bulkAdd.call(ports, LOCAL_OPERATOR, {
      tenant: TENANT,
      memories,
    });
    if (failed > 0) throw new Error(`${String(failed)} memories were refused`);
  }
}

async function refresh(parts: Parts): Promise<RefreshTotals> {
  const signal = new AbortController().signal;
  const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => ({ signal }));
  let totals = NO_TOTALS;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const done = await refreshRound(activities, {
      tenant: TENANT,
      claimId: parts.platform.newId(),
      kind: 'Stale',
      codeOf: (failure) => {
        if (failure instanceof VarveError) return failure.code;
        throw failure;
      },
    });
    totals = addTotals(totals, done);
    if (done.generated + done.advanced + done.refused + done.unchanged === 0) return totals;
  }
  throw new Error(`${String(ROUNDS_MAX)} rounds did not summarize the scope`);
}

async function spentOf({ store, platform }: Parts): Promise<number> {
  const unlimited = { limitTokens: null, limitMicroDollars: null, onExhausted: 'Reject' } as const;
  const account = await store.accounts.get(TENANT, periodOf(platform.clock()), unlimited);
  return account.spent.microDollars;
}
