/** Waits until the refresh workflows of a tenant have nothing left to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { scopePages } from '#core/refresh/record-pages.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import type { Stack } from '../stack/start-stack.ts';

const SETTLE_TIMEOUT_MS = 10 * 60_000;
const POLL_MS = 200;

/** @throws VarveError TIMEOUT where work is still owed after ten minutes */
export async function settle(
  { parts, client }: Pick<Stack, 'parts' | 'client'>,
  tenant: string,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<void> {
  const { store, platform } = parts;
  const deadline = platform.clock() + SETTLE_TIMEOUT_MS;
  while (platform.clock() < deadline) {
    if (signal.aborted) throw new VarveError('CANCELLED', 'Stopped while summarizing.');
    const soon = platform.clock() + HORIZON_MS;
    let [open, total] = [0, 0];
    for await (const page of scopePages(store.scopes, tenant)) {
      total += page.length;
      open += page.filter(({ dueAt }) => dueAt !== null && dueAt <= soon).length;
    }
    report.step({ label: 'summarizing', done: total - open, total, unit: 'scopes' });
    if (open === 0) {
      // The run's last act is to acknowledge; its history is only whole after that.
      await client.settled(tenant);
      return;
    }
    await sleep(POLL_MS);
  }
  throw new VarveError(
    'TIMEOUT',
    'The refresh did not finish; look at its run in the Temporal UI.',
  );
}
