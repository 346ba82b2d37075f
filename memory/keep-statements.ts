/**
 * Keeps statements as memories: compares each with what the scope knows, then adds it, replaces a
 * memory with it, or drops it. If another session has said the same, the new statement is stored
 * as a hidden repeat of its memory, and takes its place if that session is deleted.
 *
 * A message takes effect once: repeating it changes nothing and does not restore what was deleted
 * since (for as long as keys are kept).
 */
import { VarveError } from '#core/errors.ts';
import {
  decide,
  isOnePerson,
  withSpeaker,
  type Decision,
  type Known,
} from '#core/extraction/compare-with-known.ts';
import type { Extracted } from '#core/extraction/extract-statements.ts';
import { DONE_TOPIC, inFirstPerson } from '#core/extraction/statement.ts';
import { mentionedIn } from '#core/extraction/introducing-memories.ts';
import { layerOfStatement } from '#core/extraction/layer-of-statement.ts';
import type { ExtractionResult } from '#core/records/extracted-statement.ts';
import { IDENTIFIER_OF } from '#core/identifiers.ts';
import type { Scope } from '#core/scope.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Layer } from '#core/layer.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Keeping } from '#core/ports/message-extractor.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { endingsBy, isOfKnown } from '#core/recall/outdated/change-sentences.ts';
import type { Memory } from '#core/records/memory.ts';
import { isUpcoming, withoutSourceDate } from '#core/sources/source.ts';
import { isLive } from '#core/sources/memory-lifecycle.ts';
import { requestRefreshIfDue } from './request-refresh.ts';

/** Maximum memories of a scope to compare with, newest first; a search covers the others. */
const COMPARED_MAX = 500;
/** In a larger scope, maximum memories to compare by words, and by topic. */
const NEAREST_MAX = 20;
const QUERY_UNITS_MAX = 300;

const NO_CONDITIONS = { latestOnly: false, tags: [], filter: null, kind: null } as const;

interface KeepingPorts {
  readonly store: Pick<Store, 'policies' | 'refreshRequests'>;
  readonly provider: MemoryProvider;
  readonly platform: Platform;
  readonly analyzer: TextAnalyzer;
  readonly refreshTrigger: Pick<RefreshTrigger, 'notify'>;
}

export async function keepStatements(
  ports: KeepingPorts,
  keeping: Keeping,
  extracted: readonly Extracted[],
): Promise<readonly ExtractionResult[]> {
  const { tenant, identifiers, mayWrite } = keeping;
  const { hierarchy, statementLayers } = await policyInForce(ports.store.policies, tenant);
  const layerOf = ({ statement }: Extracted) =>
    layerOfStatement(statement, identifiers, statementLayers);
  const scopes = new Map<Layer, Scope | null>();
  for (const each of extracted) {
    const layer = layerOf(each);
    if (layer === null || scopes.has(layer)) continue;
    const scope = resolveScope(tenant, layer, { identifiers, hierarchy });
    scopes.set(layer, mayWrite(scope) ? scope : null);
  }
  const known = new Map<string, Compared[]>();
  const results: ExtractionResult[] = [];
  // Sequential, since a later statement of the call may end an earlier one.
  for (const each of extracted) {
    const scope = scopes.get(layerOf(each) ?? 'session') ?? null;
    if (scope === null) continue;
    const about = known.get(scopeKey(scope)) ?? (await newestOf(ports, scope));
    known.set(scopeKey(scope), about);
    const keep = { ...keeping, scope };
    const result = await kept(ports, keep, { extracted: each, known: about });
    if (result !== null) results.push(result);
  }
  return results;
}

interface Compared extends Known {
  /** Whether it is deleted with a session. */
  readonly isOfSession: boolean;
}

interface Keep extends Omit<Keeping, 'tenant' | 'mayWrite'> {
  readonly scope: Scope;
}

