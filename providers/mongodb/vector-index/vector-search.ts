/** Detects and opens the database's vector search for the semantic leg of a search. */
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Clock, Log } from '#core/ports/platform.ts';
import type { Driver } from '#store/storage-driver.ts';
import type { Connection } from '../connection.ts';
import type { MemoryDocuments, VectorForm } from '../memory-documents.ts';
import { listIndexes } from './search-command.ts';
import { vectorLeg, type VectorLeg } from './vector-leg.ts';
import { VectorIndexes } from './vector-indexes.ts';

/** A generation whose vector index is made at start; the start waits for it for a bounded time. */
export interface GenerationInUse {
  readonly generation: string;
  readonly dimensions: number;
}

export interface VectorSearchOptions {
  readonly connection: Connection;
  readonly memories: MemoryDocuments;
  readonly driver: Pick<Driver, 'get'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly generations?: readonly GenerationInUse[] | undefined;
  /** Waits between two looks at an index that is being built, in milliseconds. */
  readonly pause?: ((milliseconds: number) => Promise<void>) | undefined;
}

export interface VectorSearch {
  /** How vectors are to be written. */
  readonly form: VectorForm;
  /** Absent if the deployment has no search; then every vector is compared. */
  readonly leg: VectorLeg | undefined;
  /** Returns what is wrong with the indexes in use, and how to fix it. */
  readonly findings: () => Promise<string[]>;
}

/**
 * Detects what the deployment offers, and makes the indexes of the generations in use.
 * @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, TIMEOUT
 */
export async function openVectorSearch(options: VectorSearchOptions): Promise<VectorSearch> {
  const { connection, memories, driver, log, clock, generations = [], pause = pauseFor } = options;
  const { kind } = await listIndexes(connection);
  // A server that knows search accepts MongoDB's own vectors; others may accept only bytes.
  const form = kind === 'Unknown' ? 'Bytes' : 'Vector';
  if (kind === 'Unknown' || kind === 'NoSearch') {
    log.info({}, 'no vector search in MongoDB: searches compare every vector of a large scope');
    return { form, leg: undefined, findings: () => Promise.resolve([]) };
  }
  const indexes = new VectorIndexes({ connection, log, clock, pause });
  for (const { generation, dimensions } of generations) {
    await indexes.ensure(generation, dimensions);
  }
  const tables = { connection, memories, driver, indexes };
  return {
    form,
    leg: (scope, query) => vectorLeg(tables, scope, query),
    findings: () => indexes.findings(),
  };
}
