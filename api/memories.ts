/**
 * Functions of the operations on memories: one, many at once with an outcome for each, and the
 * statements that messages make (memory/keep-statements.ts).
 */
import type { Hierarchy } from '#core/identifiers.ts';
import { type Scope } from '#core/scope.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Memory } from '#core/records/memory.ts';
import type { RulesReason } from '#core/records/extracted-statement.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { MemoryToAdd, Written } from '#core/ports/memory-provider.ts';
import type { SentMessage } from '#core/ports/message-reader.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import { canonicalJson } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';
import type { ApiPorts } from './api-ports.ts';
import {
  authorize,
  authorizedScope,
  isBound,
  mayName,
  mayReach,
  type Principal,
} from './principal.ts';
import { shortenForMessage } from './parse-input.ts';
import type { ShownMemory, ScopeEffect } from './schemas/shared-answers.ts';
import type * as schemas from './schemas/memory.ts';
import type { ItemOutcome, WriteRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { hasExpired } from '#core/sources/memory-lifecycle.ts';
import { requireFutureExpiry } from '#core/require-future-expiry.ts';
import { requireSaidByNow } from '#core/said-at.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import type { Layer } from '#core/layer.ts';
import { extractWithChanges } from '#core/recall/outdated/change-sentences.ts';

/**
 * Adds a memory.
 * @throws VarveError INVALID_INPUT, INVALID_LAYER, MISSING_IDENTIFIER, CONTENT_TOO_LONG, …
 */
export async function addMemory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, idempotencyKey, includeVector, ...add }: schemas.AddMemory,
): Promise<schemas.MemoryAnswer> {
  authorize(principal, { tenant, identifiers: add.identifiers });
  requireSaidByNow(null, [add], ports.platform.clock());
  const memory = ({ hierarchy }: TenantPolicy) =>
    memoryToAdd({ ...add, tenant }, { principal, hierarchy });
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null };
  return answer(ports, await ports.provider.add(tenant, memory, options), includeVector);
}

type NewMemory = Omit<schemas.AddMemory, 'idempotencyKey' | 'includeVector'> &
  Pick<schemas.BulkAddMemories['memories'][number], 'extracted'>;

/**
 * Converts the input to the memory to add.
 * @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER
 */
function memoryToAdd(
  { tenant, layer, identifiers, content, kind, tags, metadata, extracted, ...add }: NewMemory,
  { principal, hierarchy }: { principal: Principal; hierarchy: Hierarchy },
): MemoryToAdd {
  const named = resolveScope(tenant, layer, { identifiers, hierarchy });
  const scope = authorizedScope(principal, named);
  return {
    layer: scope.layer,
    scopeId: scope.scopeId,
    kind,
    content,
    key: add.key ?? null,
    ...(add.onConflict === 'error' ? { onConflict: add.onConflict } : {}),
    deduplicate: add.deduplicate ?? null,
    tags,
    metadata,
    origin: { channel: 'api', principal: principal.name, sources: [] },
    ...(extracted === undefined ? {} : extractedMemory(extracted, { metadata, principal })),
    trust: 'stated',
    validFrom: add.at?.at ?? null,
    utcOffset: add.at?.utcOffset,
    expiresAt: add.expiresAt ?? null,
  };
}

/** Returns what makes a memory one of a turn, so that it is deleted with it. */
function extractedMemory(
  { sessionId: session, turnId: source, supersedes, repeats }: NonNullable<NewMemory['extracted']>,
  { metadata, principal }: { metadata: NewMemory['metadata']; principal: Principal },
): Pick<MemoryToAdd, 'metadata' | 'origin' | 'supersedes' | 'repeats'> {
  return {
    metadata: { ...metadata, source, session },
    origin: { channel: 'extraction', principal: principal.name, sources: [source] },
    supersedes,
    ...(repeats === undefined ? {} : { repeats }),
  };
}

/**
 * Returns null for an id that is unknown in this tenant, even if another tenant has it (MEM-07),
 * and for a memory that has expired, which no search or list finds either.
 */
