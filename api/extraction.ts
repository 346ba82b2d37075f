/**
 * What messages say that lasts, kept as memories: extracted, compared with what the scope knows,
 * and added, put in place of it, or left.
 *
 * Every message that has an id has its effect once: said again it changes nothing, and what was
 * deleted since does not come back by it (for as long as keys are kept).
 */
import { VarveError } from '#core/errors.ts';
import { decide, type Known } from '#core/extraction/compare.ts';
import { extract, layerOf, type Extracted } from '#core/extraction/extract.ts';
import { IDENTIFIER_OF, scopeOf, type Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import { isLive } from '#core/sources/memory-state.ts';
import type { Memory } from '#core/records/memory.ts';
import { scopeKey, type Scope } from '#core/scope.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import type { Metadata } from './metadata.ts';
import type { AddMessages, AddMessagesAnswer, ExtractionResult } from './operations/extraction.ts';
import type { ApiPorts } from './ports.ts';
import { authorize, authorizedScope, type Principal } from './principal.ts';
import { requestRefreshIfDue } from './writes.ts';

/** Memories of a scope that are read to compare with, the newest; beyond them a search helps. */
const COMPARED_MAX = 500;
/** The nearest of a larger scope by words, and those of the same topic. */
const NEAREST_MAX = 20;
const QUERY_UNITS_MAX = 300;

const NO_CONDITIONS = { latestOnly: false, tags: [], filter: null, kind: null } as const;

/** @throws VarveError MISSING_IDENTIFIER, FORBIDDEN */
export async function addMessages(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, messages, metadata = {}, expiresAt }: AddMessages,
): Promise<AddMessagesAnswer> {
  authorize(principal, { tenant, identifiers });
  const { userId, agentId, projectId } = identifiers;
  if (userId === undefined && agentId === undefined && projectId === undefined) {
    throw new VarveError(
      'MISSING_IDENTIFIER',
      'Name userId, agentId or projectId: what the messages say is kept in one of their layers.',
      { details: { identifiers: ['userId', 'agentId', 'projectId'] } },
    );
  }
  const now = ports.platform.clock();
  const extracted = extract(
    messages.map(({ id, role, speaker, content, at }) => ({
      id: id ?? ports.platform.newId(),
      role,
      speaker: speaker ?? null,
      content,
      at: at ?? now,
    })),
  );
  const { hierarchy } = await policyInForce(ports.store.policies, tenant);
  const scopes = new Map<Layer, Scope>();
  for (const { statement } of extracted) {
    const layer = layerOf(statement, identifiers);
    if (layer === null || scopes.has(layer)) continue;
    const scope = scopeOf(tenant, layer, { identifiers, hierarchy });
    scopes.set(layer, authorizedScope(principal, scope));
  }
  const known = new Map<string, Known[]>();
  const results: ExtractionResult[] = [];
  // One after the other: a later statement of the call may end an earlier one.
  for (const each of extracted) {
    const scope = scopes.get(layerOf(each.statement, identifiers) ?? 'session');
    if (scope === undefined) continue;
    const about = known.get(scopeKey(scope)) ?? (await newestOf(ports, scope));
    known.set(scopeKey(scope), about);
    const keep = { principal, identifiers, scope, metadata, expiresAt: expiresAt ?? null };
    results.push(await kept(ports, keep, { extracted: each, known: about }));
  }
  return { results };
}

interface Keep {
  readonly principal: Principal;
  readonly identifiers: Identifiers;
  readonly scope: Scope;
  /** Of the caller's. */
  readonly metadata: Metadata;
  readonly expiresAt: number | null;
}

async function kept(
  ports: ApiPorts,
  { principal, identifiers, scope, metadata, expiresAt }: Keep,
  { extracted, known }: { extracted: Extracted; known: Known[] },
): Promise<ExtractionResult> {
  const { statement, message, text, trust } = extracted;
  const { layer, scopeId, tenant } = scope;
  const near = known.length < COMPARED_MAX ? [] : await nearestOf(ports, scope, extracted);
  const toDecide = { statement, source: message.id, at: message.at };
  const decision = decide(toDecide, [...known, ...near], [scopeId]);
  const shown = { text, kind: statement.kind, layer, source: message.id };
  if (decision.event === 'NOOP') return noop(shown, decision);
  const session = identifiers.sessionId ?? '';
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
          ...(session === '' ? {} : { session }),
        },
        origin: { channel: 'extraction', principal: principal.name, sources: [message.id] },
        trust,
        validFrom: message.at,
        expiresAt,
        supersedes: decision.supersedes,
      },
      {
        by: principal.name,
        idempotencyKey: `extraction/${ports.platform.digest(effect)}`,
      },
    );
    await requestRefreshIfDue(ports, written.scope, written.memory.updatedAt);
    remember(known, written.memory, decision.supersedes);
    const { id } = written.memory;
    return { ...shown, event: decision.event, id, supersedes: [...decision.supersedes] };
  } catch (error) {
    // The message had its effect before, and what it made was deleted or ended since.
    if (!(error instanceof VarveError) || !DONE_BEFORE.has(error.code)) throw error;
    return noop(shown, { event: 'NOOP', reason: 'Known', by: null });
  }
}

const DONE_BEFORE: ReadonlySet<string> = new Set(['MEMORY_NOT_FOUND', 'CONFLICT']);

function noop(
  shown: Pick<ExtractionResult, 'text' | 'kind' | 'layer' | 'source'>,
  { reason, by }: { event: 'NOOP'; reason: 'Known' | 'Outdated'; by: string | null },
): ExtractionResult {
  return { ...shown, event: 'NOOP', id: by, supersedes: [], reason };
}

/** What later statements of the same call are compared with. */
function remember(known: Known[], memory: Memory, ended: readonly string[]): void {
  for (const [place, each] of known.entries()) {
    if (ended.includes(each.id)) known[place] = { ...each, live: false };
  }
  known.unshift(knownOf(memory, memory.updatedAt));
}

async function newestOf({ provider, platform }: ApiPorts, scope: Scope): Promise<Known[]> {
  const { memories } = await provider.list(scope.tenant, {
    scopes: [scope],
    conditions: NO_CONDITIONS,
    order: 'newest',
    cursor: null,
    limit: COMPARED_MAX,
  });
  const now = platform.clock();
  return memories.map((memory) => knownOf(memory, now));
}

/** Of a scope that holds more than is read whole: the same topic, and the nearest by words. */
async function nearestOf(
  { provider, platform }: ApiPorts,
  scope: Scope,
  { statement, text }: Extracted,
): Promise<readonly Known[]> {
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
  const now = platform.clock();
  return [...memories, ...hits.map(({ memory }) => memory)].map((memory) => knownOf(memory, now));
}

function knownOf(memory: Omit<Memory, 'vector'>, now: number): Known {
  const { id, content, validFrom, origin } = memory;
  const { channel, sources } = origin;
  return {
    id,
    content,
    at: validFrom,
    live: isLive(memory, now),
    sources: channel === 'extraction' ? sources : [],
  };
}
