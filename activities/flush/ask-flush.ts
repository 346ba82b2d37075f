/** Activity: asks a model which lasting things a session's turns say that are not known yet. */
import { knownSource, ownSources, saidFacts } from '#core/extraction/model-statements.ts';
import type { AskReport, FlushInput } from '#core/flush/flush-contract.ts';
import { doubtsOf } from '#core/grounding/doubt.ts';
import { groundEach } from '#core/grounding/grounding.ts';
import { IDENTIFIER_OF } from '#core/identifiers.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Turn } from '#core/records/turn.ts';
import { memorySource, turnSource, type Source } from '#core/sources/source.ts';
import { scopesOfSession } from '#memory/memories-of-session.ts';
import { earlierAttempts, meteredCall, type PaidQuestion } from '../metered-call.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { countCall } from '../refresh-metrics.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { verifyDoubts } from '../verify-doubts.ts';
import {
  answeredFacts,
  batchOfFlush,
  FLUSH_ITEM,
  type FlushPorts,
  hasSpeaker,
  readTurnsOfFlush,
  readWaitingSession,
  type WaitingSession,
} from './session-to-flush.ts';

/** Maximum tokens of facts for each portion. */
const FACT_TOKENS_MAX = 800;
/** Known memories of each scope shown to the model: this many nearest by words, and newest. */
const KNOWN_MAX = 20;
const QUERY_UNITS_MAX = 300;
/** A longer memory is a document, which a passing remark does not end. */
const KNOWN_TOKENS_MAX = 100;

const NO_CONDITIONS = { latestOnly: true, tags: [], filter: null, kind: null } as const;
const UNANSWERED: AskReport = { kind: 'Unanswered', inputTokens: 0, outputTokens: 0 };

/** @throws VarveError what the model throws, and RATE_LIMITED with too many open reservations */
export async function askFlush(
  given: FlushPorts,
  input: FlushInput & { readonly model: string },
  call: ActivityCall,
): Promise<AskReport> {
  const ports = await unlessErased(given, input.tenant);
  const session = await readWaitingSession(ports, input);
  const policy = await policyToRefreshBy(ports.store.policies, input.tenant);
  const model = ports.models.byName(input.model);
  if (session === null || policy === null || model === undefined) return UNANSWERED;
  // Known memories may have changed since the last try, but a stored answer is not asked for twice.
  const turns = (await readTurnsOfFlush(ports, session)).filter(hasSpeaker);
  const batch = batchOfFlush(session);
  const attempt = (await earlierAttempts(ports, batch)) + 1;
  const rules = { batch, attempt, policy, call } as const;
  if ((await answeredFacts(ports, session)) !== null) {
    await verifyAnswer(ports, session, { turns, rules });
    return { ...UNANSWERED, kind: 'Answered' };
  }
  if (turns.length === 0) return UNANSWERED;
  const question = await questionOf(ports, session, { turns, model });
  const outcome = await meteredCall(ports, question, { ...rules, purpose: 'extraction' });
  if (outcome.kind !== 'Answered') return UNANSWERED;
  await verifyAnswer(ports, session, { turns, rules: { ...rules, attempt: attempt + 1 } });
  return { kind: 'Answered', ...outcome.answer.usage };
}

/** Verifies once what the rules doubt in the answer; its readers find what was confirmed. */
async function verifyAnswer(
  ports: FlushPorts,
  session: WaitingSession,
  { turns, rules }: { turns: readonly Turn[]; rules: Parameters<typeof verifyDoubts>[2] },
): Promise<void> {
  const facts = saidFacts((await answeredFacts(ports, session)) ?? []);
  const sources = turns.map(turnSource);
  const known = new Map(sources.map((source) => [source.id, source]));
  const doubts = doubtsOf((confirms) => [
    groundEach(facts, known, { confirms }),
    groundEach(facts, ownSources(sources), { confirms }),
  ]);
  await verifyDoubts(ports, doubts, rules);
}

async function questionOf(
  ports: FlushPorts,
  session: WaitingSession,
  { turns, model }: { turns: readonly Turn[]; model: SummaryModel },
): Promise<PaidQuestion> {
  const sources = [...(await knownSources(ports, session, turns)), ...turns.map(turnSource)];
  const item = {
    item: FLUSH_ITEM,
    layer: 'session',
    depths: [],
    task: 'Remember',
    tokensMax: FACT_TOKENS_MAX,
    audience: null,
    sources,
  } as const;
  const batch: ModelBatch = { items: [item] };
  const shown = sources.map(({ id, contentHash, speaker }) => [id, contentHash, speaker]);
  return {
    hash: ports.platform.digest(JSON.stringify([model.name, model.revision, 'Remember', shown])),
    model,
    usageMax: () => model.usageMax(batch),
    ask: (call) => model.answer(batch, call),
    itemsOf: () => [],
    count: (usage) => {
      countCall(ports.metrics, model, { items: 1, usage });
    },
  };
}

/** Memories that the session's scopes hold already and that may concern the same things. */
async function knownSources(
  ports: FlushPorts,
  session: WaitingSession,
  turns: readonly Turn[],
): Promise<readonly Source[]> {
  const { provider, store } = ports;
  const { tenant, flush } = session;
  const said = turns.filter(({ role }) => role === 'user').map(({ content }) => content);
  const query = said.join(' ').slice(-QUERY_UNITS_MAX).trim();
  const known = new Map<string, Omit<Memory, 'vector'>>();
  for (const scope of await scopesOfSession(store, session)) {
    if (flush.layers !== null && !flush.layers.includes(scope.layer)) continue;
    const newest = { order: 'newest', cursor: null, limit: KNOWN_MAX } as const;
    const listed = { scopes: [scope], conditions: NO_CONDITIONS, ...newest };
    const { memories } = await provider.list(tenant, listed);
    const near = query === '' ? [] : await nearest(ports, scope, query);
    for (const memory of [...near, ...memories]) known.set(memory.id, memory);
  }
  return [...known.values()]
    .filter(({ tokenCount }) => tokenCount <= KNOWN_TOKENS_MAX)
    .map((memory) => knownSource(memorySource(memory)));
}

async function nearest(
  { provider }: FlushPorts,
  { tenant, layer, scopeId }: { tenant: string; layer: Memory['layer']; scopeId: string },
  query: string,
): Promise<readonly Omit<Memory, 'vector'>[]> {
  const { hits } = await provider.search(
    tenant,
    {
      query,
      identifiers: { [IDENTIFIER_OF[layer]]: scopeId },
      layers: [layer],
      mode: 'keyword',
      limit: KNOWN_MAX,
      threshold: 0,
      order: 'relevance',
      conditions: NO_CONDITIONS,
      explain: false,
    },
    { by: 'varve' },
  );
  return hits.map(({ memory }) => memory);
}
