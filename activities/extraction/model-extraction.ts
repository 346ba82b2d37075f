/**
 * What a model reads to extract memories, and what becomes of its answer. A flush of a session and
 * `memory.addMessages` share it: one question, one paid call, and one check of the answer.
 */
import type { Extracted, Message } from '#core/extraction/extract-statements.ts';
import {
  judgeCredited,
  knownSource,
  ownSources,
  rememberedStatements,
  saidFacts,
} from '#core/extraction/model-statements.ts';
import { doubtsOf } from '#core/grounding/doubt.ts';
import { groundEach } from '#core/grounding/grounding.ts';
import { IDENTIFIER_OF } from '#core/identifiers.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { answeredItems, type AnswerFact } from '#core/prompt/parse-answer.ts';
import { extractWithChanges } from '#core/recall/outdated/change-sentences.ts';
import type { RulesReason } from '#core/records/extracted-statement.ts';
import type { Memory } from '#core/records/memory.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Usage } from '#core/records/summary.ts';
import { desiredModel } from '#core/refresh/model-choice.ts';
import type { Scope } from '#core/scope.ts';
import { memorySource, type Source } from '#core/sources/source.ts';
import type { BatchKey } from '../load-batch.ts';
import {
  earlierAttempts,
  meteredCall,
  type CallRules,
  type PaidQuestion,
} from '../metered-call.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import { countCall } from '../refresh-metrics.ts';
import { confirmedDoubts, verifyDoubts } from '../verify-doubts.ts';

/** Maximum tokens of one portion (at least one text); one call of any model can read them. */
const TOKENS_PER_PORTION_MAX = 12_000;
/** Share of a model's input for texts; the rest is for rules, known memories and token counts. */
const TEXTS_SHARE = 0.4;
/** Maximum tokens of facts for each portion. */
const FACT_TOKENS_MAX = 800;
/** Known memories of each scope shown to the model: this many nearest by words, and newest. */
const KNOWN_MAX = 20;
const QUERY_UNITS_MAX = 300;
/** A longer memory is a document, which a passing remark does not end. */
const KNOWN_TOKENS_MAX = 100;

const NO_CONDITIONS = { latestOnly: true, tags: [], filter: null, kind: null } as const;

/** The only item of the question. */
export const READ_ITEM = 'i1';

export interface ExtractionPorts extends Pick<
  RefreshPorts,
  'store' | 'platform' | 'models' | 'tokens' | 'analyzer' | 'metrics'
> {
  readonly provider: MemoryProvider;
  readonly refreshTrigger: Pick<RefreshTrigger, 'notify'>;
}

/** One portion of a conversation. */
export interface ModelExtraction {
  /** The key under which the answers are stored. */
  readonly batch: BatchKey;
  /** All that was said, in order. */
  readonly messages: readonly Message[];
  /** What people and assistants said of it: what the model reads. */
  readonly sources: readonly Source[];
  /** Scopes whose memories the model is shown. */
  readonly scopes: readonly Scope[];
  /** Whether all its facts become lines of a daily file, beside those that become memories. */
  readonly isForDailyFile: boolean;
}

/** Returns the model that reads for a tenant; null if rules do, or if none is available. */
export function readerOf(
  policy: TenantPolicy,
  models: ExtractionPorts['models'],
): SummaryModel | null {
  if (policy.extraction === undefined) return null;
  const { name } = desiredModel(policy, policy.extraction.modelClass, models);
  return name === models.extractive.name ? null : (models.byName(name) ?? null);
}

/**
 * Returns texts in portions that one call of a model reads, each of at least one text.
 * @param model null where rules read
 */
export function portionsOf<Text extends { readonly tokenCount: number }>(
  texts: readonly Text[],
  model: Pick<SummaryModel, 'inputTokensMax'> | null,
): readonly (readonly Text[])[] {
  const most = Math.min(TOKENS_PER_PORTION_MAX, (model?.inputTokensMax ?? Infinity) * TEXTS_SHARE);
  const portions: Text[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const last = portions.at(-1);
    tokens += text.tokenCount;
    if (last !== undefined && tokens <= most) {
      last.push(text);
    } else {
      portions.push([text]);
      tokens = text.tokenCount;
    }
  }
  return portions;
}

/** Whether a message has words of a user or an assistant. Calls of tools have no speaker. */
export function hasSpeaker({ role, content }: Pick<Message, 'role' | 'content'>): boolean {
  return (role === 'user' || role === 'assistant') && content.trim() !== '';
}

type Asked =
  /** `usage` is null for an answer that was paid for before. */
  | { readonly kind: 'Answered'; readonly usage: Usage | null }
  | { readonly kind: 'Unanswered'; readonly reason: RulesReason };

/**
 * Asks a model which lasting things a portion says that are not known yet, and stores the answer.
 * @throws VarveError what the model throws, and RATE_LIMITED with too many open reservations
 */
