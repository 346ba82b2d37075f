/** The store over one MongoDB database: any number of processes and hosts may share it. */
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';

import { accountRecords, settleLedger, type AccountDocument } from './accounts.ts';
import { answerRecords, type AnswerDocument } from './answers.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { eventRecords, type EventDocument } from './events.ts';
import { storeHealth } from './health.ts';
import type { LedgerDocument } from './ledger.ts';
import { memoryRecords } from './memories.ts';
import type { MemoryDocument } from './memory-document.ts';
import { policyRecords, type PolicyDocument } from './policies.ts';
import { migrate } from './schema.ts';
import type { ScopeDocument } from './scope-document.ts';
import { scopeRecords } from './scopes.ts';
import { summaryRecords } from './summaries.ts';
import type { SummaryDocument } from './summary-document.ts';
import { openTable } from './table.ts';
import type { TurnChunk } from './turn-chunk.ts';
import { turnRecords } from './turns.ts';
import { wakeRecords, type WakeDocument } from './wakes.ts';

export interface MongoStoreOptions extends ConnectionOptions {
  readonly platform: Platform;
}

/**
 * Opens the store, making what indexes are missing. No transaction over several documents is used.
 * @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT, TIMEOUT
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { platform } = options;
  const connection = await Connection.open(options);
  try {
    await migrate(connection, platform.clock);
  } catch (error) {
    await connection.close();
    throw error;
  }
  if (!connection.capabilities.replicated) {
    platform.log.warn({}, 'MongoDB runs as one server: what is lost with its disk is lost.');
  }
  return storeOver(connection, platform);
}

function storeOver(connection: Connection, platform: Platform): Store {
  const { digest, newId, log, clock } = platform;
  const intents = {
    scopes: openTable<ScopeDocument>(connection, 'scopes'),
    summaries: openTable<SummaryDocument>(connection, 'summaries'),
    digest,
    newId,
    batches: new Map(),
  };
  const memories = openTable<MemoryDocument>(connection, 'memories');
  const turns = openTable<TurnChunk>(connection, 'turns');
  const events = openTable<EventDocument>(connection, 'events');
  const wakes = openTable<WakeDocument>(connection, 'wakes');
  const accounts = {
    accounts: openTable<AccountDocument>(connection, 'accounts'),
    ledger: openTable<LedgerDocument>(connection, 'ledger'),
    log,
  };
  return {
    memories: memoryRecords({ ...intents, memories }),
    turns: turnRecords({ ...intents, turns }),
    scopes: scopeRecords({
      ...intents,
      memories,
      turns,
      events,
      wakes,
      settleLedger: (tenant, now) => settleLedger(accounts, tenant, now),
    }),
    summaries: summaryRecords({ ...intents, events }),
    accounts: accountRecords(accounts),
    answers: answerRecords(openTable<AnswerDocument>(connection, 'answers')),
    policies: policyRecords(openTable<PolicyDocument>(connection, 'policies')),
    wakes: wakeRecords(wakes, clock),
    events: eventRecords(events),
    health: () => storeHealth(connection),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
