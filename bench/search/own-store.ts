/** Varve as a library over a file of its own, filled with made-up memories. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SearchMode } from '#core/search/scope-search.ts';
import { openVarve, type Varve } from '#cli/open-varve.ts';
import { STORE_FILE } from '#cli/choose-store.ts';

/** The limit of one bulk call. */
const MEMORIES_PER_CALL = 5_000;
const SEARCH_LIMIT = 10;
/** Below every score, since the search is measured and not the threshold. */
const THRESHOLD = 0;

export interface OwnStore extends AsyncDisposable {
  readonly dataDir: string;
  fill(texts: readonly string[], tenants: number): Promise<void>;
  add(tenant: string, content: string): Promise<unknown>;
  search(tenant: string, query: string, mode: SearchMode): Promise<number>;
  /** Closes and reopens the store, so that nothing is in memory. */
  reopen(): Promise<void>;
  /** Bytes of the database and its log. */
  fileBytes(): Promise<number>;
}

const IDENTIFIERS = { projectId: 'bench' };

export async function openOwnStore(): Promise<OwnStore> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-bench-'));
  let varve: Varve = await openVarve({ dataDir });
  return {
    dataDir,
    async fill(texts, tenants) {
      for (let tenant = 0; tenant < tenants; tenant += 1) {
        const own = texts.filter((_, at) => at % tenants === tenant);
        for (let at = 0; at < own.length; at += MEMORIES_PER_CALL) {
          const { failed } = await varve.memory.bulkAdd({
            tenant: tenantOf(tenant),
            memories: own.slice(at, at + MEMORIES_PER_CALL).map((content) => ({
              layer: 'project',
              identifiers: IDENTIFIERS,
              content,
            })),
          });
          if (failed > 0) throw new Error(`${String(failed)} memories were refused`);
        }
      }
    },
    add: (tenant, content) =>
      varve.memory.add({ tenant, layer: 'project', identifiers: IDENTIFIERS, content }),
    search: (tenant, query, mode) => searchIn(varve, tenant, { query, mode }),
    async reopen() {
      await varve[Symbol.asyncDispose]();
      varve = await openVarve({ dataDir });
    },
    async fileBytes() {
      const sizes = await Promise.all(
        ['', '-wal'].map((ending) =>
          stat(path.join(dataDir, `${STORE_FILE}${ending}`)).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async [Symbol.asyncDispose]() {
      await varve[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Searches, and returns the number of hits. */
export async function searchIn(
  varve: Varve,
  tenant: string,
  { query, mode }: { readonly query: string; readonly mode: SearchMode },
): Promise<number> {
  const { hits } = await varve.memory.search({
    tenant,
    identifiers: IDENTIFIERS,
    layers: ['project'],
    query,
    mode,
    limit: SEARCH_LIMIT,
    threshold: THRESHOLD,
  });
  return hits.length;
}

export function tenantOf(at: number): string {
  return `tenant-${String(at)}`;
}
