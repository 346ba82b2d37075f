import { expect, test } from 'vitest';
import { identifiersOf } from '#cli/commands/import.ts';
import { readInput } from '#cli/import/read-input.ts';
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
