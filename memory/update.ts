/** Updates a memory: new content gets a new vector, other fields are merged (MEM-08, MEM-09). */
import { VarveError } from '#core/errors.ts';
import { memoryNotFound } from '#core/memory-not-found.ts';
import { contentHash } from '#core/hash.ts';
import type { MemoryPatch, Memory } from '#core/records/memory.ts';
import type { WriteOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import type { ContentPatch, Written } from '#core/ports/memory-provider.ts';
import { policyToWriteBy } from '#core/policy/policy-in-force.ts';
import { noteEmbedder } from './add-chunk.ts';
import { currentPassages, storeSecondVectors, type Passage } from './embed-written-memories.ts';
import { runOncePerKey, type Run } from './run-once-per-key.ts';
import { checkLength } from './new-memory.ts';
import type { Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import { readWritten, writtenAnswer } from './write-answers.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Maximum tries against concurrent changes of the same content; each of them succeeds once. */
const TRIES_MAX = 8;
/** Maximum changes to search for one that this call made before its answer was lost. */
const CHANGES_SEEN_MAX = 100;

/**
 * Updates a memory.
 * @throws VarveError MEMORY_NOT_FOUND, CONFLICT, CONTENT_TOO_LONG; FORBIDDEN for a tenant that was
 * released
 */
export async function updateMemory(
  parts: ProviderParts,
  call: Call,
  { id, patch, key }: { id: string; patch: ContentPatch; key: string | null },
): Promise<Written> {
  if (patch.content !== undefined) checkLength(patch.content);
  return runOncePerKey(parts, call, {
    key,
    body: { id, patch },
    work: (run) => change(parts, call, { id, patch, run }),
    toAnswer: writtenAnswer,
    fromAnswer: (answer) => readWritten(parts.ports, call, answer),
  });
}

interface Change {
  readonly id: string;
  readonly patch: ContentPatch;
  readonly run: Run;
}

async function change(parts: ProviderParts, call: Call, asked: Change): Promise<Written> {
  const { id, patch, run } = asked;
  for (let tries = 1; ; tries += 1) {
    const before = await find(parts, call, id);
    // An earlier run may have changed the content and crashed before it kept the other vectors.
    const isChanged =
      patch.content !== undefined && (patch.content !== before.content || run.isRepeated);
    const passage = isChanged ? await embed(parts, call, patch.content) : null;
    // Content that was equal when read must still be equal; otherwise the call changed nothing.
    const isSame = patch.content !== undefined && !isChanged;
    const expectedVersion = patch.expectedVersion ?? (isSame ? before.version : undefined);
    try {
      const { record, scope } = await write(parts, call, {
        ...asked,
        before,
        stored: {
          ...(isChanged ? { content: contentOf(parts, patch.content, run) } : {}),
          ...(patch.tags === undefined ? {} : { tags: [...new Set(patch.tags)] }),
          ...(patch.metadata === undefined ? {} : { metadata: patch.metadata }),
          ...(expectedVersion === undefined ? {} : { expectedVersion }),
        },
        passage,
      });
      if (passage !== null)
        await storeSecondVectors(parts.ports, call, [{ memory: record, passage }]);
      const embeddingGenerated = passage?.ok === true && passage.embeddingGenerated;
      return { memory: record, embeddingGenerated, deduplicated: false, scope };
    } catch (error) {
      const isReadAgain = isSame && patch.expectedVersion === undefined && tries < TRIES_MAX;
      if (!isReadAgain || !(error instanceof VarveError) || error.code !== 'CONFLICT') throw error;
    }
  }
}

async function find({ ports: { store } }: ProviderParts, call: Call, id: string): Promise<Memory> {
  const memory = await call.retried(() => store.memories.get(call.tenant, id));
  if (memory !== null) return memory;
  throw memoryNotFound(id);
}

async function embed(parts: ProviderParts, call: Call, content: string): Promise<Passage> {
  const hash = contentHash(parts.ports.platform.digest, content);
  const passages = await currentPassages(parts, call, [{ content, contentHash: hash }]);
  noteEmbedder(parts, call, passages);
  const [passage] = passages;
  if (passage?.ok === true) return passage;
  throw passage?.error ?? new VarveError('CORRUPT', 'The embedder returned nothing for a text.');
}

function contentOf(
  { ports: { platform, tokens } }: ProviderParts,
  content: string,
  { now }: Run,
): Omit<NonNullable<MemoryPatch['content']>, 'vector' | 'embeddingGeneration'> {
  return {
    content,
    contentHash: contentHash(platform.digest, content),
    tokenCount: tokens.count(content),
    validFrom: now,
  };
}

interface Write extends Change {
  readonly before: Memory;
  readonly stored: Omit<MemoryPatch, 'content'> & {
    readonly content?: ReturnType<typeof contentOf>;
  };
  readonly passage: Passage | null;
}

/** Repeatable: finds an attempt whose answer was lost in the history of the memory. */
async function write(
  parts: ProviderParts,
  call: Call,
  { id, run, before, stored, passage }: Write,
): Promise<WriteOutcome<Memory>> {
  const { store } = parts.ports;
  const key = { tenant: call.tenant, id };
  const policy = await call.retried(() => policyToWriteBy(store.policies, call.tenant));
  const rules = { policy: duePolicyOf(policy, before.layer), now: run.now, by: call.by };
  const { content, ...rest } = stored;
  const own = passage?.ok === true ? passage.own : { embeddingGeneration: null, vector: null };
  const patch: MemoryPatch =
    content === undefined ? rest : { ...rest, content: { ...content, ...own } };
  let isRepeated = run.isRepeated;
  return call.retried(async () => {
    if (isRepeated && (await isApplied(parts, call, { id, now: run.now }))) {
      const record = await store.memories.get(call.tenant, id);
      if (record !== null) return { record, scope: await store.scopes.get(record) };
    }
    isRepeated = true;
    return store.memories.update(key, patch, rules);
  });
}

/** Whether this call has already changed the memory: such a change has its time and principal. */
async function isApplied(
  { ports: { store } }: ProviderParts,
  { tenant, by }: Call,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const page = { beforeVersion: null, limit: CHANGES_SEEN_MAX };
  const changes = await store.memories.history({ tenant, id }, page);
  return changes.some(
    ({ action, principal, at }) => action === 'Updated' && principal === by && at === now,
  );
}