async function kept(
  ports: KeepingPorts,
  { by, identifiers, scope, metadata, expiresAt }: Keep,
  { extracted, known }: { extracted: Extracted; known: Compared[] },
): Promise<ExtractionResult | null> {
  const { statement, message, trust, talk = [] } = extracted;
  const { layer, scopeId, tenant } = scope;
  const text = withSpeaker(extracted.text, message.speaker, scopeId);
  const near = known.length < COMPARED_MAX ? [] : await nearestOf(ports, scope, extracted);
  const session = identifiers.sessionId ?? '';
  const { at, speaker } = message;
  const source = sourceIn(session, message.id);
  const compared = [...known, ...near];
  const replaces = confirmedReplaced(ports, { extracted, scope }, compared);
  const toDecide = { statement, source, at, speaker, replaces, talk };
  const decided = decide(toDecide, compared, [scopeId]);
  const isChange = decided.event === 'None' && statement.topic !== DONE_TOPIC;
  const isKept =
    isChange &&
    (endsLikely(ports, { extracted, scope }, compared) || tellsOfKnown(ports, toDecide, compared));
  const decision = isKept ? KEPT_BESIDE : decided;
  if (decision.event === 'None') return null;
  const shown = { text, kind: statement.kind, layer, source: message.id };
  const isKnown = decision.event === 'NOOP';
  if (isKnown && !addsSource(decision, { statement, source, known: compared })) {
    return noop(shown, decision);
  }
  const { supersedes, restores = [] }: Kept = isKnown ? { supersedes: [] } : decision;
  const staying = compared.filter(({ id }) => !supersedes.includes(id));
  const mentions = isKnown
    ? []
    : mentionedIn({ text: statement.text, speaker }, staying, [scopeId]);
  const effect = JSON.stringify([layer, scopeId, session, message.id, text]);
  try {
    const written = await ports.provider.add(
      tenant,
      {
        layer,
        scopeId,
        kind: 'memory',
        content: text,
        key: null,
        deduplicate: null,
        tags: [],
        metadata: {
          ...metadata,
          topic: statement.topic,
          statement: statement.kind,
          source: message.id,
          ...(speaker === null ? {} : { speaker }),
          ...(session === '' ? {} : { session }),
        },
        origin: { channel: 'extraction', principal: by, sources: [message.id] },
        trust,
        validFrom: message.at,
        utcOffset: message.utcOffset,
        expiresAt,
        supersedes,
        restores,
        ...(mentions.length === 0 ? {} : { mentions }),
        ...(isKnown ? { repeats: decision.by } : {}),
      },
      {
        by,
        idempotencyKey: `extraction/${ports.platform.digest(effect)}`,
      },
    );
    await requestRefreshIfDue(ports, written.scope, written.memory.updatedAt);
    remember(known, written.memory, { supersedes, restores });
    const { id, isRepeat = written.deduplicated } = written.memory;
    if (isKnown && isRepeat) return noop(shown, decision);
    return { ...shown, event: isKnown ? 'ADD' : decision.event, id, supersedes: [...supersedes] };
  } catch (error) {
    if (!isDoneBefore(error)) throw error;
    return noop(shown, { event: 'NOOP', reason: 'Known', by: null });
  }
}

type Kept = Omit<Extract<Decision, { readonly supersedes: unknown }>, 'event'>;

/** Whether a statement adds a source to the memory of a session that says it already. */
function addsSource(
  { reason, by }: Extract<Decision, { event: 'NOOP' }>,
  {
    statement,
    source,
    known,
  }: Pick<Parameters<typeof decide>[0], 'statement' | 'source'> & {
    readonly known: readonly Compared[];
  },
): boolean {
  if (reason !== 'Known' || statement.isMentioned) return false;
  const same = known.filter(({ id }) => id === by);
  return (
    same.some(({ isOfSession }) => isOfSession) &&
    !same.some(({ sources }) => sources.includes(source))
  );
}

/** Messages of two sessions may have the same id. */
function sourceIn(session: string, id: string): string {
  return JSON.stringify([session, id]);
}

const KEPT_BESIDE = { event: 'ADD', supersedes: [] } as const;

interface Saying {
  readonly extracted: Extracted;
  readonly scope: Scope;
}

/** Whether a change that replaces no memory for certain likely ends one, which then gets a mark. */
function endsLikely(
  { analyzer }: KeepingPorts,
  { extracted: { statement, message }, scope }: Saying,
  known: readonly Known[],
): boolean {
  const { at: saidAt, utcOffset } = message;
  const said = { content: statement.text, at: saidAt, utcOffset };
  const endingOf = endingsBy(said, analyzer, { isAnnounced: true });
  return known.some(
    ({ content, at, live, speaker }) =>
      live &&
      speaker === message.speaker &&
      endingOf({ content: asOwnerSays(content, scope), at }) !== 'None',
  );
}

/**
 * Whether a change that ends no memory says something new about one: it is kept beside that one, so
 * that neither stands alone. What the same message says in other memories is not kept twice.
 */
function tellsOfKnown(
  { analyzer }: KeepingPorts,
  {
    statement,
    source,
    speaker,
  }: Pick<Parameters<typeof decide>[0], 'statement' | 'source' | 'speaker'>,
  known: readonly Known[],
): boolean {
  const live = known.filter((each) => each.live && each.speaker === speaker);
  const isSaid = live.some(
    ({ sources, content }) =>
      sources.includes(source) && statement.text.includes(withoutSourceDate(content)),
  );
  const others = live.filter(({ sources }) => !sources.includes(source));
  return (
    !isSaid &&
    isOfKnown(
      statement.text,
      others.map(({ content }) => content),
      analyzer,
    )
  );
}

/**
 * Returns the ids of the memories that a model says a statement ends, if the rules find that it
 * likely ends all that they say. A newer memory is compared as if it were older: it may say
 * something newer about the same thing.
 */
