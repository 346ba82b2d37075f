/** A store in a temporary folder, and everything in it as text, for the tests of the operator. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import type { Layer } from '#core/layer.ts';
import type { Log, Platform } from '#core/ports/platform.ts';
import { NO_TRACING } from '#core/ports/tracing.ts';
import type { Store } from '#core/ports/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createCalendar } from '#providers/node/calendar.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);

/** Reckons from the times that it is given alone. */
export const calendar = createCalendar();

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A platform whose clock stands still and whose log is a list of messages. */
export function stillPlatform(messages: string[] = []): Platform {
  const write: Log['info'] = ({ error }, message) => {
    const told = error instanceof Error ? error.message : error;
    messages.push(typeof told === 'string' ? `${message}: ${told}` : message);
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  let ids = 0;
  const newId = (): string => `id-${String((ids += 1)).padStart(6, '0')}`;
  return { clock: () => NOW, newId, digest, log, tracing: NO_TRACING };
}

export async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'varve-policy-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function openStore(platform: Platform): Promise<Store> {
  const file = path.join(await temporaryFolder(), 'a.db');
  const store = await openSqliteStore({ file, platform, analyzer: createTextAnalyzer() });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir, name), text);
  return dir;
}

/** A scope with changes since a summary made a minute ago. */
export async function changedScope(
  store: Store,
  scope: { tenant: string; layer: Layer; scopeId: string },
  changes: number,
): Promise<ScopeRecord> {
  const aMinuteAgo = NOW - 60_000;
  const record: ScopeRecord = {
    ...emptyScopeRecord(scope),
    sourceCount: 9,
    changes,
    firstStaleAt: aMinuteAgo,
    checkedAt: aMinuteAgo,
    generatedAt: aMinuteAgo,
    version: 1,
  };
  await store.scopes.replace(record);
  return record;
}

/** Everything that reconciling could write of a tenant; equal texts mean that nothing was. */
export async function everythingOf(store: Store, tenant: string): Promise<string> {
  const policy = await store.policies.get(tenant);
  const budget = policy?.policy.budget ?? DEFAULT_BUDGET;
  return JSON.stringify({
    policy,
    account: await store.accounts.get(tenant, '2026-11', budget),
    scopes: await store.scopes.list(tenant, 100),
    dreams: await store.dreamSchedules.list(tenant),
    refreshRequest: await store.refreshRequests.get(tenant),
    events: await store.events.list(tenant, { afterId: null, limit: 100 }),
  });
}

const DEFAULT_BUDGET = {
  limitTokens: null,
  limitMicroDollars: null,
  onExhausted: 'Reject',
} as const;
