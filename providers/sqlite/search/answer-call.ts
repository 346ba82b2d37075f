/** What a search thread, or the store itself where it lies in memory, answers to a call. */
import type { Connection } from '../connection.ts';
import type { IndexCache } from './index-cache.ts';
import { listedIds } from './memory-list.ts';
import { scanScope } from './scope-scan.ts';
import type { CallOf, FoundIds, WorkerAnswers, WorkerCall } from './thread-messages.ts';

/** Answers one call from one snapshot: to be called in a `read` of the connection. */
export function answerCall(
  connection: Connection,
  cache: IndexCache,
  call: WorkerCall,
): WorkerAnswers[WorkerCall['kind']] {
  if (call.kind === 'List') return listedIds(connection, call.tenant, call.query);
  return search(connection, cache, call);
}

function search(connection: Connection, cache: IndexCache, call: CallOf<'Search'>): FoundIds {
  const index = cache.indexOf(call.scope);
  return index === null
    ? { ...scanScope(connection, call), path: 'ExactScan' }
    : { ...index.search(call.query), path: 'Memory' };
}
