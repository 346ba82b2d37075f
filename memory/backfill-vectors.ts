/**
 * Embeds memories that were written while the embedder was unreachable or out of budget.
 *
 * Flow: a tenant's first call that gets a vector shows that the embedder is back; a background run
 * then embeds the tenant's memories that lack a vector, page by page, one tenant after another.
 * Guarantees: repeatable; skips a memory that changes meanwhile; stops with the provider.
 */
import { VarveError } from '#core/errors.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import type { Unembedded } from '#core/ports/embedding-records.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import { generationsToSearch } from './embedding-generations.ts';
import type { Lifetime } from './provider-lifetime.ts';
import { openCall, type Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { OF_ONE_TEXT, type Vectors } from './embedding-batches.ts';

/** Maximum pages of one run, enough for a million memories. */
const PAGES_MAX = 5_000;
/** How long a tenant is skipped after its backfill failed. */
const PAUSE_MS = 60_000;
/** Maximum tenants remembered as complete; a forgotten one is checked once more. */
const TENANTS_MAX = 10_000;

export interface Backfill {
  /** Embeds all memories without a vector of the active generation; returns how many got one. */
  run(call: Call): Promise<number>;
  /**
   * Notes that the embedder answered for this tenant. A write checks for memories that other
   * processes missed; a read writes nothing unless this process itself missed some.
   */
  noteReached(tenant: string, by: 'Read' | 'Write'): void;
  /** Notes that a memory of this tenant was written without its vector. */
  noteMissed(tenant: string): void;
}

export function createBackfill(
  ports: ProviderPorts,
  { vectors, lifetime }: { vectors: Vectors; lifetime: Lifetime },
): Backfill {
  const { timers } = ports;
  const complete = new Set<string>();
  const missed = new Set<string>();
  const pausedUntil = new Map<string, number>();
  const asked = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  const run = async (call: Call): Promise<number> => {
    // A memory missed from here on may lie behind the position of this run.
    missed.delete(call.tenant);
    const { embedded, isWhole } = await fill(ports, vectors, call);
    if (complete.size >= TENANTS_MAX) complete.clear();
    if (isWhole && !missed.has(call.tenant)) complete.add(call.tenant);
    pausedUntil.delete(call.tenant);
    return embedded;
  };
  const runBeside = async (tenant: string, signal: AbortSignal): Promise<void> => {
    const start = { operation: 'backfill', tenant, by: 'varve' } as const;
    try {
      await run(openCall(ports, signal, start));
    } catch (error) {
      if (pausedUntil.size >= TENANTS_MAX) pausedUntil.clear();
      pausedUntil.set(tenant, timers.timer() + PAUSE_MS);
      missed.add(tenant);
      const code = error instanceof VarveError ? error.code : 'CORRUPT';
      if (code !== 'CANCELLED') ports.platform.log.warn({ tenant, code }, 'backfill stopped');
    } finally {
      asked.delete(tenant);
    }
  };

  return {
    run,
    noteReached(tenant, by) {
      if (by === 'Read' && !missed.has(tenant)) return;
      if (complete.has(tenant) || asked.has(tenant)) return;
      if ((pausedUntil.get(tenant) ?? timers.timer()) > timers.timer()) return;
      asked.add(tenant);
      lifetime.runBeside((signal) => {
        last = last.then(() => runBeside(tenant, signal));
        return last;
      });
    },
    noteMissed(tenant) {
      complete.delete(tenant);
      if (missed.size >= TENANTS_MAX) missed.clear();
      missed.add(tenant);
    },
  };
}

async function fill(
  ports: ProviderPorts,
  vectors: Vectors,
  call: Call,
): Promise<{ embedded: number; isWhole: boolean }> {
  const { store, platform } = ports;
  const { active } = await generationsToSearch(ports, call);
  if (active.embedder === null) return { embedded: 0, isWhole: true };
  let embedded = 0;
  let after: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    // After a model change the old model must not embed anything.
    const { active: current } = await generationsToSearch(ports, call);
    if (current.name !== active.name) return { embedded, isWhole: false };
    const query = {
      generation: active.name,
      after,
      limit: BULK_CHUNK_MAX,
      now: platform.clock(),
    };
    const page: readonly Unembedded[] = await call.retried(() =>
      store.embeddings.missing(call.tenant, query),
    );
    const lastId: string | undefined = page.at(-1)?.id;
    if (lastId === undefined) break;
    embedded += await fillPage({ ports, vectors, call, embedder: active.embedder }, page);
    after = lastId;
  }
  return { embedded, isWhole: true };
}

interface Filling {
  readonly ports: ProviderPorts;
  readonly vectors: Vectors;
  readonly call: Call;
  readonly embedder: Embedder;
}

async function fillPage(
  { ports: { store }, vectors, call, embedder }: Filling,
  page: readonly Unembedded[],
): Promise<number> {
  const outcomes = await vectors.passages(call, embedder, page);
  const found = page.flatMap(({ id, contentHash }, index) => {
    const outcome = outcomes[index];
    return outcome?.ok === true ? [{ id, contentHash, vector: outcome.vector }] : [];
  });
  if (found.length > 0) {
    const write = { generation: embedder.generation, vectors: found, own: true };
    await call.retried(() => store.embeddings.putVectors(call.tenant, write));
  }
  const failed = outcomes.find((each) => !each.ok && !OF_ONE_TEXT.has(each.error.code));
  if (failed?.ok === false) throw failed.error;
  return found.length;
}
