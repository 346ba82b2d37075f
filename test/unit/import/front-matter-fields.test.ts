/** Front matter of an imported document: its tags and fields are kept with each memory. */
import { expect, test } from 'vitest';
import { frontMatterOf } from '#cli/import/front-matter-fields.ts';
import { readInput } from '#cli/import/read-input.ts';
import { writeImportedItems } from '#cli/import/write-imported-items.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';
import { END_TIME, folderOf } from './input-folder.ts';

const library = sharedLibrary();

test('a filter on a field and a tag of the front matter find the sections of the note', async () => {
  const tenant = newTenant();
  const note = '---\ntags: [travel, "#spain"]\nstatus: draft\ndate: 2026-05-01\n---\n';
  const path = folderOf({ 'trip.md': `${note}# Hotel\n\nThe hotel is booked for May.\n` });
  const identifiers = { userId: 'ann' };
  const items = readInput(path, { endTime: END_TIME, identifiers });
  await writeImportedItems(items, library().varve, { tenant, identifiers });
  const filter = { field: 'status', eq: 'draft' };
  const { memories } = await library().varve.memory.list({
    tenant,
    identifiers,
    filter,
    tags: ['spain'],
  });
  expect(memories).toMatchObject([
    {
      tags: expect.arrayContaining(['travel', 'spain']) as string[],
      metadata: { heading: 'Hotel', date: '2026-05-01', status: 'draft' },
    },
  ]);
  expect(memories[0]?.content).not.toContain('draft');
});

test.each<[what: string, document: string, read: object]>([
  ['tags in one text', '---\ntags: a, b a\n---\nText.', { tags: ['a', 'b'], metadata: {} }],
  ['the name of a field of the import', '---\nfile: x\n---\nText.', { tags: [], metadata: {} }],
  ['what is not YAML', '---\na: [1\n---\nText.', { tags: [], metadata: {} }],
  ['TOML', '+++\na = 1\n+++\nText.', { tags: [], metadata: {} }],
  ['no front matter', '# Notes\n\nstatus: draft', { tags: [], metadata: {} }],
  [
    'a field that metadata cannot hold',
    `---\nlong: ${'x'.repeat(70_000)}\nkept: [1, 2]\n---\nText.`,
    { tags: [], metadata: { kept: [1, 2] } },
  ],
])('front matter with %s', (_, document, read) => {
  expect(frontMatterOf(document)).toEqual(read);
});