export async function getMemory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, includeVector }: schemas.GetMemory,
): Promise<ShownMemory | null> {
  const memory = await findUnexpired(ports, principal, { tenant, id });
  return memory === null ? null : shownMemory(memory, includeVector);
}

/**
 * Updates a memory.
 * @throws VarveError MEMORY_NOT_FOUND, CONFLICT, CONTENT_TOO_LONG
 */
export async function updateMemory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, content, tags, metadata, expectedVersion, ...options }: schemas.UpdateMemory,
): Promise<schemas.MemoryAnswer> {
  const before = await findUnexpired(ports, principal, { tenant, id });
  if (before === null) throw memoryNotFound(id);
  const written = await ports.provider.update(
    { tenant, id },
    {
      ...(content === undefined ? {} : { content }),
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
    },
    { by: principal.name, idempotencyKey: options.idempotencyKey ?? null },
  );
  return answer(ports, written, options.includeVector);
}

/** Also succeeds for an unknown id, so that a repeated call is no error (MEM-11). */
export async function deleteMemory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, idempotencyKey }: schemas.DeleteMemory,
): Promise<schemas.DeleteAnswer> {
  authorize(principal, { tenant });
  const mayTouch = await deletionCheck(ports, principal, { tenant, ids: [id] });
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null, mayTouch };
  const scope = await ports.provider.delete({ tenant, id }, options);
  if (scope === null) return { success: true, deleted: false, scope: null };
  await requestRefreshIfDue(ports, scope);
  return { success: true, deleted: true, scope: effectOf(scope) };
}

/** Returns null both for an unknown id and for a memory that the caller may not reach. */
export async function findMemory(
  { provider, store }: ApiPorts,
  principal: Principal,
  { tenant, id }: { tenant: string; id: string },
): Promise<Memory | null> {
  authorize(principal, { tenant });
  const memory = await provider.get(tenant, id);
  return memory !== null && (await mayReach(store, principal, memory)) ? memory : null;
}

async function findUnexpired(
  ports: ApiPorts,
  principal: Principal,
  of: { tenant: string; id: string },
): Promise<Memory | null> {
  const memory = await findMemory(ports, principal, of);
  return memory === null || hasExpired(memory, ports.platform.clock()) ? null : memory;
}

/**
 * Returns the check that a delete runs on each memory it finds: whether the caller may delete it.
 * The owners of the memories' sessions are read up front.
 */
async function deletionCheck(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, ids }: { tenant: string; ids: readonly string[] },
): Promise<(found: Pick<Scope, 'layer' | 'scopeId'>) => boolean> {
  if (!isBound(principal)) return () => true;
  const own = new Set<string>();
  for (const id of ids) {
    const memory = await store.memories.get(tenant, id);
    if (memory?.layer !== 'session' || own.has(memory.scopeId)) continue;
    if (await mayReach(store, principal, memory)) own.add(memory.scopeId);
  }
  return (found) =>
    mayName(principal, found) && (found.layer !== 'session' || own.has(found.scopeId));
}

async function answer(
  ports: ApiPorts,
  { memory, embeddingGenerated, deduplicated, scope }: Written,
  includeVector: boolean,
): Promise<schemas.MemoryAnswer> {
  await requestRefreshIfDue(ports, scope, memory.updatedAt);
  return {
    memory: shownMemory(memory, includeVector),
    embeddingGenerated,
    deduplicated,
    scope: effectOf(scope),
  };
}

// A memory as an answer shows it: without its vector unless that is asked for.

export function shownMemory(memory: Memory, includeVector: boolean): ShownMemory {
  if (includeVector) return memory;
  const { vector: _, ...shown } = memory;
  return shown;
}

