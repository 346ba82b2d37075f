/** A list marks the memories that newer ones replace, as a search does. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };
const layer = 'user' as const;

/** Adds memories a day apart. */
async function known(contents: readonly string[], tenant = newTenant()) {
  const ids: string[] = [];
  for (const [day, content] of contents.entries()) {
    const at = `2026-10-0${String(day + 1)}T09:00:00Z`;
    const { memory } = await library().varve.memory.add({
      tenant,
      layer,
      identifiers,
      content,
      at,
    });
    ids.push(memory.id);
  }
  return { of: { tenant, identifiers }, ids };
}

type Asked = Omit<Parameters<ReturnType<typeof library>['varve']['memory']['list']>[0], 'tenant'>;

async function marks(of: { tenant: string; identifiers: typeof identifiers }, more: Asked = {}) {
  const { memories } = await library().varve.memory.list({ ...of, order: 'oldest', ...more });
  return memories.map(({ content, outdated, outdatedInPart, outdatedBy }) => [
    content,
    outdated,
    outdatedInPart,
    outdatedBy,
  ]);
}

describe('a list', () => {
  test('marks a memory that a newer one replaces, and names that one, as a search does', async () => {
    const texts = ['Dana lives in Lyon.', 'Dana moved to Berlin.', 'Dana likes figs.'];
    const { of, ids } = await known(texts);
    expect(await marks(of)).toEqual([
      [texts[0], true, false, [ids[1]]],
      [texts[1], false, false, []],
      [texts[2], false, false, []],
    ]);
    const { hits } = await library().varve.memory.search({ ...of, query: 'Where does Dana live?' });
    const found = new Map(hits.map(({ text, outdated }) => [text, outdated]));
    expect([found.get(texts[0] ?? ''), found.get(texts[1] ?? '')]).toEqual([true, false]);
  });

  test('marks it also where the newer one is on another page, or does not meet the conditions', async () => {
    const { of, ids } = await known(['Dana lives in Lyon.', 'Dana moved to Berlin.']);
    const marked = [['Dana lives in Lyon.', true, false, [ids[1]]]];
    expect(await marks(of, { limit: 1 })).toEqual(marked);
    await library().varve.memory.update({ tenant: of.tenant, id: ids[0] ?? '', tags: ['home'] });
    expect(await marks(of, { tags: ['home'] })).toEqual(marked);
  });

  test('marks one that is replaced in part as such', async () => {
    const { of, ids } = await known([
      'I live in Lyon and I am allergic to nuts.',
      'I moved to Berlin.',
    ]);
    const [older] = await marks(of);
    expect(older?.slice(1)).toEqual([false, true, [ids[1]]]);
  });

  test('marks one that has ended by its record, with what ended it', async () => {
    const { of } = await known(['Dana lives in Lyon.']);
    const messages = [{ role: 'user' as const, content: 'I moved from Lyon to Berlin.' }];
    const { results } = await library().varve.memory.addMessages({ ...of, messages });
    expect((await marks(of)).map(([content]) => content)).toEqual(['I moved from Lyon to Berlin.']);
    expect((await marks(of, { latestOnly: false }))[0]).toEqual([
      'Dana lives in Lyon.',
      true,
      false,
      [results[0]?.id],
    ]);
  });

  test('says nothing of a memory that it does not compare', async () => {
    const long = `Dana lives in Lyon. ${'She walks there. '.repeat(100)}`;
    const { of } = await known([long, 'Dana moved to Berlin.', 'Dana likes figs.']);
    expect((await marks(of))[0]?.slice(1)).toEqual([undefined, undefined, undefined]);
    const filling = 'She walks there. '.repeat(55);
    const many = Array.from({ length: 9 }, (_, n) => `Dana lives in Lyon ${String(n)}. ${filling}`);
    const { tenant } = (await known(many)).of;
    await known(
      many.map((text) => `${text} She walks.`),
      tenant,
    );
    await known(
      many.map((text) => `${text} She runs.`),
      tenant,
    );
    const compared = (await marks({ ...of, tenant }, { limit: 100 })).map(([, isOld]) => isOld);
    expect([compared.at(0), compared.at(-1)]).toEqual([expect.any(Boolean), undefined]);
    const unmarked = await marks(of, { markOutdated: false });
    expect(unmarked.map(([, ...rest]) => rest)).toEqual(
      unmarked.map(() => [undefined, undefined, undefined]),
    );
  });
});
