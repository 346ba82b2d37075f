/** Scopes whose summary is not made: given up, or waiting for a model or for budget. */
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { waitsForBudget, waitsForModel } from '#core/refresh/scope-failure.ts';
import { chosenScopes } from '#memory/chosen-scopes.ts';
import type { Parts } from '../compose.ts';
import { count } from '../demo/text.ts';
import { guarded, type Finding } from './finding.ts';

/** Tenants that are looked at, and scopes of all of them together. */
const TENANTS_MAX = 200;
const SCOPES_MAX = 20_000;

const PART = 'summaries';

interface Tally {
  scopes: number;
  given: number;
  /** Tenants with scopes that were given up, for the command that lists them. */
  readonly givenIn: Set<string>;
  budget: number;
  waiting: number;
  /** Since when the first of those has waited, and after which error. */
  since: number;
  code: string;
}

export function summaryFindings(parts: Pick<Parts, 'store'>): Promise<readonly Finding[]> {
  return guarded(PART, async () => findingOf(await tallied(parts)));
}

async function tallied({ store }: Pick<Parts, 'store'>): Promise<Tally> {
  const tally: Tally = {
    scopes: 0,
    given: 0,
    givenIn: new Set(),
    budget: 0,
    waiting: 0,
    since: Infinity,
    code: '',
  };
  for (const tenant of await store.embeddings.tenants({ after: null, limit: TENANTS_MAX })) {
    for await (const record of chosenScopes({ store }, { tenant })) {
      if (tally.scopes >= SCOPES_MAX) return tally;
      add(tally, record);
    }
  }
  return tally;
}

function add(tally: Tally, record: ScopeRecord): void {
  const { deadLetter, hold, tenant } = record;
  tally.scopes += 1;
  if (deadLetter !== null) {
    tally.given += 1;
    tally.givenIn.add(tenant);
  } else if (waitsForBudget(record)) tally.budget += 1;
  else if (hold !== null && waitsForModel(record)) {
    tally.waiting += 1;
    if (hold.since < tally.since) Object.assign(tally, { since: hold.since, code: hold.code });
  }
}

/** The worst is told: an outage stops all, a dead letter one scope, a budget what it was set to. */
function findingOf({ scopes, given, givenIn, budget, waiting, since, code }: Tally): Finding {
  if (waiting > 0) {
    const text =
      `${count(waiting, 'scope')} waiting for a model since ${new Date(since).toISOString()} ` +
      `(${code}). Check its address, key and name; they go on by themselves once it answers.`;
    return { part: PART, state: 'wrong', text };
  }
  if (given > 0) {
    const [tenant = ''] = givenIn;
    const text =
      `${count(given, 'scope')} failed three times (dead letter). ` +
      `varve summaries dead --tenant ${tenant} says why.`;
    return { part: PART, state: 'wrong', text };
  }
  if (budget > 0) {
    const waits = `${count(budget, 'scope')} waiting for budget`;
    const text = `${waits}; varve budget says how much is left.`;
    return { part: PART, state: 'note', text };
  }
  return { part: PART, state: 'ok', text: `none of ${count(scopes, 'scope')} is held up` };
}
