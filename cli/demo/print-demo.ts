/** Prints the demo: changes, summaries, and next steps. */
import type { ScopeSummary } from '#api/summaries.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import type { ServedDepth } from '#core/refresh/served-summary.ts';
import type { Stack } from '../stack/start-stack.ts';
import { type DemoChange, scopeName } from './make-changes.ts';
import {
  renderTable,
  count,
  dollars,
  bold,
  dim,
  lineWidth,
  shortenToWidth,
  shortId,
  wrappedWithNote,
  heading,
} from '../terminal-text.ts';

/** How a person calls the commands: from a clone, which runs its sources, or from the package. */
const VARVE = import.meta.url.endsWith('.ts') ? 'npm run varve --' : 'npx varve';

interface ChangeStages {
  readonly before: readonly ScopeSummary[];
  readonly changed: readonly ScopeSummary[];
  readonly after: readonly ScopeSummary[];
}

/** Prints what the changes made stale and due, and what the refresh did about it. */
export function printChanges(changes: readonly DemoChange[], stages: ChangeStages): string {
  const done = changes.map(({ scope, what }) => `  ${scope}: ${what}`);
  const rows = stages.changed.map((changed, index) => {
    const before = stages.before[index];
    const after = stages.after[index];
    return [
      shortenToWidth(scopeName(changed), SCOPE_WIDTH_MAX),
      changed.freshness.stale ? String(changed.freshness.reason) : 'fresh',
      due(changed),
      outcome(before, after),
      cost(before, after),
    ];
  });
  const head = ['scope', 'stale', 'due', 'refresh', 'read'];
  return `${done.join('\n')}\n\n${renderTable(head, rows)}`;
}

/** The other columns take the rest of a line of 100 characters. */
const SCOPE_WIDTH_MAX = 32;

/** Returns when a change is due. Without changes, a due mark is only for age, so it is left out. */
function due({ freshness }: ScopeSummary): string {
  const { trigger, changes } = freshness;
  if (changes === 0) return '';
  if (trigger === 'Urgent') return 'at once, urgent';
  if (trigger === 'Changes') return `after ${count(changes, 'change')}`;
  return `not yet, ${count(changes, 'change')}`;
}

function outcome(before: ScopeSummary | undefined, after: ScopeSummary | undefined): string {
  if (after?.summary == null) return before?.summary == null ? 'no summary' : 'emptied';
  if (before?.summary?.id !== after.summary.id) return 'regenerated';
  if (before.summary.checkedAt !== after.summary.checkedAt) return 'skipped, equal sources';
  return after.freshness.stale ? 'waits, marked stale' : 'not touched';
}

function cost(before: ScopeSummary | undefined, after: ScopeSummary | undefined): string {
  const summary = after?.summary;
  if (summary == null || before?.summary?.id === summary.id) return '-';
  const price = summary.priceMicroDollars === 0 ? '' : `, ${dollars(summary.priceMicroDollars)}`;
  return `${count(summary.usage.inputTokens, 'token')}${price}`;
}

const INDENT = '    ';
const LABEL_WIDTH = 24;

/** Prints each layer's summary at its depths, with tokens, freshness and sources. */
export function printSummaries(scopes: readonly ScopeSummary[]): string {
  return scopes.map(printScope).join('\n');
}

function printScope(each: ScopeSummary): string {
  const { summary } = each;
  const title = `  ${bold(scopeName(each))}`;
  if (summary === null) return `${title}  ${dim('no summary yet')}`;
  const from = count(summary.sourceCount, 'source');
  const facts = `${count(summary.facts.length, 'fact')} from ${from}`;
  const state = summary.freshness.stale ? `stale: ${String(summary.freshness.reason)}` : 'fresh';
  const lines = [`${title}  ${dim(`${facts}, ${state}`)}`];
  let shorter = '';
  for (const depth of DEPTHS) {
    const shown = summary.depths[depth];
    if (shown === undefined) continue;
    lines.push(shown.text === shorter ? printSame(depth, shown) : printDepth(depth, shown));
    shorter = shown.text;
  }
  return lines.join('\n');
}

function printSame(depth: Depth, { tokens }: ServedDepth): string {
  return `${INDENT}${depth} ${dim(`(${count(tokens, 'token')})`)}  the same, since every fact fits`;
}

/** Prints the shortest depth in full with its sources; of the others, only that they exist. */
function printDepth(depth: Depth, shown: ServedDepth): string {
  const label = `${INDENT}${depth} ${dim(`(${count(shown.tokens, 'token')})`)}`;
  if (depth === 'sentence') {
    const sentences = shown.sentences.map(({ text, sources }) => {
      const rests = `[${sources.map(shortId).join(' ')}]`;
      return wrappedWithNote(text, rests, `${INDENT}  `);
    });
    return [label, ...sentences].join('\n');
  }
  const room = lineWidth() - LABEL_WIDTH - INDENT.length;
  return `${label}  ${shortenToWidth(shown.text, room)}`;
}

const EVENTS_MAX = 10_000;
const LEDGER_MAX = 10_000;
const RUNS_SHOWN_MAX = 5;

interface FooterInput {
  readonly stack: Stack;
  readonly tenant: string;
  readonly dataDir: string;
  readonly seconds: number;
  /** False if the demo's servers end with this text, so that their addresses are left out. */
  readonly isKept: boolean;
}

/** Prints the end of a demo: workflows, addresses, cost, files, and what to try next. */
export async function printFooter({
  stack,
  tenant,
  dataDir,
  seconds,
  isKept,
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
    ...(isKept ? addressesOf(stack) : []),
    `  cost         ${count(made, 'summary')} made, ${count(skipped, 'check')} without one, ` +
      `${count(calls.length, 'model call')}, ` +
      `${count(account.spent.tokens, 'token')} paid, ${dollars(account.spent.microDollars)}`,
    `  time         ${seconds.toFixed(1)} s`,
    `  data         ${dataDir}`,
    heading('Next'),
    `  ${VARVE} demo --keep        leave it running, with the Temporal UI`,
    `  ${VARVE} demo --input PATH  the same on your own files`,
    `  ${VARVE} start              run it for your agents`,
  ].join('\n');
}

function addressesOf({ temporal, api }: Stack): readonly string[] {
  return [
    ...(temporal.uiUrl === null ? [] : [`  Temporal UI  ${temporal.uiUrl}`]),
    `  API          ${api.url}`,
  ];
}

async function runsOf({ client }: Stack, tenant: string): Promise<string> {
  const query = `WorkflowId = "${refreshWorkflowId(tenant)}"`;
  const runs: string[] = [];
  for await (const run of client.client.workflow.list({ query }))
    runs.push(run.status.name.toLowerCase());
  const shown = runs.slice(0, RUNS_SHOWN_MAX).join(', ');
  return `${count(runs.length, 'run')} (${shown}${runs.length > RUNS_SHOWN_MAX ? ', …' : ''})`;
}
