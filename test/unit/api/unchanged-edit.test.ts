/** Saving an unchanged MEMORY.md makes no version, since a version outdates waiting proposals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MEMORY_MD_LENGTH_MAX } from '#api/operations/documents.ts';
import type { DocumentLine } from '#core/records/document.ts';
import { newTenant } from '#test/unit/library/open-library.ts';
import { ANN, lineOf, memoryFile, sharedTiers, subjectRecordOf } from './memory-files-fixture.ts';

const fixture = sharedTiers();

const WORDS = fc
  .array(fc.oneof(fc.constantFrom('# ', '- ', '---', '\\', '  ', '\t', 'tea'), fc.string()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '' && text.isWellFormed() && !text.includes('\0'));
/** Few headings and few texts, so that headings are interleaved and lines say the same. */
const LINES = fc
  .array(
    fc.record({
      heading: fc.option(fc.oneof(fc.constantFrom('Garden', 'Work'), WORDS)),
      text: fc.oneof(fc.constantFrom('Ann sings.', 'Bob cooks.'), WORDS),
    }),
    { maxLength: 10 },
  )
  .map((lines) => lines.map((line, at) => lineOf(line.text, { ...line, id: `line-${at}` })));

/** MEMORY.md of Ann in a tenant of its own, as a dream wrote it. */
async function dreamed(lines: readonly DocumentLine[]): Promise<string> {
  const tenant = newTenant();
  const { store } = fixture().ports;
  await store.subjects.put(subjectRecordOf(tenant));
  await store.documents.put(memoryFile(tenant, lines));
  return tenant;
}

async function edited(tenant: string, change: (text: string) => string) {
  const { document } = fixture().tiers();
  const text = change((await document.get({ tenant, subject: ANN }))?.text ?? '');
  return document.edit({ tenant, subject: ANN, text, expectedVersion: 1 });
}

const UNWRITTEN = { version: 1, added: 0, removed: 0 };
const INTERLEAVED = [
  lineOf('Ann sings.', { id: 'a', heading: 'Garden' }),
  lineOf('Bob cooks.', { id: 'b', heading: 'Work' }),
  lineOf('Bob cooks.', { id: 'c', heading: 'Garden' }),
  lineOf('Dana waits.', { id: 'd' }),
];

describe('an edit with the text that is shown', () => {
  test('writes nothing, whatever is stored', async () => {
    await fc.assert(
      fc.asyncProperty(LINES, async (lines) => {
        const tenant = await dreamed(lines);
        expect(await edited(tenant, (text) => text)).toEqual(UNWRITTEN);
        const { versions } = await fixture().tiers().document.versions({ tenant, subject: ANN });
        expect(versions).toHaveLength(1);
        const record = await fixture().ports.store.subjects.get(tenant, 'user/ann');
        expect(record).toEqual(subjectRecordOf(tenant));
      }),
      { numRuns: 60 },
    );
  });

  test.each<[what: string, change: (text: string) => string]>([
    ['a blank line at its end', (text) => `${text}\n`],
    ['different line endings', (text) => text.replaceAll('\n', '\r\n')],
    ['different bullets', (text) => text.replaceAll(/^- /gmu, '* ')],
  ])('if headings are interleaved, keeps %s and every line', async (_, change) => {
    const tenant = await dreamed(INTERLEAVED);
    const { document } = fixture().tiers();
    const before = await document.get({ tenant, subject: ANN });
    expect(await edited(tenant, change)).toEqual({ version: 2, added: 0, removed: 0 });
    const after = await document.get({ tenant, subject: ANN });
    expect(after?.text).toBe(change(before?.text ?? ''));
    expect(after?.lines.map(({ id }) => id)).toEqual(['d', 'a', 'c', 'b']);
    await document.restore({ tenant, subject: ANN, version: 1 });
    expect((await document.get({ tenant, subject: ANN }))?.text).toBe(before?.text);
  });

  test('keeps the identity of equal lines under two headings', async () => {
    const tenant = await dreamed(INTERLEAVED);
    expect(await edited(tenant, (text) => `${text}- Eve reads.\n`)).toEqual({
      ...{ version: 2, added: 1, removed: 0 },
    });
    const { document } = fixture().tiers();
    const lines = (await document.get({ tenant, subject: ANN }))?.lines;
    expect(lines?.map(({ id, heading }) => [id, heading]).slice(0, 4)).toEqual([
      ['d', null],
      ['a', 'Garden'],
      ['c', 'Garden'],
      ['b', 'Work'],
    ]);
  });

  test('a different order or heading is a change', async () => {
    const changes = [
      (text: string) => text.replace('- Ann sings.\n- Bob cooks.', '- Bob cooks.\n- Ann sings.'),
      (text: string) => text.replace('## Work', '## Kitchen'),
    ];
    for (const change of changes) {
      const tenant = await dreamed(INTERLEAVED);
      expect(await edited(tenant, change)).toEqual({ version: 2, added: 0, removed: 0 });
    }
  });

  test('writes nothing even if the file is longer than an edit may be', async () => {
    const text = 'tulips '.repeat(500).trim();
    const count = Math.ceil(MEMORY_MD_LENGTH_MAX / text.length) + 1;
    const lines = Array.from({ length: count }, (_, at) => lineOf(text, { id: `line-${at}` }));
    const tenant = await dreamed(lines);
    expect(await edited(tenant, (shown) => shown)).toEqual(UNWRITTEN);
  });
});
