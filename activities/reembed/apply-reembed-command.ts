/** Activities: apply an operator's command to a change of model, and list the tenants left. */
import { unwrittenState } from '#memory/embedding-generations.ts';
import {
  TENANTS_PER_MESSAGE_MAX,
  TENANTS_PER_PAGE,
  type CommandReport,
  type ReembedCommand,
  type ReembedPage,
} from '#core/embedding/reembed-contract.ts';
import * as transitions from '#core/embedding/reembed-transitions.ts';
import { VarveError } from '#core/errors.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { ReembedPorts, RefreshPorts } from '../refresh-ports.ts';
import { unknownGeneration } from './reembed-tenant.ts';

/** Conflicting writes tolerated before a command fails for a tenant. */
const WRITE_TRIES_MAX = 8;

interface CommandInput {
  readonly generation: string;
  readonly command: ReembedCommand;
  readonly after: string | null;
}

/**
 * Applies a command to one page of tenants. Repeatable.
 * @throws VarveError PROVIDER_REJECTED for a generation that this worker cannot make
 */
export async function commandReembed(
  ports: ReembedPorts,
  { generation, command, after }: CommandInput,
): Promise<CommandReport> {
  if (command.kind === 'Begin' && (await ports.embedders.ofGeneration(generation)) === null) {
    throw unknownGeneration(generation);
  }
  const page = await tenantsOf(ports, { generation, command, after });
  let changed = 0;
  let refused = 0;
  for (const tenant of page.tenants) {
    const outcome = await apply(ports, tenant, { generation, command });
    if (outcome === 'Changed') changed += 1;
    if (outcome === 'OtherUnderWay') refused += 1;
  }
  return { changed, refused, after: page.after };
}

/** Returns a page of the tenants whose change involves a generation. */
export async function listReembed(
  { store, platform }: ReembedPorts,
  { generation, after }: { generation: string; after: string | null },
): Promise<ReembedPage> {
  const states = await store.embeddings.changing({ after, limit: TENANTS_PER_PAGE });
  const now = platform.clock();
  const ours = states.filter((state) => transitions.generationsOf(state).includes(generation));
  const keeping = ours.filter(
    (state) => state.phase === 'Dropping' && !transitions.isReady(state, now),
  );
  return {
    tenants: ours.filter((state) => transitions.isReady(state, now)).map(({ tenant }) => tenant),
    paused: ours.filter(({ phase }) => phase === 'Paused').length,
    keeping: keeping.length,
    nextAt: keeping.length === 0 ? null : Math.min(...keeping.map(transitions.dropAt)),
    after: states.length < TENANTS_PER_PAGE ? null : (states.at(-1)?.tenant ?? null),
  };
}

async function tenantsOf(
  { store }: ReembedPorts,
  { generation, command, after }: CommandInput,
): Promise<{ tenants: readonly string[]; after: string | null }> {
  const limit = TENANTS_PER_PAGE;
  if (command.kind !== 'Begin') {
    const states = await store.embeddings.changing({ after, limit });
    const ours = states.filter((state) => transitions.generationsOf(state).includes(generation));
    const last = states.length < limit ? null : (states.at(-1)?.tenant ?? null);
    return { tenants: ours.map(({ tenant }) => tenant), after: last };
  }
  if (command.tenants !== null) {
    return { tenants: command.tenants.slice(0, TENANTS_PER_MESSAGE_MAX), after: null };
  }
  const tenants = await store.embeddings.tenants({ after, limit });
  return { tenants, after: tenants.length < limit ? null : (tenants.at(-1) ?? null) };
}

async function apply(
  ports: ReembedPorts,
  tenant: string,
  { generation, command }: Omit<CommandInput, 'after'>,
): Promise<'Changed' | 'NoChange' | 'AlreadyUnderWay' | 'OtherUnderWay'> {
  const { store, platform } = ports;
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const state = await stateOf(ports, tenant);
    const now = platform.clock();
    const change = decide(state, { generation, command, now });
    if (change.kind === 'Nothing') return change.reason;
    if (command.kind === 'Begin' && (await isWhole(ports, state, generation))) return 'NoChange';
    if (await store.embeddings.putState(change.state)) return 'Changed';
  }
  throw new VarveError('CONFLICT', 'The state of a tenant keeps changing; try again.', {
    details: { tenant },
  });
}

function decide(
  state: EmbeddingState,
  { generation, command, now }: { generation: string; command: ReembedCommand; now: number },
): transitions.Change {
  switch (command.kind) {
    case 'Begin':
      return transitions.beginReembed(state, { generation, keepOldMs: command.keepOldMs, now });
    case 'Pause':
      return transitions.pauseReembed(state, now);
    case 'Resume':
      return transitions.resumeReembed(state, now);
    case 'RollBack':
      return transitions.rollBackReembed(state, generation, now);
    default:
      return transitions.finishReembed(state, now);
  }
}

async function stateOf(ports: ReembedPorts, tenant: string): Promise<EmbeddingState> {
  const { embeddings } = ports.store;
  const found = await embeddings.state(tenant);
  if (found !== null) return found;
  const first = await unwrittenState(ports, { tenant, retried: (read) => read() });
  await embeddings.putState(first);
  return (await embeddings.state(tenant)) ?? first;
}

/** Whether a tenant has the generation already and lacks none of its vectors. */
async function isWhole(
  { store, platform }: ReembedPorts,
  { tenant, active, phase }: EmbeddingState,
  generation: string,
): Promise<boolean> {
  if (phase !== 'Steady' || active !== generation) return false;
  const query = { generation, now: platform.clock() };
  return (await store.embeddings.progress(tenant, query)).missing === 0;
}

/** Tenants that one tick looks at; their runs find the others. */
const TENANTS_MAX = 50;

/**
 * Step of the tick: starts a run again for a change of the embedding model whose run was
 * terminated, or lost with Temporal's database. A paused change waits for a person.
 */
export async function continueReembed(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  refreshTrigger: RefreshTrigger,
): Promise<void> {
  if (refreshTrigger.continueReembed === undefined) return;
  const states = await store.embeddings.changing({ after: null, limit: TENANTS_MAX });
  const pending = states.filter(({ phase }) => phase !== 'Paused').map(transitions.generationsOf);
  const seen = new Set<string>();
  for (const generations of pending) {
    const key = generations.join('\n');
    if (seen.has(key)) continue;
    seen.add(key);
    try {
      await refreshTrigger.continueReembed(generations);
    } catch (error) {
      platform.log.warn({ generations, error }, 'reembed not started; the next tick retries');
    }
  }
}
