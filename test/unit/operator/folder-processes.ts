/** Processes that look at one policy folder again and again, at times that the test sets. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Store } from '#core/ports/store.ts';
import {
  nothingRead,
  reconcileFolder,
  type ReconcileOptions,
} from '#operator/folder/reconcile-folder.ts';
import { EnforcedPolicies } from '#operator/tenant/enforced-policies.ts';
import { calendar, folderWith, NOW, openStore, stillPlatform } from './policy-store.ts';

export const PAUSED = 'annotations: { memory.varve.dev/paused: "true" }';

/** A file with the annotation, whatever its kind. */
export function paused(text: string): string {
  return text.replace('metadata:\n', `metadata:\n  ${PAUSED}\n`);
}

/** `start` begins another process, which remembers nothing; `look` is one that goes on. */
export async function looking(files: Readonly<Record<string, string>>) {
  const time = { now: NOW };
  const platform = { ...stillPlatform(), clock: () => time.now };
  const store = await openStore(platform);
  const dir = await folderWith(files);
  const counted: unknown[] = [];
  const ended: string[] = [];
  const metrics: OperatorMetrics = {
    count: (name, labels) => void counted.push([name, labels]),
    observe: () => undefined,
    set: () => undefined,
  };
  const refreshes = {
    notify: () => Promise.resolve(),
    end: (id: string) => {
      ended.push(id);
      return Promise.resolve(null);
    },
  };
  const start = (other: Partial<ReconcileOptions> = {}) => {
    const memory = { enforcedPolicies: new EnforcedPolicies(), lastRead: nothingRead() };
    const process = { platform, calendar, metrics, refreshes, ...memory };
    const options = { dir, clusterId: 'folder', ...process, ...other };
    return (using: Partial<Store> = {}) =>
      reconcileFolder({ ...options, store: { ...store, ...using } });
  };
  return {
    store,
    time,
    counted,
    ended,
    start,
    look: start(),
    write: (name: string, text: string) => writeFile(path.join(dir, name), text),
    remove: (name: string) => rm(path.join(dir, name)),
    limit: async () => (await store.policies.get('acme'))?.policy.budget.limitTokens,
  };
}