interface BulkAnswer<T> {
  /** One per item, in the same order. */
  readonly items: readonly (T | schemas.ItemFailure)[];
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * Invalid input refuses the whole call before anything is written. Any other problem of one memory
 * (its layer, its length, its key) becomes the outcome of that memory.
 * @throws VarveError INVALID_INPUT, FORBIDDEN, CONFLICT
 */
export async function bulkAddMemories(
  ports: ApiPorts,
  principal: Principal,
  { tenant, memories, idempotencyKey }: schemas.BulkAddMemories,
): Promise<BulkAnswer<schemas.AddedItem>> {
  for (const { identifiers } of memories) authorize(principal, { tenant, identifiers });
  requireSaidByNow('memories', memories, ports.platform.clock());
  const { hierarchy } = await policyInForce(ports.store.policies, tenant);
  const items = memories.map((memory): MemoryToAdd | VarveError => {
    try {
      return memoryToAdd({ ...memory, tenant }, { principal, hierarchy });
    } catch (error) {
      if (error instanceof VarveError) return error;
      throw error;
    }
  });
  const sound = items.filter((item): item is MemoryToAdd => !(item instanceof VarveError));
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null };
  const written =
    sound.length === 0 ? [] : (await ports.provider.bulkAdd(tenant, sound, options)).items;
  await requestRefreshes(
    ports,
    written.flatMap((item) => (item.ok ? [item.outcome.scope] : [])),
  );
  let at = 0;
  return counted(
    items.map((item, index) => {
      const place = { list: 'memories', index, key: memories[index]?.key } as const;
      if (item instanceof VarveError) return failure(item, place);
      const outcome = written[at];
      at += 1;
      return addedItem(outcome, place);
    }),
  );
}

/** An unknown memory, or another's, counts as deleted. */
export async function bulkDeleteMemories(
  ports: ApiPorts,
  principal: Principal,
  { tenant, ids, idempotencyKey }: schemas.BulkDeleteMemories,
): Promise<BulkAnswer<schemas.DeletedItem>> {
  authorize(principal, { tenant });
  const mayTouch = await deletionCheck(ports, principal, { tenant, ids });
  const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null, mayTouch };
  const { items } = await ports.provider.bulkDelete(tenant, ids, options);
  await requestRefreshes(
    ports,
    items.flatMap((item) => (item.ok && item.outcome !== null ? [item.outcome] : [])),
  );
  return counted(
    ids.map((id, at): schemas.DeletedItem | schemas.ItemFailure => {
      const outcome = items[at];
      return outcome?.ok === false
        ? failure(outcome.error, { list: 'ids', index: at })
        : { ok: true, id };
    }),
  );
}

/** Requests refreshes for each scope once, by its latest record. */
async function requestRefreshes(ports: ApiPorts, scopes: readonly ScopeRecord[]): Promise<void> {
  const latest = new Map(scopes.map((scope) => [scopeKey(scope), scope]));
  for (const scope of latest.values()) await requestRefreshIfDue(ports, scope);
}

/** Where an item stands in the lists of a bulk call. */
interface ItemPlace {
  readonly list: 'memories' | 'ids';
  readonly index: number;
  /** The caller's own key. */
  readonly key?: string | undefined;
}

function addedItem(
  outcome: ItemOutcome<Written> | undefined,
  place: ItemPlace,
): schemas.AddedItem | schemas.ItemFailure {
  if (outcome === undefined) {
    return failure(new VarveError('CORRUPT', 'The provider returned nothing for an item.'), place);
  }
  if (!outcome.ok) return failure(outcome.error, place);
  const { memory, embeddingGenerated, deduplicated } = outcome.outcome;
  const { id, key, version } = memory;
  return { ok: true, id, key, version, embeddingGenerated, deduplicated };
}

/** Returns the error of an item as the whole call would report it: with the path of its field. */
function failure(
  { code, message, retryable, details }: VarveError,
  { list, index, key }: ItemPlace,
): schemas.ItemFailure {
  const item = `${list}.${String(index)}`;
  const issues = (details['issues'] ?? []) as readonly { path: string; expected: string }[];
  const [issue] = issues;
  const field = issue?.path ?? refusedField(code, details, key);
  const path = field === null ? item : `${item}.${field}`;
  const named = key === undefined ? path : `${path} (key "${shortenForMessage(key)}")`;
  const said = issue === undefined ? message : message.slice(`${issue.path}: `.length);
  return {
    ok: false,
    error: {
      code,
      message: `${named}: ${said}`,
      retryable,
      details: {
        ...details,
        index,
        ...(key === undefined ? {} : { key }),
        ...(issue === undefined ? {} : { issues: [{ ...issue, path }] }),
      },
    },
  };
}

