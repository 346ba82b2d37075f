/** A folder that is watched holds a resource to what must not change, as a cluster does. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nothingRead } from '#operator/folder/last-read.ts';
import { reconcileFolder } from '#operator/folder/reconcile.ts';
import { tenant } from '../crds/policy-files.ts';
import { calendar, folderWith, openStore, stillPlatform } from './policy-store.ts';

test('a tenant id that changes in a watched folder is refused, and nothing is applied', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const dir = await folderWith({ 'a.yaml': tenant('tenantId: one') });
  const lastRead = nothingRead();
  const reconcile = () =>
    reconcileFolder({ dir, store, platform, calendar, clusterId: 'folder', lastRead });
  await reconcile();
  await writeFile(path.join(dir, 'a.yaml'), tenant('tenantId: two\nbudget: { tokens: 5 }'));
  for (const _ of ['once', 'and again']) {
    await expect(reconcile()).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(
        /a\.yaml:6:13 {2}spec\.tenantId\n.*"one" as before/u,
      ) as string,
    });
  }
  expect(await store.policies.get('two')).toBeNull();
  await writeFile(path.join(dir, 'a.yaml'), tenant('tenantId: two', 'another'));
  await reconcile();
  expect(await store.policies.get('two')).not.toBeNull();
});
