/** The end of a demo: workflows, addresses, cost, where things lie, what to try next. */
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { periodOf } from '#core/budget/budget.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import type { Stack } from '../stack/start-stack.ts';
import { count, dollars, heading } from './text.ts';

const EVENTS_MAX = 10_000;
const LEDGER_MAX = 10_000;
const RUNS_SHOWN_MAX = 5;

export interface FooterInput {
  readonly stack: Stack;
  readonly tenant: string;
  readonly dataDir: string;
  readonly seconds: number;
}

export async function printFooter({
  stack,
  tenant,
  dataDir,
  seconds,
}: FooterInput): Promise<string> {
  const { store, platform } = stack.parts;
  const policy = await policyInForce(store.policies, tenant);
  const account = await store.accounts.get(tenant, periodOf(platform.clock()), policy.budget);
  const events = await store.events.list(tenant, { afterId: null, limit: EVENTS_MAX });
  const calls = await store.accounts.entries(tenant, { limit: LEDGER_MAX });
  const made = events.filter(({ type }) => type === 'memory_summary_created').length;
  const skipped = events.filter(({ type }) => type === 'memory_summary_checked').length;
  return [
    heading('4. Where to look'),
    `  workflows    ${refreshWorkflowId(tenant)}: ${await runsOf(stack, tenant)}`,
    ...(stack.temporal.uiUrl === null ? [] : [`  Temporal UI  ${stack.temporal.uiUrl}`]),
    `  API          ${stack.api.url}`,
    `  cost         ${count(made, 'summary')} made, ${count(skipped, 'check')} without one, ` +
      `${count(calls.length, 'model call')}, ` +
      `${count(account.spent.tokens, 'token')} paid, ${dollars(account.spent.microDollars)}`,
    `  time         ${seconds.toFixed(1)} s`,
    `  data         ${dataDir}`,
    heading('Next'),
    '  npm run demo -- --keep               leave it running, with the Temporal UI',
    '  npm run demo -- --input README.md    the same on your own files',
    '  npm start                            run it for your agents',
  ].join('\n');
}

async function runsOf({ client }: Stack, tenant: string): Promise<string> {
  const query = `WorkflowId = "${refreshWorkflowId(tenant)}"`;
  const runs: string[] = [];
  for await (const run of client.client.workflow.list({ query }))
    runs.push(run.status.name.toLowerCase());
  const shown = runs.slice(0, RUNS_SHOWN_MAX).join(', ');
  return `${count(runs.length, 'run')} (${shown}${runs.length > RUNS_SHOWN_MAX ? ', …' : ''})`;
}
