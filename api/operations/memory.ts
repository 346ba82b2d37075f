/**
 * Operations on memories by id: add, get, update and delete, one or many at a time; and the
 * operation that reads messages and keeps their lasting statements.
 */
import * as schemas from '../schemas/memory.ts';
import { bulkAnswer } from '#memory/write-answers.ts';
import { findMemory, shownMemory } from '../find-memory.ts';
import { SHOWN_MEMORY_EXAMPLE, ShownMemory, type ScopeEffect } from '../schemas/shared-answers.ts';
import { operation } from './operation.ts';
import type { Hierarchy } from '#core/identifiers.ts';
import type { Scope } from '#core/scope.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Memory } from '#core/records/memory.ts';
import type { RulesReason } from '#core/records/extracted-statement.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { MemoryToAdd, Written } from '#core/ports/memory-provider.ts';
import type { SentMessage } from '#core/ports/message-extractor.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import { canonicalJson } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';
import type { ApiPorts } from '../api-ports.ts';
import {
  authorize,
  authorizedScope,
  isBound,
  mayName,
  mayReach,
  type Principal,
} from '../principal.ts';
import { shortenForMessage } from '../parse-input.ts';
import type { ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { hasExpired } from '#core/sources/memory-lifecycle.ts';
import { requireFutureExpiry } from '#core/require-future-expiry.ts';
import { requireSaidByNow } from '#core/said-at.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { keepStatements } from '#memory/keep-statements.ts';
import { extractWithChanges } from '#core/recall/outdated/change-sentences.ts';

const WRITTEN_EXAMPLE: schemas.MemoryAnswer = {
  memory: SHOWN_MEMORY_EXAMPLE,
  embeddingGenerated: true,
  deduplicated: false,
  scope: { changes: 1, dueAt: null, trigger: null },
};
const ID = SHOWN_MEMORY_EXAMPLE.id;

export const memory = {
  add: operation({
    name: 'memory.add',
    kind: 'mutation',
    summary:
      'Adds a memory to the scope that the layer and the identifiers name. For messages, use ' +
      '`memory.addMessages`.',
    input: schemas.AddMemory,
    output: schemas.MemoryAnswer,
    example: {
      input: {
        tenant: 'acme',
        layer: 'user',
        identifiers: { userId: 'dana' },
        content: 'Dana wants the decision first.',
        tags: ['style'],
        metadata: { priority: 2 },
      },
      output: WRITTEN_EXAMPLE,
    },
    role: 'write',
    cost: 'embedding',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'CONTENT_TOO_LONG', 'CONFLICT'],
    commands: ['add', 'demo'],
    async run(ports, principal, { tenant, idempotencyKey, includeVector, ...add }) {
      authorize(principal, { tenant, identifiers: add.identifiers });
      requireSaidByNow(null, [add], ports.platform.clock());
      const memory = ({ hierarchy }: TenantPolicy) =>
        memoryToAdd({ ...add, tenant }, { principal, hierarchy });
      const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null };
      return answer(ports, await ports.provider.add(tenant, memory, options), includeVector);
    },
  }),
  bulkAdd: operation({
    name: 'memory.bulkAdd',
    kind: 'mutation',
    summary:
      'Adds many memories, each with its own outcome. If one input is invalid, ' +
      'Varve refuses the whole call before it writes anything.',
    input: schemas.BulkAddMemories,
    output: schemas.bulkAnswerSchema(schemas.AddedItem),
    example: {
      input: {
        tenant: 'acme',
        memories: [
          {
            layer: 'project',
            identifiers: { projectId: 'checkout' },
            content: 'Checkout launches on December 1.',
            key: 'launch',
          },
        ],
      },
      output: {
        items: [
          {
            ok: true,
            id: ID,
            key: 'launch',
            version: 1,
            embeddingGenerated: true,
            deduplicated: false,
          },
        ],
        succeeded: 1,
        failed: 0,
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: ['import', 'demo'],
    /** Any problem of one memory except invalid input becomes the outcome of that memory. */
    async run(ports, principal, { tenant, memories, idempotencyKey }) {
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
      return bulkAnswer(
        items.map((item, index) => {
          const place = { list: 'memories', index, key: memories[index]?.key } as const;
          if (item instanceof VarveError) return failure(item, place);
          const outcome = written[at];
          at += 1;
          return addedItem(outcome, place);
        }),
      );
    },
  }),
  get: operation({
    name: 'memory.get',
    kind: 'query',
    summary:
      'Returns a memory by its id, or null if no memory that is open to the caller has this id, ' +
      'or the memory has expired.',
    input: schemas.GetMemory,
    output: ShownMemory.nullable(),
    example: { input: { tenant: 'acme', id: ID }, output: SHOWN_MEMORY_EXAMPLE },
    role: 'read',
    commands: ['demo'],
    /** An id that another tenant has is unknown, too (MEM-07). */
    async run(ports, principal, { tenant, id, includeVector }) {
      const memory = await findUnexpired(ports, principal, { tenant, id });
      return memory === null ? null : shownMemory(memory, includeVector);
    },
  }),
  update: operation({
    name: 'memory.update',
    kind: 'mutation',
    summary:
      'Changes the text, the tags or metadata fields of a memory. A call that changes nothing ' +
      'makes no new version.',
    input: schemas.UpdateMemory,
    output: schemas.MemoryAnswer,
    example: {
      input: { tenant: 'acme', id: ID, metadata: { priority: 3 }, expectedVersion: 1 },
      output: {
        ...WRITTEN_EXAMPLE,
        memory: { ...SHOWN_MEMORY_EXAMPLE, metadata: { priority: 3 }, version: 2 },
        embeddingGenerated: false,
      },
    },
    role: 'write',
    cost: 'embedding',
    errors: ['MEMORY_NOT_FOUND', 'CONFLICT', 'CONTENT_TOO_LONG'],
    commands: ['import', 'demo'],
    async run(
      ports,
      principal,
      { tenant, id, content, tags, metadata, expectedVersion, ...options },
    ) {
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
    },
  }),
  delete: operation({
    name: 'memory.delete',
    kind: 'mutation',
    summary:
      'Deletes a memory; facts that rest on it leave every summary at once. ' +
      'A turn that says the same stays: `conversation.delete` deletes it. ' +
      'The history of the memory keeps the text for admins of the tenant until you erase it. ' +
      'For an unknown id, `deleted` is false: you can repeat the call.',
    input: schemas.DeleteMemory,
    output: schemas.DeleteAnswer,
    example: {
      input: { tenant: 'acme', id: ID },
      output: {
        success: true,
        deleted: true,
        scope: { changes: 2, dueAt: 1_795_273_215_000, trigger: 'Urgent' },
      },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: ['demo'],
    /** Also succeeds for an unknown id, so that a repeated call is no error (MEM-11). */
    async run(ports, principal, { tenant, id, idempotencyKey }) {
      authorize(principal, { tenant });
      const mayTouch = await deletionCheck(ports, principal, { tenant, ids: [id] });
      const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null, mayTouch };
      const scope = await ports.provider.delete({ tenant, id }, options);
      if (scope === null) return { success: true as const, deleted: false, scope: null };
      await requestRefreshIfDue(ports, scope);
      return { success: true as const, deleted: true, scope: effectOf(scope) };
    },
  }),
  bulkDelete: operation({
    name: 'memory.bulkDelete',
    kind: 'mutation',
    summary:
      'Deletes many memories. An id that does not exist, or that the caller may ' +
      'not see, counts as deleted.',
    input: schemas.BulkDeleteMemories,
    output: schemas.bulkAnswerSchema(schemas.DeletedItem),
    example: {
      input: { tenant: 'acme', ids: [ID] },
      output: { items: [{ ok: true, id: ID }], succeeded: 1, failed: 0 },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: { none: 'A program deletes what it added.' },
    async run(ports, principal, { tenant, ids, idempotencyKey }) {
      authorize(principal, { tenant });
      const mayTouch = await deletionCheck(ports, principal, { tenant, ids });
      const options = { by: principal.name, idempotencyKey: idempotencyKey ?? null, mayTouch };
      const { items } = await ports.provider.bulkDelete(tenant, ids, options);
      await requestRefreshes(
        ports,
        items.flatMap((item) => (item.ok && item.outcome !== null ? [item.outcome] : [])),
      );
      return bulkAnswer(
        ids.map((id, at): schemas.DeletedItem | schemas.ItemFailure => {
          const outcome = items[at];
          return outcome?.ok === false
            ? failure(outcome.error, { list: 'ids', index: at })
            : { ok: true, id };
        }),
      );
    },
  }),
  addMessages: operation({
    name: 'memory.addMessages',
    kind: 'mutation',
    summary:
      'Extracts the lasting statements of messages: preferences, facts about the ' +
      'user, decisions, owners, dates. Varve compares each with what its scope ' +
      'knows; a correction ends what it corrects. Rules read the messages, or the model that the ' +
      'policy of the tenant names; both leave out what is in doubt.',
    input: schemas.AddMessages,
    output: schemas.AddMessagesAnswer,
    example: {
      input: {
        tenant: 'acme',
        identifiers: { userId: 'dana' },
        messages: [{ id: 'turn-9', role: 'user', content: 'I moved from Lyon to Berlin.' }],
      },
      output: {
        results: [
          {
            event: 'SUPERSEDE',
            id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
            text: 'I moved from Lyon to Berlin.',
            supersedes: ['019aa5c0-1a2b-7b52-9f0e-6a1f0b1583cb'],
            kind: 'Self',
            layer: 'user',
            source: 'turn-9',
          },
        ],
        extractedBy: 'Rules',
      },
    },
    role: 'write',
    cost: 'modelCalls',
    errors: ['MISSING_IDENTIFIER', 'CONFLICT'],
    commands: { none: 'Messages come from programs that talk; the CLI imports and asks.' },
    async run(
      ports,
      principal,
      { tenant, identifiers, messages, extractBy, metadata = {}, expiresAt },
    ) {
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
        ? await ports.messageExtractor.read(sent, { ...keeping, mayWrite }, callOf())
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
      return {
        results,
        ...(reason === null ? { extractedBy: 'Model' as const } : byRules(reason)),
      };
    },
  }),
};

type NewMemory = Omit<schemas.AddMemory, 'idempotencyKey' | 'includeVector'> &
  Pick<schemas.BulkAddMemories['memories'][number], 'extracted'>;

/** @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER */
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

function byRules(reason: RulesReason | null): Omit<schemas.AddMessagesAnswer, 'results'> {
  return { extractedBy: 'Rules', ...(reason === null ? {} : { reason }) };
}

function effectOf({ changes, dueAt, dueTrigger }: ScopeRecord): ScopeEffect {
  return { changes, dueAt, trigger: dueTrigger };
}
