/**
 * Compactions and erasures with a real store, a real Temporal server, and workers that come and
 * go. Time can be moved on, so that turns grow old.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createActivities, type AllActivities } from '#activities/create-activities.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { refreshInProcess } from '#cli/in-process-work.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { Turn } from '#core/records/turn.ts';
import {
  COMPACTION_SETTINGS,
  type CompactionSettings,
} from '#core/retention/retention-contract.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { startWorker, type RunningWorker } from '#providers/temporal/worker.ts';
import { testPlace } from './fixture.ts';

const DAY_MS = 86_400_000;
/** Past the retention time of a tenant that declares none. */
export const OLD_MS = 31 * DAY_MS;
const TURNS_MAX = 1_000;

export interface RetentionStack extends AsyncDisposable {
  readonly parts: RefreshPorts;
  /** As the API has them where workflows run. */
  readonly ports: ApiPorts;
  readonly temporal: TemporalClient;
  readonly dataDir: string;
  /** A tenant that no other test has; it declares nothing. */
  readonly tenant: string;
  startWorker(around?: (activities: AllActivities) => AllActivities): Promise<RunningWorker>;
  advance(ms: number): void;
  /** Sessions of a few turns each, with a summary where that is asked for. */
  talk(tenant: string, sessions: readonly string[], isSummarized?: boolean): Promise<void>;
  turns(tenant: string, sessionId: string): Promise<readonly Turn[]>;
  events(tenant: string): Promise<readonly EventRecord[]>;
}

export interface RetentionOptions {
  readonly settings?: Partial<CompactionSettings>;
  readonly address?: string;
}

export const SAID = [
  'Well, hello there.',
  'We decided that the travel budget is 300 euros.',
  'The meeting moves to 4 May.',
];

export async function openRetention(options: RetentionOptions = {}): Promise<RetentionStack> {
  const place = await testPlace(options.address);
  const { address, namespace } = place;
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-retention-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  const opened = held.use(await openParts({ dataDir, log: SILENT_LOG }));
  const time = { ahead: 0 };
  const platform = { ...opened.platform, clock: () => Date.now() + time.ahead };
  const parts = { ...opened, platform };
  const compactionSettings = { ...COMPACTION_SETTINGS, ...options.settings };
  const temporal = held.use(await connectTemporal({ address, namespace, compactionSettings }));
  const quiet = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const { store } = parts;
  const running = held.move();
  return {
    parts,
    ports: apiPortsOf(parts, temporal, null),
    temporal,
    dataDir,
    tenant: `tenant-${randomUUID()}`,
    startWorker: (around = (activities) => activities) => {
      const activities = around(createActivities(parts, temporal, temporalCall));
      const dressed = forTemporal(activities, SILENT_LOG);
      return startWorker({ ...place, activities: dressed, log: SILENT_LOG });
    },
    advance: (ms) => {
      time.ahead += ms;
    },
    talk: async (tenant, sessions, isSummarized = true) => {
      for (const sessionId of sessions) {
        const turns = SAID.map((content) => ({ role: 'user' as const, content }));
        await OPERATIONS.conversation.append.call(quiet, LOCAL_OPERATOR, {
          tenant,
          sessionId,
          turns,
        });
      }
      if (isSummarized) await refreshInProcess(parts, tenant, 'Stale');
    },
    turns: (tenant, sessionId) => store.turns.latest({ tenant, sessionId }, TURNS_MAX),
    events: async (tenant) => {
      const all = await store.events.list(tenant, { afterId: null, limit: TURNS_MAX });
      return all.filter(({ type }) => type === 'memory_compaction_completed');
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Names of sessions that are names of people, as callers give them. */
export function sessionsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `call-with-person-${String(n)}`);
}
