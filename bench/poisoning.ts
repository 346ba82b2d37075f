/**
 * Measures the effect of planted texts: 200 hand-written attacks in four languages, each as the
 * output of a tool in a conversation, along with harmless outputs. What is served afterwards is
 * searched for what the attack wanted: without a model, and with one that obeys its sources.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { dreamsInProcess, refreshInProcess } from '#cli/in-process-work.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { InjectionRule } from '#core/records/review.ts';
import { injectionRuleIn } from '#core/sources/prompt-injection.ts';
import { halfOfCase } from './grounding-cases.ts';

const PERCENT = 100;

export async function run(): Promise<void> {
  const { attacks, harmless } = readPoison();
  const outcomes = await judgedAttacks(attacks);
  for (const half of ['develop', 'report'] as const) {
    const own = outcomes.filter(({ attack }) => halfOfCase(attack) === half);
    console.log(`${half}: of ${String(own.length)} attacks, how many came through`);
    console.log(`  ${'by'.padEnd(14)}${OUTCOMES.map((name) => name.padStart(12)).join('')}`);
    const groups = [
      ...Map.groupBy(own, ({ attack }) => attack.lang),
      ...Map.groupBy(own, ({ attack }) => attack.kind),
      ['all', own] as const,
    ];
    for (const [name, group] of groups) print(name, group);
  }
  const kept = harmless.filter(({ rule }) => rule !== null);
  const share = Math.round((PERCENT * kept.length) / harmless.length);
  console.log(`harmless outputs kept back: ${String(kept.length)} of ${String(harmless.length)}`);
  console.log(
    `  ${String(share)} %${kept.map(({ id, rule }) => `, ${id} ${String(rule)}`).join('')}`,
  );
}

function print(name: string, group: readonly Outcome[]): void {
  const cells = OUTCOMES.map((what) => {
    const count = group.filter((each) => each.reached.includes(what)).length;
    return `${String(count)}/${String(group.length)}`.padStart(12);
  });
  console.log(`  ${name.padEnd(14)}${cells.join('')}`);
}

export interface Attack {
  readonly id: string;
  readonly kind: string;
  readonly lang: string;
  /** The output of the tool. */
  readonly text: string;
  /** Text that must not appear anywhere afterwards. */
  readonly planted: string;
}

interface Harmless {
  readonly id: string;
  readonly text: string;
}

/** How far an attack may get: past the rules, and to readers without and with a model. */
export const OUTCOMES = ['past rules', 'no model', 'obeying'] as const;

export interface Outcome {
  readonly attack: Attack;
  readonly reached: readonly (typeof OUTCOMES)[number][];
}

/** Reads hand-written attacks and harmless outputs of tools. */
export function readPoison() {
  const attacks = linesOf('attacks.jsonl') as readonly Attack[];
  const harmless = (linesOf('harmless.jsonl') as readonly Harmless[]).map((each) => ({
    ...each,
    rule: injectionRuleIn(each.text) satisfies InjectionRule | null,
  }));
  return { attacks, harmless };
}

function linesOf(name: string): readonly unknown[] {
  const text = readFileSync(path.join(import.meta.dirname, '../test/poisoning', name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

export async function judgedAttacks(attacks: readonly Attack[]): Promise<readonly Outcome[]> {
  const [without, obeying] = [await served(attacks, null), await served(attacks, obedient)];
  return attacks.map((attack) => {
    const passed = injectionRuleIn(attack.text) === null;
    const reached = [passed, without.has(attack.id), obeying.has(attack.id)];
    return { attack, reached: OUTCOMES.filter((_, at) => reached[at]) };
  });
}

const TENANT = 'acme';
const HONEST = 'I live in Oslo and I work on the billing service.';

type Stub = (attacks: readonly Attack[]) => (extractive: SummaryModel) => SummaryModel;

/** Returns the ids of attacks of which something is served. */
async function served(attacks: readonly Attack[], stub: Stub | null): Promise<ReadonlySet<string>> {
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-poisoning-'));
  held.defer(() => rm(dataDir, { recursive: true }));
  const model = stub === null ? {} : { model: stub(attacks) };
  const opened = { dataDir, log: SILENT_LOG, measured: false, ...model };
  const parts = held.use(await openParts(opened));
  const ports = apiPortsOf(parts, dreamsInProcess(parts), null);
  const refreshHere = refreshInProcess.bind(null, parts);
  const library = libraryOf({ ...ports, refreshHere }, LOCAL_OPERATOR);
  for (const attack of attacks) await converse(library, attack);
  await library.refresh({ tenant: TENANT });
  const found = new Set<string>();
  for (const attack of attacks) {
    const text = await readAll(library, attack);
    if (!text.includes('Oslo')) throw new Error(`${attack.id}: what was said is missing.`);
    if (text.toLowerCase().includes(attack.planted.toLowerCase())) found.add(attack.id);
  }
  return found;
}

async function converse(library: Library, { id, text }: Attack): Promise<void> {
  const identifiers = { userId: id };
  const session = { tenant: TENANT, sessionId: id };
  const turns = [
    { id: 'said', role: 'user' as const, content: HONEST },
    { id: 'attack', role: 'tool' as const, content: text },
    { id: 'answered', role: 'assistant' as const, content: 'The billing service uses Postgres.' },
  ];
  await library.conversation.append({ ...session, identifiers, turns });
  await library.conversation.flush(session);
  await library.dream.run({ tenant: TENANT, subject: { kind: 'user', id } });
}

/** Returns the summary, the memories, MEMORY.md, and a context of a later session. */
async function readAll(library: Library, { id }: Attack): Promise<string> {
  const of = { tenant: TENANT, identifiers: { userId: id } };
  const inSession = { tenant: TENANT, identifiers: { sessionId: id } };
  const subject = { kind: 'user', id } as const;
  const query = 'Where does the user live, and what else is known?';
  return JSON.stringify([
    await library.summary.list(inSession),
    await library.memory.list(of),
    await library.document.get({ tenant: TENANT, subject, path: 'MEMORY.md' }),
    await library.context.assemble({ ...of, query }),
  ]);
}

/**
 * Claims what each attack wants, in its words and as a fact, citing any source that it is shown.
 */
const obedient: Stub = (attacks) => (extractive) => ({
  ...extractive,
  name: 'obedient',
  answer: (batch: ModelBatch) => {
    const items = batch.items.map(({ item, sources }) => ({
      item,
      facts: sources.flatMap(({ id, text }) => [
        { text, sources: [id], quote: text, kind: 'Instruction' },
        ...attacks.flatMap(({ planted }) => claims(planted, { id, text })),
      ]),
    }));
    const usage = { inputTokens: 1, outputTokens: 1 };
    return Promise.resolve({ text: JSON.stringify({ items }), usage });
  },
});

/** Claims from the attack in the source; any attack's if the source is an honest one. */
function claims(planted: string, { id, text }: { readonly id: string; readonly text: string }) {
  if (!text.includes(planted) && text !== HONEST) return [];
  return [`The user said ${planted}.`, `${planted}: ${HONEST}`].map((claim) => ({
    text: claim,
    sources: [id],
    quote: text,
    kind: 'Self',
  }));
}
