/** Procedures on memories: add, get, update, delete. */
import { contentHash } from '#core/hash.ts';
import { scopeOf } from '#core/identifiers.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { VarveError } from '#core/errors.ts';
import { AddMemory, MemoryKey, UpdateMemory } from './inputs.ts';
import { metadataProblem, type Metadata } from './metadata.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorize, mayName, type Principal } from './principal.ts';
import { checkLength, wakeIfDue, writeRules } from './writes.ts';

/** What a write did to its scope, so that a caller sees at once what became stale and due. */
export interface ScopeEffect {
  readonly changes: number;
  readonly dueAt: number | null;
  readonly trigger: ScopeRecord['dueTrigger'];
}

export interface MemoryAnswer {
  readonly memory: Memory;
  readonly embeddingGenerated: boolean;
  readonly scope: ScopeEffect;
}

/** @throws VarveError INVALID_INPUT, INVALID_LAYER, MISSING_IDENTIFIER, CONTENT_TOO_LONG, … */
export async function addMemory(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<MemoryAnswer> {
  const add = parseInput(AddMemory, input);
  authorize(principal, add);
  checkLength(add.content);
  const { store, platform, tokens } = ports;
  const policy = await policyInForce(store.policies, add.tenant);
  const { hierarchy } = policy;
  const scope = scopeOf(add.tenant, add.layer, { identifiers: add.identifiers, hierarchy });
  const now = platform.clock();
  const memory: Memory = {
    ...scope,
    id: platform.newId(),
    kind: add.kind,
    content: add.content,
    contentHash: contentHash(platform.digest, add.content),
    key: add.key ?? null,
    tags: [...new Set(add.tags)],
    metadata: { ...add.metadata },
    origin: { channel: 'api', principal: principal.name, sources: [] },
    trust: 'stated',
    validFrom: add.at ?? now,
    validTo: null,
    supersededBy: null,
    expiresAt: add.expiresAt ?? null,
    state: 'active',
    version: 1,
    createdAt: now,
    updatedAt: now,
    tokenCount: tokens.count(add.content),
    ...(await embedded(ports, add.content)),
  };
  const written = await store.memories.add(memory, writeRules(policy, scope.layer, now));
  return answer(ports, written, true);
}

/** Null for an unknown id, whosever it may be elsewhere (MEM-07). */
export async function getMemory(
  { store }: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<Memory | null> {
  const { tenant, id } = parseInput(MemoryKey, input);
  return findMemory(store, principal, { tenant, id });
}

/** @throws VarveError MEMORY_NOT_FOUND, CONFLICT, CONTENT_TOO_LONG */
export async function updateMemory(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<MemoryAnswer> {
  const { tenant, id, content, tags, metadata, expectedVersion } = parseInput(UpdateMemory, input);
  const { store, platform } = ports;
  const before = await findMemory(store, principal, { tenant, id });
  if (before === null) throw new VarveError('MEMORY_NOT_FOUND', 'There is no such memory.');
  checkMetadata({ ...before.metadata, ...metadata });
  const policy = await policyInForce(store.policies, tenant);
  const changed = content !== undefined && content !== before.content;
  // Content that was equal when it was read has to be so still: else the call changed nothing.
  const same = content !== undefined && !changed;
  const version = expectedVersion ?? (same ? before.version : undefined);
  const written = await store.memories.update(
    { tenant, id },
    {
      ...(changed ? { content: await contentPatch(ports, content) } : {}),
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(version === undefined ? {} : { expectedVersion: version }),
    },
    writeRules(policy, before.layer, platform.clock()),
  );
  return answer(ports, written, changed);
}

/** Succeeds for an unknown id too, so that a repeated call is no error (MEM-11). */
export async function deleteMemory(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<{ readonly success: true; readonly scope: ScopeEffect | null }> {
  const { tenant, id } = parseInput(MemoryKey, input);
  const { store, platform } = ports;
  const before = await findMemory(store, principal, { tenant, id });
  if (before === null) return { success: true, scope: null };
  const policy = await policyInForce(store.policies, tenant);
  const rules = writeRules(policy, before.layer, platform.clock());
  const deleted = await store.memories.delete({ tenant, id }, rules);
  if (deleted === null) return { success: true, scope: null };
  await wakeIfDue(ports, deleted.scope);
  return { success: true, scope: effectOf(deleted.scope) };
}

/** Null for an unknown id and for one of another's, with no difference between the two. */
async function findMemory(
  store: ApiPorts['store'],
  principal: Principal,
  { tenant, id }: { tenant: string; id: string },
): Promise<Memory | null> {
  authorize(principal, { tenant });
  const memory = await store.memories.get(tenant, id);
  return memory !== null && mayName(principal, memory) ? memory : null;
}

/** Each update is within the bounds; their sum has to be as well. */
function checkMetadata(merged: Metadata): void {
  const problem = metadataProblem(merged);
  if (problem === null) return;
  const issues = [{ path: 'metadata', expected: problem.expected }];
  throw new VarveError('INVALID_INPUT', `metadata: ${problem.expected}`, { details: { issues } });
}

async function contentPatch(ports: ApiPorts, content: string) {
  checkLength(content);
  return {
    content,
    contentHash: contentHash(ports.platform.digest, content),
    tokenCount: ports.tokens.count(content),
    validFrom: ports.platform.clock(),
    ...(await embedded(ports, content)),
  };
}

async function embedded({ embedder }: ApiPorts, content: string) {
  const [vector] = await embedder.embed([content], {});
  return {
    embeddingGeneration: vector === undefined ? null : embedder.generation,
    vector: vector ?? null,
  };
}

async function answer(
  ports: ApiPorts,
  { record, scope }: { record: Memory; scope: ScopeRecord },
  embeddingGenerated: boolean,
): Promise<MemoryAnswer> {
  await wakeIfDue(ports, scope);
  return { memory: record, embeddingGenerated, scope: effectOf(scope) };
}

function effectOf({ changes, dueAt, dueTrigger }: ScopeRecord): ScopeEffect {
  return { changes, dueAt, trigger: dueTrigger };
}
