/**
 * Activity: settles which turns a flush takes, once and for all, so that every repetition of it
 * takes the same, whatever is appended meanwhile.
 */
import { flushBegun } from '#core/flush/pending-flush.ts';
import type { FlushInput, FlushReading } from '#core/flush/flush-contract.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { SessionRecord } from '#core/records/session.ts';
import { desiredModel } from '#core/refresh/model-choice.ts';
import type { FlushPorts } from './flush-ports.ts';
import { changeWaiting, TURNS_PER_FLUSH_MAX, waitingSession } from './flush-session.ts';

/** Tokens of one portion, one turn at least: as many as one call of any model reads. */
const TOKENS_PER_FLUSH_MAX = 12_000;
/** Of what a model reads; rules, known memories and another tokenizer take the rest. */
const TURNS_SHARE = 0.4;

/** The model that reads the turns of a tenant; null where rules do, or it is not to be had. */
function readerOf(policy: TenantPolicy, models: FlushPorts['models']): SummaryModel | null {
  if (policy.extraction === undefined) return null;
  const { name } = desiredModel(policy, policy.extraction.modelClass, models);
  return name === models.extractive.name ? null : (models.byName(name) ?? null);
}

export async function gatherFlush(
  ports: Pick<FlushPorts, 'store' | 'platform' | 'models'>,
  input: FlushInput,
): Promise<FlushReading> {
  const { store, platform } = ports;
  const policy = await policyToRefreshBy(store.policies, input.tenant);
  const session = policy === null ? null : await waitingSession(ports, input);
  if (policy === null || session === null) return { kind: 'Gone' };
  const model = readerOf(policy, ports.models);
  const most = Math.min(TOKENS_PER_FLUSH_MAX, (model?.inputTokensMax ?? Infinity) * TURNS_SHARE);
  // A session without an owner waits: a later append may say whose it is, and announces it again.
  const through =
    session.opener === '' ? session.flushedTo : await lastOfPortion(ports, session, most);
  const changed = await changeWaiting(ports, input, (current) => {
    const version = current.version + 1;
    const settled = current.flush.through ?? through;
    if (settled <= current.flushedTo) return { ...current, flush: null, version };
    const flush = flushBegun(current.flush, settled, platform.clock());
    return { ...current, flush, version };
  });
  const flush = changed?.flush ?? null;
  if (changed === null || flush === null) return { kind: 'Gone' };
  const turns = (flush.through ?? 0) - changed.flushedTo;
  return { kind: 'Ready', turns, ...(model === null ? {} : { model: model.name }) };
}

async function lastOfPortion(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, sessionId, flushedTo }: SessionRecord,
  most: number,
): Promise<number> {
  const page = { after: flushedTo, limit: TURNS_PER_FLUSH_MAX };
  let tokens = 0;
  let last = flushedTo;
  for (const turn of await store.turns.page({ tenant, sessionId }, page)) {
    tokens += turn.tokenCount;
    if (tokens > most && last > flushedTo) break;
    last = turn.sequence;
  }
  return last;
}
