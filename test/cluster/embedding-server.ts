/** The real embedding model of a test run. Where a machine lacks Python, its tests are skipped. */
import {
  missingForEmbeddingServer,
  startEmbeddingServer,
  type EmbeddingServer,
} from '#bench/embedding-server.ts';
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { nodePlatform, type Platform } from '#providers/temporal/server-platform.ts';

/** What this machine lacks, in words for a person; null where it lacks nothing. */
export function missingForEmbeddings(): Promise<string | null> {
  return missingForEmbeddingServer(platform());
}

/** Installs it once into the tool cache, and starts it on a free port. */
export function startTestEmbeddings(): Promise<EmbeddingServer> {
  return startEmbeddingServer(platform());
}

function platform(): Platform {
  return nodePlatform({ env: process.env, acquireLock: acquireExclusiveLock });
}
