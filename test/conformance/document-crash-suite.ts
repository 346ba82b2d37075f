/** Crashes within a subject's first append: the block exists once, and never unannounced. */
import { describe, expect, it } from 'vitest';

import type { Open, Opened } from './adapter.ts';
import { ANN, blockOf, DAILY, subjectIdOf } from './document-samples.ts';

const TENANT = 'acme';
/** More steps than an append has. */
const STEPS_MAX = 100;
const PLACE = { tenant: TENANT, subject: ANN, path: DAILY };
const BLOCK = blockOf(TENANT, 1, { key: 'flush-1' });

/** Answers whether it came to its end. */
async function appendDyingAt(opened: Opened, step: number): Promise<boolean> {
  opened.crashAt(step);
  const result = await append(opened).catch(() => null);
  // What is left to do once a write has resolved may die without its caller knowing.
  if (result === null) expect(opened.hasCrashed()).toBe(true);
  await opened.reopen();
  return result !== null;
}

/** A caller that repeats has no way to know the id that it gave the subject before. */
function append({ store }: Opened, attempt = 1) {
  return store.documents.append(BLOCK, { subjectId: subjectIdOf(attempt) });
}

async function blocksOf({ store }: Opened): Promise<readonly unknown[]> {
  return store.documents.list(PLACE, { after: 0, limit: 10 });
}

export function documentCrashSuite(open: Open): void {
  describe('a crash during an append', () => {
    it('leaves no unannounced block, and a repeated append writes the block once', async () => {
      const document = { ...BLOCK, version: 1 };
      let deaths = 0;
      for (let step = 0; step < STEPS_MAX; step += 1) {
        await using opened = await open();
        if (await appendDyingAt(opened, step)) break;
        deaths += 1;
        const left = await blocksOf(opened);
        const subject = await opened.store.subjects.get(TENANT, ANN);
        if (left.length > 0) expect(subject).toMatchObject({ hasNew: true });
        const { isNew } = await append(opened, 2);
        expect(isNew).toBe(left.length === 0);
        expect(await blocksOf(opened)).toEqual([document]);
        expect(await opened.store.subjects.get(TENANT, ANN)).toMatchObject({
          hasNew: true,
          subjectId: subjectIdOf(subject === null ? 2 : 1),
        });
      }
      await using whole = await open();
      expect(deaths).toBeGreaterThanOrEqual(whole.stepsMin);
    });
  });
}