export async function askModel(
  ports: ExtractionPorts,
  reading: ModelExtraction,
  { model, policy, call }: Pick<CallRules, 'policy' | 'call'> & { readonly model: SummaryModel },
): Promise<Asked> {
  const { batch } = reading;
  // Known memories may have changed since the last try, but a stored answer is not asked for twice.
  const attempt = (await earlierAttempts(ports, batch)) + 1;
  const rules = { batch, attempt, policy, call } as const;
  if ((await answeredFacts(ports, batch)) !== null) {
    await verifyAnswer(ports, reading, rules);
    return { kind: 'Answered', usage: null };
  }
  if (reading.sources.length === 0) return { kind: 'Answered', usage: null };
  const question = await questionOf(ports, reading, model);
  if (question.usageMax().inputTokens > model.inputTokensMax) {
    return { kind: 'Unanswered', reason: 'TooLong' };
  }
  const outcome = await meteredCall(ports, question, { ...rules, purpose: 'extraction' });
  if (outcome.kind !== 'Answered') {
    const reason = outcome.kind === 'Exhausted' ? 'BudgetExhausted' : 'Unavailable';
    return { kind: 'Unanswered', reason };
  }
  await verifyAnswer(ports, reading, { ...rules, attempt: attempt + 1 });
  return { kind: 'Answered', usage: outcome.answer.usage };
}

/** Returns the facts that a model answered; null if there is no usable answer. */
export async function answeredFacts(
  { store }: Pick<ExtractionPorts, 'store'>,
  { tenant, batchId }: BatchKey,
): Promise<readonly AnswerFact[] | null> {
  const answers = await store.answers.ofBatch(tenant, batchId);
  const items = answers.flatMap(({ text }) => answeredItems(text ?? '').get(READ_ITEM) ?? []);
  const item = items.at(-1);
  if (item?.facts == null) return null;
  return item.facts.length === 0 && item.malformed > 0 ? null : item.facts;
}

/** Statements that a model or rules find. */
export interface Found {
  readonly statements: readonly Extracted[];
  /** Null if they are the model's; otherwise why they are those of the rules. */
  readonly reason: RulesReason | null;
}

/** Returns what the answer says; what rules find if it is useless, or nothing in it holds. */
export async function answeredStatements(
  ports: Pick<ExtractionPorts, 'store' | 'platform'>,
  { batch, messages, sources }: Pick<ModelExtraction, 'batch' | 'messages' | 'sources'>,
): Promise<Found> {
  const facts = await answeredFacts(ports, batch);
  if (facts === null) return { statements: extractWithChanges(messages), reason: 'Unusable' };
  const confirms = await confirmedDoubts(ports, batch);
  const statements = rememberedStatements(facts, { messages, sources }, confirms);
  const isUnsupported = statements.length === 0 && facts.some(({ kind }) => kind != null);
  return isUnsupported
    ? { statements: extractWithChanges(messages), reason: 'Unsupported' }
    : { statements, reason: null };
}

/** Verifies once what the rules doubt in the answer; its readers find what was confirmed. */
async function verifyAnswer(
  ports: ExtractionPorts,
  { batch, messages, sources, isForDailyFile }: ModelExtraction,
  rules: Parameters<typeof verifyDoubts>[2],
): Promise<void> {
  const answered = (await answeredFacts(ports, batch)) ?? [];
  const lines = isForDailyFile ? saidFacts(answered) : [];
  const known = new Map(sources.map((source) => [source.id, source]));
  const doubts = doubtsOf((confirms) => [
    groundEach(lines, known, { confirms }),
    groundEach(lines, ownSources(sources), { confirms }),
    judgeCredited(answered, { messages, sources }, confirms),
  ]);
  await verifyDoubts(ports, doubts, rules);
}

async function questionOf(
  ports: ExtractionPorts,
  reading: ModelExtraction,
  model: SummaryModel,
): Promise<PaidQuestion> {
  const sources = [...(await knownSources(ports, reading)), ...reading.sources];
  const item = {
    item: READ_ITEM,
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

/** Memories that the scopes hold already and that may concern the same things. */
async function knownSources(
  ports: ExtractionPorts,
  { scopes, sources }: ModelExtraction,
): Promise<readonly Source[]> {
  const said = sources.filter(({ role }) => role === 'user').map(({ text }) => text);
  const query = said.join(' ').slice(-QUERY_UNITS_MAX).trim();
  const known = new Map<string, Omit<Memory, 'vector'>>();
  for (const scope of scopes) {
    const newest = { order: 'newest', cursor: null, limit: KNOWN_MAX } as const;
    const listed = { scopes: [scope], conditions: NO_CONDITIONS, ...newest };
    const { memories } = await ports.provider.list(scope.tenant, listed);
    const near = query === '' ? [] : await nearest(ports, scope, query);
    for (const memory of [...near, ...memories]) known.set(memory.id, memory);
  }
  return [...known.values()]
    .filter(({ tokenCount }) => tokenCount <= KNOWN_TOKENS_MAX)
    .map((memory) => knownSource(memorySource(memory)));
}

async function nearest(
  { provider }: ExtractionPorts,
  { tenant, layer, scopeId }: Scope,
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
