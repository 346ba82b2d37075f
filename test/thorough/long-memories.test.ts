/** A memory of many pages is one record, and searches find its parts. */
import { describe, expect, test } from 'vitest';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { CONTENT_LENGTH_MAX, MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { excerptOf } from '#core/search/excerpt.ts';
import { memorySource } from '#core/sources/source.ts';
import { memoryOf, userScope } from '#test/conformance/samples.ts';
import { newTenant, sharedLibrary } from '../unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'mara' };

/** A log of many days, in whose middle and end something stands. */
function logOf(units: number): string {
  const day = (n: number) => `On day ${String(n)} the gauge read ${String(n % 17)} meters.\n\n`;
  const half = Array.from({ length: Math.ceil(units / 80) }, (_, n) => day(n)).join('');
  const middle = 'The harbor master is called Ines.\n\n```\npump --start\n\npump --stop\n```\n\n';
  return `${half}${middle}${half}The mooring costs 41 euros.`.slice(-units).padStart(units, '.');
}

async function keep(content: string) {
  const tenant = newTenant();
  const { memory } = library().varve;
  const added = await memory.add({ tenant, layer: 'user', identifiers, content });
  return { tenant, id: added.memory.id };
}

describe('a memory longer than a model reads at once', () => {
  test.each([CONTENT_LENGTH_MAX + 1, MEMORY_LENGTH_MAX])(
    'with %d characters is added, read, listed, changed and deleted as one memory',
    async (units) => {
      const content = logOf(units);
      const { tenant, id } = await keep(content);
      const { memory } = library().varve;
      expect((await memory.get({ tenant, id }))?.content).toBe(content);
      const listed = await memory.list({ tenant, identifiers });
      expect(listed.memories.map((each) => [each.id, each.content])).toEqual([[id, content]]);

      await memory.update({ tenant, id, content: `${content.slice(5)} Ask.` });
      expect((await memory.get({ tenant, id }))?.content).toBe(`${content.slice(5)} Ask.`);
      const { changes } = await memory.history({ tenant, id });
      expect(changes.map(({ action }) => action)).toEqual(['Updated', 'Added']);
      expect(changes[0]?.before['content']).toBe(content);

      const query = { tenant, identifiers, query: 'What does the mooring cost?' };
      await memory.delete({ tenant, id });
      expect((await memory.search({ ...query, threshold: 0 })).hits).toEqual([]);
      expect((await library().varve.context.assemble(query)).text).not.toContain('41');
    },
  );

  test.each([
    ['Who is the harbor master?', 'The harbor master is called Ines.'],
    ['How do I stop the pump?', 'pump --start\n\npump --stop'],
    ['What does the mooring cost?', 'The mooring costs 41 euros.'],
  ])('answers "%s" with the part that says it, in a search and a context', async (query, said) => {
    const { tenant, id } = await keep(logOf(100_000));
    const { varve } = library();
    const { hits } = await varve.memory.search({ tenant, identifiers, query });
    expect(hits).toMatchObject([{ id, text: expect.stringContaining(said) as string }]);
    expect(hits[0]?.text.length).toBeLessThan(3_100);
    const { text, receipt } = await varve.context.assemble({
      ...{ tenant, identifiers, query, maxTokens: 1_500 },
    });
    const moved = said.replaceAll('\n', '\n  ').replaceAll('\n  \n', '\n\n');
    expect(text).toContain(moved);
    expect(receipt).toContainEqual(expect.objectContaining({ id, included: true }));
  });

  test('is erased with all its parts', async () => {
    const { tenant, id } = await keep(`${logOf(90_000)} The code is zanzibar.`);
    expect(JSON.stringify(library().dump())).toContain('zanzibar');
    await library().varve.memory.erase({ tenant, target: { kind: 'Memory', id } });
    expect(JSON.stringify(library().dump())).not.toContain('zanzibar');
  });

  test('is read by summaries up to the maximum length of a content', () => {
    const content = logOf(MEMORY_LENGTH_MAX);
    const memory = {
      ...memoryOf('acme', 1, userScope('acme')),
      content,
      tokenCount: content.length,
    };
    const source = memorySource(memory);
    expect(source.text).toBe(`${content.slice(0, CONTENT_LENGTH_MAX - 1)}…`);
    expect(source.tokens).toBe(CONTENT_LENGTH_MAX);
    expect(source.bytes).toBe(CONTENT_LENGTH_MAX + 2);
  });
});

describe('an excerpt', () => {
  const analyzer = createTextAnalyzer();
  test.each([
    ['a text that is short enough', 'x'.repeat(3_000), 'mooring', null],
    ['a text without words of the question', logOf(9_000), 'zebra', / …$/u],
    ['a match at the end of a text', logOf(9_000), 'mooring', /^… .*mooring costs 41 euros\.$/su],
    ['a match in the middle of a text', logOf(9_000), 'harbor master', /^… .*Ines.* …$/su],
  ])('of %s marks where it was cut', (_, text, query, expected) => {
    const excerpt = excerptOf(text, query, analyzer);
    if (expected === null) expect(excerpt).toBeNull();
    else expect(excerpt).toMatch(expected);
  });
});

describe('a long memory in a context', () => {
  const berths = (from: number) =>
    Array.from({ length: 20 }, (_, n) => `Berth ${String(from + n)} was swept by the crew.`);
  const english = [...berths(0), 'The mooring costs 41 euros a night.', ...berths(20)].join(' ');
  const chinese = `${'船员打扫了泊位。'.repeat(60)}停泊费每晚四十一欧元。${'船员打扫了泊位。'.repeat(60)}`;
  test.each([
    ['English', english, 'What does the mooring cost?', 'mooring costs 41 euros', 'Mooring note'],
    ['Chinese', chinese, '停泊费每晚多少？', '停泊费每晚四十一欧元', '停泊备注'],
  ])(
    'is an excerpt around its match beside short memories: %s',
    async (_, long, query, said, note) => {
      const { memory, context } = library().varve;
      const about = { tenant: newTenant(), identifiers: { userId: 'ann' } };
      const add = (content: string) => memory.add({ ...about, layer: 'user', content });
      await add(long);
      for (let n = 0; n < 5; n += 1) await add(`${note} ${String(n)}.`);
      const { text } = await context.assemble({ ...about, query, maxTokens: 300 });
      expect(text).toContain(said);
      for (let n = 0; n < 5; n += 1) expect(text).toContain(`${note} ${String(n)}.`);
    },
  );
});
