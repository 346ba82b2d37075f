/** Searches and contexts compare what they find with each other, but no long documents. */
import { expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };

/** Adds memories a day apart, and answers what a search and a context mark as outdated. */
async function marked(contents: readonly string[]) {
  const tenant = newTenant();
  const { memory, context } = library().varve;
  const memories = contents.map((content, day) => ({
    ...{ layer: 'user' as const, identifiers, content },
    at: new Date(Date.UTC(2026, 8, day + 1)).toISOString(),
  }));
  await memory.bulkAdd({ tenant, memories });
  const query = 'Where does Dana live?';
  const { hits } = await memory.search({ tenant, identifiers, query, limit: 100, threshold: 0 });
  const { text } = await context.assemble({ tenant, identifiers, query, maxTokens: 30_000 });
  return {
    search: hits
      .filter(({ outdated, outdatedInPart }) => outdated || outdatedInPart)
      .map(({ text: said }) => said),
    context: text.split('\n').filter((line) => line.includes('earlier)')),
  };
}

test('a search and a context mark a short memory also beside documents', async () => {
  const walks = (n: number) => `Dana lives in Lyon and walks there. ${'She walks. '.repeat(n)}`;
  const long = Array.from({ length: 8 }, (_, at) => walks(120 + at));
  const { search, context } = await marked([
    'Dana lives in Lyon.',
    ...long,
    'Dana moved to Berlin.',
  ]);
  expect(search).toEqual(['Dana lives in Lyon.']);
  expect(context).toEqual([expect.stringContaining('Dana lives in Lyon.')]);
});
