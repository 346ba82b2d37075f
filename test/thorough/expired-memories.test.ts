/** Memories that expire while a library is open. The tests wait for that, so they run together. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Depth, DEPTHS } from '#core/records/summary.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

/** Long enough for what is made of a memory before it expires. */
const LIVES_MS = 1_500;
const DANA = { kind: 'user', id: 'dana' } as const;
const ann = { userId: 'ann' };

const library = sharedLibrary();

const add = (tenant: string, content: string, more: object = {}) =>
  library().varve.memory.add({ tenant, layer: 'user', identifiers: ann, content, ...more });
const get = (tenant: string, depth: Depth = 'paragraph') =>
  library().varve.summary.get({ tenant, layer: 'user', identifiers: ann, depth });
const refresh = (tenant: string) => library().varve.refresh({ tenant });
const passed = (at: number) => sleep(Math.max(at - Date.now(), 0) + 10);

test.concurrent('an expired memory leaves a summary at once, and a refresh drops it', async () => {
  const tenant = newTenant();
  await add(tenant, 'Ann lives in Oslo with two cats.');
  const expiresAt = Date.now() + LIVES_MS;
  await add(tenant, 'Ann is in Bergen until noon.', { expiresAt });
  await refresh(tenant);
  expect((await get(tenant))?.text).toContain('Bergen');
  await passed(expiresAt);
  for (const depth of DEPTHS) {
    expect(await get(tenant, depth)).toMatchObject({
      text: 'Ann lives in Oslo with two cats.',
      freshness: { reason: 'SourceExpired' },
    });
  }
  const asked = { tenant, identifiers: ann, query: 'Where is Ann?' };
  expect((await library().varve.context.assemble(asked)).text).not.toContain('Bergen');
  expect(await refresh(tenant)).toMatchObject({ generated: 1 });
  expect(await get(tenant)).toMatchObject({
    text: 'Ann lives in Oslo with two cats.',
    freshness: { stale: false },
  });
});

test.concurrent('a line of MEMORY.md that rests on an expired memory is in no answer', async () => {
  const tenant = newTenant();
  const { context, daily, document, dream, memory } = library().varve;
  const of = { tenant, subject: DANA };
  const identifiers = { userId: 'dana' };
  const content = 'The badge of Dana is number 4711.';
  const expiresAt = Date.now() + LIVES_MS;
  const written = { tenant, identifiers, layer: 'user', content, expiresAt } as const;
  const { id } = (await memory.add(written)).memory;
  await daily.append({ ...of, text: content, sources: [id] });
  await dream.run(of);
  expect((await document.get(of))?.text).toContain('4711');
  await passed(expiresAt);
  expect(await document.get(of)).toMatchObject({ lines: [], outdatedLines: 1 });
  expect((await daily.get(of))?.text).not.toContain('4711');
  const asked = { tenant, identifiers, query: 'Which badge has Dana?' };
  expect((await context.assemble(asked)).text).not.toContain('4711');
});
