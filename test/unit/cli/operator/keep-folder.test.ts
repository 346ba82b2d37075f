/** A folder and what the installation has in Temporal are kept together, by both commands. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepFolder, withOperatorPage } from '#cli/operator/keep-folder.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { Round } from '#operator/folder/watch-folder.ts';
import { layerPolicy, tenant } from '../../crds/policy-files.ts';
import {
  calendar,
  changedScope,
  folderWith,
  openStore,
  stillPlatform,
} from '../../operator/policy-store.ts';

describe('a folder that is kept', () => {
  test('schedules are looked at as one without leaders, whatever refreshRequests come to', async () => {
    const messages: string[] = [];
    const platform = stillPlatform(messages);
    const store = await openStore(platform);
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: 'dana' }, 3);
    const dir = await folderWith({ 'a.yaml': tenant('{}') });
    const ending = new AbortController();
    const [terms, woken]: [number[], string[]] = [[], []];
    const rounds: Round[] = [];
    const temporal = {
      refreshes: {
        wake: (id: string) => {
          woken.push(id);
          return Promise.reject(new Error('nobody is there'));
        },
        end: () => Promise.resolve(null),
      },
      ensureInstallation: (term: number) => {
        terms.push(term);
        return Promise.resolve();
      },
    };
    const parts = { dir, store, platform, calendar, clusterId: 'folder', temporal };
    const onRound = (round: Round): void => void rounds.push(round);
    const running = keepFolder({ ...parts, onRound }, ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await running;
    });
    await expect.poll(() => rounds.length).toBe(1);
    await writeFile(path.join(dir, 'b.yaml'), layerPolicy('layer: user\nupdateOnChanges: 1'));
    await expect.poll(() => woken).toEqual(['acme']);
    await expect.poll(() => messages.join()).toContain('refresh request not delivered');
    expect(terms).toEqual([0]);
    expect(rounds.map(({ kind }) => kind)).not.toContain('Failed');
  });

  test('one page tells of the store and of the operator', async () => {
    const pageOf = (text: string): MetricsPage => ({
      contentType: 'text/plain',
      render: (others = []) => Promise.resolve(`${text}${String(others.length)}\n`),
      snapshot: (process) => Promise.resolve({ process, metrics: [] }),
    });
    const page = withOperatorPage(pageOf('memory '), pageOf('operator '));
    const other = { process: 'worker', metrics: [] };
    expect(await page.render([other])).toBe('memory 1\noperator 0\n');
  });
});