/** Returns the field that an error without issues is about; null if it is about none. */
function refusedField(
  code: VarveError['code'],
  { identifier, id }: VarveError['details'],
  key: string | undefined,
): string | null {
  if (code === 'INVALID_LAYER') return 'layer';
  if (code === 'CONTENT_TOO_LONG') return 'content';
  if (code === 'CONFLICT' && key !== undefined && id !== undefined) return 'key';
  return typeof identifier === 'string' ? `identifiers.${identifier}` : null;
}

function counted<T extends { readonly ok: true }>(
  items: readonly (T | schemas.ItemFailure)[],
): BulkAnswer<T> {
  const succeeded = items.filter(({ ok }) => ok).length;
  return { items, succeeded, failed: items.length - succeeded };
}

/**
 * Keeps the lasting statements of messages as memories: those that the tenant's model finds, or
 * else rules.
 * @throws VarveError INVALID_INPUT, MISSING_IDENTIFIER, FORBIDDEN
 */
export async function addMessages(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, messages, extractBy, metadata = {}, expiresAt }: schemas.AddMessages,
): Promise<schemas.AddMessagesAnswer> {
  authorize(principal, { tenant, identifiers });
  const { userId, agentId, projectId } = identifiers;
  if (userId === undefined && agentId === undefined && projectId === undefined) {
    throw new VarveError(
      'MISSING_IDENTIFIER',
      'Name a userId, an agentId or a projectId: the statements of the messages ' +
        'go to one of these layers.',
      { details: { identifiers: ['userId', 'agentId', 'projectId'] } },
    );
  }
  const now = ports.platform.clock();
  requireSaidByNow('messages', messages, now);
  for (const { at = null } of messages) requireFutureExpiry(expiresAt, now, at);
  const keeping = {
    tenant,
    identifiers,
    by: principal.name,
    metadata,
    expiresAt: expiresAt ?? null,
  };
  const sent = messages.map(({ at: said, id, role, content, speaker = null }): SentMessage => {
    return { id, role, speaker, content, said };
  });
  const { extraction } = await policyInForce(ports.store.policies, tenant);
  // What the model finds for a layer that the caller may not use is left out: it is paid for.
  const mayWrite = (scope: Scope) => mayName(principal, scope);
  const callOf = () => ports.platform.digest(canonicalJson([principal, sent, keeping]));
  const isForModel = extraction !== undefined && extractBy === 'Policy';
  const read = isForModel
    ? await ports.messageReader.read(sent, { ...keeping, mayWrite }, callOf())
    : null;
  if (read === null || typeof read === 'string') {
    const extracted = extractWithChanges(
      sent.map(({ said = { at: now }, ...message }) => ({
        ...message,
        id: message.id ?? ports.platform.newId(),
        ...said,
      })),
    );
    const refuseOthers = (scope: Scope) => {
      authorizedScope(principal, scope);
      return true;
    };
    const own = { ...keeping, mayWrite: refuseOthers };
    return { results: await keepStatements(ports, own, extracted), ...byRules(read) };
  }
  const { results, reason } = read;
  return { results, ...(reason === null ? { extractedBy: 'Model' } : byRules(reason)) };
}

function byRules(reason: RulesReason | null): Omit<schemas.AddMessagesAnswer, 'results'> {
  return { extractedBy: 'Rules', ...(reason === null ? {} : { reason }) };
}

export function writeRules(policy: TenantPolicy, layer: Layer, now: number): WriteRules {
  return { policy: duePolicyOf(policy, layer), now };
}

function effectOf({ changes, dueAt, dueTrigger }: ScopeRecord): ScopeEffect {
  return { changes, dueAt, trigger: dueTrigger };
}
