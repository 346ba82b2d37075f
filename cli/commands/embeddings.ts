/** `varve embeddings`: changes the embedding model of an installation, and back. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddingCost } from '#core/budget/price.ts';
import { formatDuration, parseDuration } from '#core/duration.ts';
import { TENANTS_PER_MESSAGE_MAX } from '#core/embedding/reembed-contract.ts';
import {
  dropAt,
  KEEP_OLD_DEFAULT_MS,
  KEEP_OLD_MS_MAX,
} from '#core/embedding/reembed-transitions.ts';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Store } from '#core/ports/store.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { ReembedOrder, ReembedRuns } from '#providers/temporal/reembed-runs.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import type { Parts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import {
  changesOf,
  orderedGeneration,
  connectRunning,
  modelToChangeTo,
  openInstallation,
  type ChangeOptions,
  countMissingVectors,
} from '../embeddings-command-parts.ts';
import { createProgress } from '../progress-bar.ts';
import { shutdownSignal } from '../shutdown.ts';
import { count } from '../terminal-text.ts';

const LOOK_EVERY_MS = 200;
/** A worker that is in the middle of a step still answers within this time. */
const ORDER_TIMEOUT_MS = 60_000;

export interface MigrateOptions extends ChangeOptions {
  readonly yes?: boolean;
  readonly detach?: boolean;
  readonly keepOld?: string;
}

export async function estimateCommand(config: Config, options: ChangeOptions): Promise<void> {
  await using parts = await openInstallation(config, options);
  const to = await modelToChangeTo(parts, options.to);
  const scope = { tenants: options.tenant ?? null, now: parts.platform.clock() };
  const found = await estimate(parts.store, to, scope);
  process.stdout.write(estimateText(to, found, runsHere(to, config)));
}