function confirmedReplaced(
  { analyzer }: KeepingPorts,
  { extracted: { statement, message, replaces }, scope }: Saying,
  known: readonly Known[],
): readonly string[] {
  const named = known.filter(
    ({ id, speaker }) =>
      replaces.includes(id) && isOnePerson(speaker, message.speaker, [scope.scopeId]),
  );
  if (named.length === 0) return [];
  const said = { content: asOwnerSays(statement.text, scope), at: message.at };
  const endingOf = endingsBy(said, analyzer, { isAnnounced: false });
  return named
    .filter(({ content, at }) => {
      const older = { content: asOwnerSays(content, scope), at: Math.min(at, message.at - 1) };
      return endingOf(older) === 'All';
    })
    .map(({ id }) => id);
}

function asOwnerSays(content: string, { layer, scopeId }: Scope): string {
  return layer === 'user' ? inFirstPerson(content, [scopeId]) : content;
}

/**
 * Whether the message took effect before, and its memories were deleted or superseded since. After
 * a CONFLICT that may be repeated, it has not: others keep writing, or something was erased.
 */
function isDoneBefore(error: unknown): boolean {
  if (!(error instanceof VarveError)) return false;
  const { code, retryable } = error;
  return code === 'MEMORY_NOT_FOUND' || (code === 'CONFLICT' && !retryable);
}

function noop(
  shown: Pick<ExtractionResult, 'text' | 'kind' | 'layer' | 'source'>,
  { reason, by }: { event: 'NOOP'; reason: 'Known' | 'Outdated'; by: string | null },
): ExtractionResult {
  return { ...shown, event: 'NOOP', id: by, supersedes: [], reason };
}

/** Adds the memory to those that later statements of the same call are compared with. */
function remember(known: Compared[], memory: Memory, { supersedes, restores = [] }: Kept): void {
  for (const [place, each] of known.entries()) {
    const { id } = each;
    if (supersedes.includes(id)) known[place] = { ...each, live: false, endedBy: memory.id };
    if (restores.includes(id)) known[place] = { ...each, live: true, endedBy: null };
  }
  known.unshift(knownOf(memory, memory.updatedAt));
}

async function newestOf({ provider, platform }: KeepingPorts, scope: Scope): Promise<Compared[]> {
  const { memories } = await provider.list(scope.tenant, {
    scopes: [scope],
    conditions: NO_CONDITIONS,
    order: 'newest',
    cursor: null,
    limit: COMPARED_MAX,
  });
  return knownAt(memories, platform.clock());
}

/** For a scope too large to read whole: finds the same topic and the nearest by words. */
async function nearestOf(
  { provider, platform }: KeepingPorts,
  scope: Scope,
  { statement, text }: Extracted,
): Promise<readonly Compared[]> {
  const { tenant } = scope;
  const [{ memories }, { hits }] = await Promise.all([
    provider.list(tenant, {
      scopes: [scope],
      conditions: {
        ...NO_CONDITIONS,
        filter: { field: 'topic', eq: statement.topic },
      },
      order: 'newest',
      cursor: null,
      limit: COMPARED_MAX,
    }),
    provider.search(
      tenant,
      {
        query: text.slice(0, QUERY_UNITS_MAX),
        identifiers: { [IDENTIFIER_OF[scope.layer]]: scope.scopeId },
        layers: [scope.layer],
        mode: 'keyword',
        limit: NEAREST_MAX,
        threshold: 0,
        order: 'relevance',
        conditions: NO_CONDITIONS,
        explain: false,
      },
      { by: 'varve' },
    ),
  ]);
  return knownAt([...memories, ...hits.map(({ memory }) => memory)], platform.clock());
}

/** Leaves out memories whose day is to come: until then, others hold. */
function knownAt(memories: readonly Memory[], now: number): Compared[] {
  return memories
    .filter(({ validFrom: at, utcOffset }) => !isUpcoming({ at, utcOffset }, { at: now }))
    .map((memory) => knownOf(memory, now));
}

function knownOf(memory: Omit<Memory, 'vector'>, now: number): Compared {
  const { content, validFrom, origin, metadata, isRepeat, supersededBy } = memory;
  const { channel, sources } = origin;
  const isExtracted = channel === 'extraction';
  const { speaker, session } = metadata;
  const of = typeof session === 'string' ? session : '';
  return {
    id: isRepeat === true && supersededBy !== null ? supersededBy : memory.id,
    content,
    at: validFrom,
    live: isLive(memory, now),
    endedBy: isRepeat === true ? null : supersededBy,
    sources: isExtracted ? sources.map((each) => sourceIn(of, each)) : [],
    speaker: isExtracted && typeof speaker === 'string' ? speaker : null,
    isOfSession: isExtracted && of !== '',
  };
}
