import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { identifiersOf } from '#cli/commands/import.ts';
import { detectInput } from '#cli/import/detect-format.ts';
import { readInput } from '#cli/import/read-input.ts';
import { inputPathOf } from '#cli/import/standard-input.ts';
import { writeImportedItems } from '#cli/write-imported-items.ts';
import { END_TIME, folderOf, jsonLines } from '#test/unit/import/input-folder.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();

const FILES = {
  'chat.jsonl': jsonLines({ role: 'user', content: 'I am allergic to kiwi.' }),
  'notes.md': '# Notes\n\nThe spare key is with Mrs. Schmitz.\n',
};

async function importedFor(user?: string, project?: string): Promise<string> {
  const tenant = newTenant();
  const identifiers = identifiersOf(user, project);
  const items = readInput(folderOf(FILES), { endTime: END_TIME, identifiers });
  await writeImportedItems(items, library().varve, { tenant, identifiers });
  return tenant;
}

async function toldTo(tenant: string, identifiers: object): Promise<string> {
  const query = 'Who has the spare key, and who is allergic to kiwi?';
  return (await library().varve.context.assemble({ tenant, identifiers, query })).text;
}

test('JSON Lines on standard input are imported, those of another input beside them', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const importOf = async (text: string) => {
    await using input = await inputPathOf('-', Readable.from([Buffer.from(text)]));
    const items = readInput(await detectInput(input.path), { endTime: END_TIME, identifiers });
    const report = await writeImportedItems(items, library().varve, { tenant, identifiers });
    return { path: input.path, ...report };
  };
  const first = await importOf(FILES['chat.jsonl']);
  expect(first.turns).toBe(1);
  expect(existsSync(first.path)).toBe(false);
  expect(await importOf(FILES['chat.jsonl'])).toMatchObject({ turns: 0, unchanged: 1 });
  const other = jsonLines({ role: 'user', content: 'Mrs. Schmitz has the spare key.' });
  expect(await importOf(other)).toMatchObject({ turns: 1, unchanged: 0 });
  const told = await toldTo(tenant, identifiers);
  expect(told).toContain('allergic to kiwi.');
  expect(told).toContain('Mrs. Schmitz');
});

test('a chat on standard input that has grown is updated under its name', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const importOf = async (text: string, name: string) => {
    await using input = await inputPathOf('-', Readable.from([Buffer.from(text)]), name);
    const items = readInput(await detectInput(input.path), { endTime: END_TIME, identifiers });
    return await writeImportedItems(items, library().varve, { tenant, identifiers });
  };
  const grown = [
    { role: 'user', content: 'I am allergic to kiwi.' },
    { role: 'user', content: 'Mrs. Schmitz has the spare key.' },
  ];
  expect(await importOf(FILES['chat.jsonl'], 'Chat')).toMatchObject({ turns: 1 });
  expect(await importOf(jsonLines(...grown), 'Chat')).toMatchObject({ turns: 1, unchanged: 1 });
  expect(await importOf(jsonLines(...grown), 'Chat')).toMatchObject({ turns: 0, unchanged: 2 });
  expect(await importOf(jsonLines(...grown), 'another')).toMatchObject({ turns: 2 });
});

test('a name without a letter or digit is refused before anything is read', async () => {
  const read = Readable.from([Buffer.from(FILES['chat.jsonl'])]);
  await expect(inputPathOf('-', read, '--')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(read.readableDidRead).toBe(false);
});

test.each([
  ['ann', undefined, { userId: 'ann' }, { projectId: 'default' }],
  ['ann', 'home', { userId: 'ann' }, { projectId: 'home' }],
  [undefined, undefined, { projectId: 'default' }, { userId: 'ann' }],
  [undefined, 'home', { projectId: 'home' }, { userId: 'ann' }],
])('what is imported for user %s and project %s is told to them alone', async (...given) => {
  const [user, project, those, others] = given;
  const tenant = await importedFor(user, project);
  const told = await toldTo(tenant, those);
  expect(told).toContain('allergic to kiwi.');
  expect(told).toContain('Mrs. Schmitz');
  const toldOthers = await toldTo(tenant, others);
  expect(toldOthers).not.toContain('allergic to kiwi.');
  expect(toldOthers).not.toContain('Mrs. Schmitz');
});