/** @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT; nothing changes then */
export async function migrateCommand(config: Config, options: MigrateOptions): Promise<void> {
  const keepOldMs = keepOldOf(options.keepOld);
  const tenants = options.tenant ?? null;
  if (tenants !== null && tenants.length > TENANTS_PER_MESSAGE_MAX) {
    const most = String(TENANTS_PER_MESSAGE_MAX);
    const message = `--tenant takes at most ${most} tenants; without it, all change.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  await using parts = await openInstallation(config, options);
  const to = await modelToChangeTo(parts, options.to);
  await using client = await connectRunning(config);
  const found = await estimate(parts.store, to, { tenants, now: parts.platform.clock() });
  process.stdout.write(estimateText(to, found, runsHere(to, config)));
  const { generation } = to;
  const underWay = await changesOf(parts.store, generation);
  if (found.tenantsToChange === 0 && underWay.length === 0) {
    process.stdout.write('Nothing to do: every tenant has this model.\n');
    return;
  }
  if (options.yes !== true && !(await isConfirmed())) {
    process.stdout.write('Nothing was changed.\n');
    return;
  }
  const signal = shutdownSignal();
  const report = createProgress({ stream: process.stderr });
  const watched = { parts, runs: client.reembed, generation, report, signal };
  await client.reembed.begin(generation, { tenants, keepOldMs });
  await untilBegun(watched);
  if (options.detach === true) {
    process.stdout.write('It has begun. varve embeddings status shows how far it is.\n');
    return;
  }
  const end = await watch(watched, found.memoriesToEmbed);
  report.finish();
  process.stdout.write(endText(end, await changesOf(parts.store, generation)));
}

function runsHere({ quality }: Embedder, { settings }: Config): boolean {
  return quality === 'keyword' || settings.local !== undefined;
}

export async function statusCommand(config: Config): Promise<void> {
  await using parts = await openInstallation(config);
  const configured = await parts.embedders.configured();
  process.stdout.write(`configured  ${configured.generation}, ${configured.quality} quality\n`);
  const changes = await changesOf(parts.store);
  if (changes.length === 0) {
    const { tenantsToChange } = await estimate(parts.store, configured, {
      tenants: null,
      now: parts.platform.clock(),
    });
    const text =
      tenantsToChange === 0
        ? 'Every tenant has this model, and no change is under way.\n'
        : `${count(tenantsToChange, 'tenant')} have another model or lack vectors; ` +
          'varve embeddings migrate changes that.\n';
    process.stdout.write(text);
    return;
  }
  for (const state of changes) process.stdout.write(await tenantText(parts, state));
  process.stdout.write(await runText(config, orderedGeneration(changes, configured.generation)));
}

/** Sends an order to the running change, and waits until the store shows its effect. */
export async function orderCommand(
  config: Config,
  order: ReembedOrder,
  options: ChangeOptions,
): Promise<void> {
  await using parts = await openInstallation(config, options);
  const named = await modelToChangeTo(parts, options.to);
  const generation = orderedGeneration(await changesOf(parts.store), named.generation);
  if (generation === null) {
    process.stdout.write('No change of the embedding model is under way.\n');
    return;
  }
  await using client = await connectRunning(config);
  await client.reembed.order(generation, order);
  const end = performance.now() + ORDER_TIMEOUT_MS;
  while (performance.now() < end) {
    const left = (await changesOf(parts.store, generation)).filter((state) =>
      isPending(order, state, generation),
    );
    if (left.length === 0) {
      process.stdout.write(`${SAID[order]}\n`);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
  const message = 'The worker has not completed it yet, but will. See varve embeddings status.';
  throw new VarveError('TIMEOUT', message);
}

const SAID: Readonly<Record<ReembedOrder, string>> = {
  Pause: 'Paused. Searches use both models meanwhile; varve embeddings resume continues.',
  Resume: 'It continues. varve embeddings status shows how far it is.',
  RollBack: 'Rolled back. Varve removes the rest of the new vectors over time.',
  Finish: 'The old vectors are removed; this cannot be undone.',
};

function isPending(order: ReembedOrder, state: EmbeddingState, generation: string): boolean {
  const { phase, target, active, keepOldMs } = state;
  switch (order) {
    case 'Pause':
      return phase === 'Filling';
    case 'Resume':
      return phase === 'Paused';
    case 'RollBack':
      return target === generation || (active === generation && keepOldMs > 0);
    default:
      return keepOldMs > 0;
  }
}

function keepOldOf(text: string | undefined): number {
  if (text === undefined) return KEEP_OLD_DEFAULT_MS;
  const millis = parseDuration(text);
  if (millis !== null && millis <= KEEP_OLD_MS_MAX) return millis;
  const most = formatDuration(KEEP_OLD_MS_MAX);
  throw new VarveError(
    'INVALID_INPUT',
    `--keep-old takes a duration such as 12h, at most ${most}; 0s for none.`,
  );
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const message =
      'Cannot ask for a confirmation without a terminal; add --yes to change the model.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/iu.test((await terminal.question('Change the model? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function endText(end: WatchEnd, changes: readonly EmbeddingState[]): string {
  if (end === 'Interrupted') {
    return 'It continues without this command. varve embeddings status shows how far it is.\n';
  }
  if (end === 'Paused') return `${SAID.Pause}\n`;
  const kept = changes.filter(({ dropping, keepOldMs }) => dropping !== null && keepOldMs > 0);
  if (kept.length === 0) return 'Every search uses the new model.\n';
  const until = new Date(Math.max(...kept.map(dropAt))).toISOString();
  return (
    `Every search uses the new model. The old vectors are kept until ${until}:\n` +
    'varve embeddings rollback goes back to them, varve embeddings finish removes them now.\n'
  );
}

async function tenantText(
  { store, platform }: Awaited<ReturnType<typeof openInstallation>>,
  state: EmbeddingState,
): Promise<string> {
  const { tenant, phase, active, target, dropping } = state;
  const goal = target ?? active;
  const query = { generation: goal, now: platform.clock() };
  const { done, missing } = await store.embeddings.progress(tenant, query);
  const way = target === null ? `on ${active}` : `${active} to ${target}`;
  const kept =
    dropping === null || state.keepOldMs === 0
      ? ''
      : `, ${dropping} kept until ${new Date(dropAt(state)).toISOString()}`;
  const share = `${String(done)} of ${String(done + missing)} memories`;
  return `${tenant}  ${phase}, ${way}: ${share}${kept}\n`;
}

async function runText(config: Config, generation: string | null): Promise<string> {
  if (generation === null) return '';
  try {
    await using client = await connectRunning(config);
    const status = await client.reembed.status(generation);
    if (status === null) return 'No run works on it now; the next tick of Temporal starts one.\n';
    const { phase, totals, lastError } = status;
    const failed = lastError === null ? '' : `, last error ${lastError}`;
    const made = `${String(totals.embedded)} embedded, ${String(totals.cached)} from the cache`;
    return `run ${phase}: ${made}${failed}\n`;
  } catch (error) {
    if (error instanceof VarveError) return `${error.message}\n`;
    throw error;
  }
}

/** Tenants of one page. */
const TENANTS_PER_PAGE = 100;
const MICRO_DOLLARS_PER_DOLLAR = 1_000_000;

export interface Estimate {
  readonly tenants: number;
  /** Tenants that use another model, or lack vectors of this one. */
  readonly tenantsToChange: number;
  readonly memories: number;
  readonly memoriesToEmbed: number;
  /** Counted with cl100k when each memory was written; other models count slightly differently. */
  readonly tokens: number;
  /** Null if the model has no price. */
  readonly microDollars: number | null;
}

/** Returns what a change of the embedding model means: memories, tokens, money. */
export async function estimate(
  store: Pick<Store, 'embeddings'>,
  to: Embedder,
  { tenants, now }: { tenants: readonly string[] | null; now: number },
): Promise<Estimate> {
  const { generation, microDollarsPerMillionTokens: price } = to;
  const sum = { tenants: 0, tenantsToChange: 0, memories: 0, memoriesToEmbed: 0, tokens: 0 };
  for await (const tenant of tenants ?? allTenants(store)) {
    const state = await store.embeddings.state(tenant);
    const { done, missing, missingTokens } = await store.embeddings.progress(tenant, {
      generation,
      now,
    });
    sum.tenants += 1;
    if (missing > 0 || (state !== null && state.active !== generation)) sum.tenantsToChange += 1;
    sum.memories += done + missing;
    sum.memoriesToEmbed += missing;
    sum.tokens += missingTokens;
  }
  const microDollars = price === null ? null : embeddingCost(sum.tokens, price).microDollars;
  return { ...sum, microDollars };
}

async function* allTenants({ embeddings }: Pick<Store, 'embeddings'>): AsyncGenerator<string> {
  const limit = TENANTS_PER_PAGE;
  const read = (after: string | null = null) => embeddings.tenants({ after, limit });
  for await (const page of pagesOf(limit, read)) yield* page;
}

/** @param runsHere whether the model runs on this machine */
function estimateText(to: Embedder, found: Estimate, runsHere: boolean): string {
  const { tenants, tenantsToChange, memories, memoriesToEmbed, tokens, microDollars } = found;
  const price = to.microDollarsPerMillionTokens;
  const money =
    price === null || microDollars === null
      ? 'the price is not known'
      : `about ${dollars(microDollars)}, at ${dollars(price)} for a million tokens`;
  const rows = [
    ['model', `${to.generation}, ${to.quality} quality`],
    ['tenants', `${figure(tenantsToChange)} of ${figure(tenants)} change`],
    ['memories', `${figure(memoriesToEmbed)} of ${figure(memories)} to embed`],
    ['tokens', `about ${figure(tokens)}`],
    ['price', runsHere ? 'none, it runs on this machine' : money],
  ];
  return rows.map(([name = '', text = '']) => `${name.padEnd(10)}${text}\n`).join('');
}

function figure(number: number): string {
  return number.toLocaleString('en-US');
}

function dollars(microDollars: number): string {
  const amount = microDollars / MICRO_DOLLARS_PER_DOLLAR;
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}

const PROGRESS_EVERY_MS = 1_000;
/** A busy worker starts a run within this time. */
const BEGIN_TIMEOUT_MS = 60_000;

/** A change of model shown on the terminal, from its first tenant to the last cut-over. */
export interface WatchedChange {
  readonly parts: Parts;
  readonly runs: ReembedRuns;
  readonly generation: string;
  readonly report: Report;
  readonly signal: AbortSignal;
}

type WatchEnd = 'CutOver' | 'Paused' | 'Interrupted';

/**
 * Resolves when the run has begun with its first tenants.
 * @throws VarveError PROVIDER_REJECTED if the run ended before that; TIMEOUT
 */
async function untilBegun({ parts, runs, generation }: WatchedChange): Promise<void> {
  const end = performance.now() + BEGIN_TIMEOUT_MS;
  while (performance.now() < end) {
    const changes = await changesOf(parts.store, generation);
    if (changes.length > 0) return;
    if ((await runs.status(generation)) === null) {
      const result = await runs.settled(generation);
      if (result?.lastError == null) return;
      const message =
        'The running varve does not know this model. Start it again with the same ' +
        'VARVE_EMBEDDING_ variables as this command has. Nothing was changed.';
      throw new VarveError('PROVIDER_REJECTED', message, {
        details: { generation, code: result.lastError },
      });
    }
    await sleep(PROGRESS_EVERY_MS);
  }
  const message = 'The worker has not started yet. See varve embeddings status, and varve doctor.';
  throw new VarveError('TIMEOUT', message);
}

/** Shows the progress until every tenant is cut over, or it is paused, or Ctrl-C is pressed. */
export async function watch(watched: WatchedChange, memories: number): Promise<WatchEnd> {
  const { parts, runs, generation, report, signal } = watched;
  let total = memories;
  let shown: string | null = null;
  while (!signal.aborted) {
    const changes = await changesOf(parts.store, generation);
    const missing = await countMissingVectors(parts.store, changes, parts.platform.clock());
    total = Math.max(total, missing.memories);
    const done = total - missing.memories;
    report.step({ label: 'embedding', done, total, unit: 'memories' });
    if (missing.tenants === 0) return 'CutOver';
    if (changes.every(({ phase }) => phase !== 'Filling')) return 'Paused';
    const lastError = (await runs.status(generation))?.lastError ?? null;
    if (lastError !== null && lastError !== shown) {
      report.line(`${lastError}: some tenants wait and are retried; see docs/errors.md`);
    }
    shown = lastError;
    await sleep(PROGRESS_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return 'Interrupted';
}
