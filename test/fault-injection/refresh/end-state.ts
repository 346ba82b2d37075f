/** What a refresh leaves: in the store, in the account, and in the histories of its runs. */
import { Worker } from '@temporalio/worker';
import { periodOf, reservedOf } from '#core/budget/budget-account.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { historiesOf, PAYLOAD_BYTES_MAX, readHistory } from '../../workflows/history-text.ts';
import { eventually, testBundle, type Stack } from '../../workflows/fixture.ts';

export const UNLIMITED: BudgetPolicy = {
  limitTokens: null,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};
const ENTRIES_MAX = 10_000;
/** In every memory of a proof; scope ids of people begin with the second. */
export const SECRET_WORD = 'Zanzibar';
export const PERSON = 'person-';

/** Every scope fresh, nothing leased, dead-lettered, reserved or pending. */
export async function unsettled(stack: Stack, tenant: string): Promise<readonly string[]> {
  const { store } = stack.parts;
  const found: string[] = [];
  for (const scope of await stack.scopes(tenant)) {
    const { changes, lease, deadLetter, sourceHash, layer, scopeId } = scope;
    const summary = await store.summaries.get(scope, '');
    const name = `${layer}/${scopeId}`;
    if (changes > 0 || lease !== null || deadLetter !== null) found.push(`${name} is pending`);
    if (summary?.sourceHash !== sourceHash) found.push(`${name} is not fresh`);
  }
  const { wanted, acknowledged } = await store.refreshRequests.get(tenant);
  if (wanted !== acknowledged) found.push('a refresh request is not acknowledged');
  return [...found, ...(await openReservations(stack, tenant))];
}

async function openReservations({ parts }: Stack, tenant: string): Promise<readonly string[]> {
  const period = periodOf(parts.platform.clock());
  const account = await parts.store.accounts.get(tenant, period, UNLIMITED);
  const reserved = reservedOf(account).microDollars;
  return reserved === 0 ? [] : [`${String(reserved)} micro-dollars are still reserved`];
}

/** Micro-dollars and calls of a tenant, as its ledger has them. */
export async function spendingOf({ parts }: Stack, tenant: string) {
  const entries = await parts.store.accounts.entries(tenant, { limit: ENTRIES_MAX });
  const spent = entries.reduce((sum, entry) => sum + entry.spent.microDollars, 0);
  return { spent, calls: entries.filter(({ outcome }) => outcome !== 'NotCharged').length };
}

/** What a tenant's histories hold that they must not, and whether they replay. */
export async function historyFindings(stack: Stack, tenant: string): Promise<readonly string[]> {
  const histories = await eventually('listed runs', async () => {
    const found = await historiesOf(stack, tenant);
    return found.length === 0 ? null : found;
  });
  const found: string[] = [];
  for (const { runId, history } of histories) {
    const { texts, payloads } = readHistory(history);
    const text = texts.join('\n');
    for (const secret of [SECRET_WORD, PERSON]) {
      if (text.includes(secret)) found.push(`the history of ${runId} holds "${secret}"`);
    }
    const largest = Math.max(0, ...payloads);
    if (largest >= PAYLOAD_BYTES_MAX) found.push(`a payload of ${runId} has ${String(largest)} B`);
  }
  const replayed = Worker.runReplayHistories({ workflowBundle: await testBundle() }, histories);
  for await (const { error } of replayed) {
    if (error !== undefined) found.push(`does not replay: ${error.message}`);
  }
  return found;
}

/** How many runs were started and not continued from another. */
export async function startsOf(stack: Stack, tenant: string): Promise<number> {
  const histories = await historiesOf(stack, tenant);
  return histories.filter(({ history }) => !continued(history)).length;
}

function continued(history: unknown): boolean {
  const { events } = history as {
    events: readonly {
      workflowExecutionStartedEventAttributes?: { continuedExecutionRunId?: string };
    }[];
  };
  const [first] = events;
  return (first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '') !== '';
}
