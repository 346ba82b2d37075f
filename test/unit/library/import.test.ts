import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { heldOf } from '#cli/commands/export.ts';
import { identifiersForImport } from '#cli/commands/import.ts';
import { detectInput } from '#cli/import/detect-format.ts';
import { readInput } from '#cli/import/read-input.ts';
import { inputPathOf } from '#cli/import/standard-input.ts';
import { type ImportReport, writeImportedItems } from '#cli/import/write-imported-items.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { TEXT_PARTS_MAX } from '#core/records/turn.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { END_TIME, folderOf, jsonLines } from '#test/unit/import/input-folder.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();

const FILES = {
  'chat.jsonl': jsonLines({ role: 'user', content: 'I am allergic to kiwi.' }),
  'notes.md': '# Notes\n\nThe spare key is with Mrs. Schmitz.\n',
};

async function importedFor(user?: string, project?: string): Promise<string> {
  const tenant = newTenant();
  const identifiers = identifiersForImport(user, project);
  const items = readInput(folderOf(FILES), { endTime: END_TIME, identifiers });
  await writeImportedItems(items, library().varve, { tenant, identifiers });
  return tenant;
}

async function toldTo(tenant: string, identifiers: object): Promise<string> {
  const query = 'Who has the spare key, and who is allergic to kiwi?';
  return (await library().varve.context.assemble({ tenant, identifiers, query })).text;
}

test('JSON Lines on standard input are imported, and a different input is added to them', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const importOf = async (text: string) => {
    await using input = await inputPathOf('-', Readable.from([Buffer.from(text)]));
    const items = readInput(await detectInput(input.path, input.name), {
      endTime: END_TIME,
      identifiers,
    });
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

test('a blank speaker or name in an imported chat or meeting is none', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const files = {
    'chat.jsonl': jsonLines(
      { role: 'user', name: ' ', content: 'Hi.' },
      { role: 'user', speaker: '', content: 'Hello.' },
    ),
    'meeting.jsonl': jsonLines({ meeting_transcripts: [{ speaker: '\t', content: 'Hi.' }] }),
  };
  const items = readInput(folderOf(files), { endTime: END_TIME, identifiers });
  await writeImportedItems(items, library().varve, { tenant, identifiers });
  const { conversation } = library().varve;
  const { sessions } = await conversation.list({ tenant, identifiers });
  const pages = await Promise.all(
    sessions.map(({ sessionId }) => conversation.messages({ tenant, sessionId })),
  );
  const speakers = pages.flatMap(({ messages }) => messages.map(({ speaker }) => speaker));
  expect(speakers).toEqual([null, null, null]);
});

test('a longer version of a chat on standard input extends the session of its name', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const importOf = async (text: string, name: string) => {
    await using input = await inputPathOf('-', Readable.from([Buffer.from(text)]), { name });
    const items = readInput(await detectInput(input.path, input.name), {
      endTime: END_TIME,
      identifiers,
    });
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

/** Imports a chat of these messages as one user's, and says what the report has of it. */
async function importChat(
  tenant: string,
  place: string,
  messages: readonly object[],
): Promise<Pick<ImportReport, 'turns' | 'unchanged' | 'differingIds'>> {
  const folder = folderOf({ [place]: jsonLines(...messages) });
  const path = join(folder, place);
  const identifiers = { userId: 'ann' };
  const options = { endTime: END_TIME, identifiers, skipInvalid: true };
  const items = readInput(await detectInput(path), options);
  const { turns, unchanged, differingIds } = await writeImportedItems(items, library().varve, {
    tenant,
    identifiers,
  });
  return { turns, unchanged, differingIds };
}

const said = (content: string) => ({ role: 'user', content });
const [BANANA, CAKE, KIWI, TEA] = ['banana', 'cake', 'kiwi', 'tea'].map((thing) =>
  said(`I am allergic to ${thing}.`),
) as [object, object, object, object];

test.each([
  { how: 'another chat of the same name in another folder', place: 'b/chat.jsonl', next: [BANANA] },
  { how: 'a line that was edited', next: [KIWI, BANANA], unchanged: 1 },
  { how: 'a log whose first line was rotated away', next: [TEA, BANANA], unchanged: 1 },
  { how: 'a line that was broken before', next: [KIWI, BANANA, TEA], unchanged: 2 },
])(
  'an import stores the new words of $how',
  async ({ place = 'a/chat.jsonl', next, unchanged = 0 }) => {
    const tenant = newTenant();
    await importChat(tenant, 'a/chat.jsonl', [KIWI, { role: 'broken' }, TEA]);
    const turns = 1;
    expect(await importChat(tenant, place, next)).toEqual({ turns, unchanged, differingIds: [] });
    expect(await toldTo(tenant, { userId: 'ann' })).toContain('allergic to banana.');
    const again = { turns: 0, unchanged: next.length, differingIds: [] };
    expect(await importChat(tenant, place, next)).toEqual(again);
  },
);

test('an import says which turns were deleted before, and stores none of them', async () => {
  const tenant = newTenant();
  const identifiers = { userId: 'ann' };
  const path = join(folderOf({ 'c.jsonl': jsonLines(KIWI, CAKE) }), 'c.jsonl');
  const importAgain = async () => {
    const items = readInput(await detectInput(path), { endTime: END_TIME, identifiers });
    return await writeImportedItems(items, library().varve, { tenant, identifiers });
  };
  await importAgain();
  const { conversation } = library().varve;
  const { sessions } = await conversation.list({ tenant, identifiers });
  const sessionId = sessions[0]?.sessionId ?? '';
  const { messages } = await conversation.messages({ tenant, sessionId });
  await conversation.delete({ tenant, sessionId, turnIds: [messages[0]?.id ?? ''] });
  expect(await importAgain()).toMatchObject({ turns: 0, unchanged: 1, deleted: 1 });
});

test('an import stores a repeated message twice, however often it runs', async () => {
  const tenant = newTenant();
  const chat = [CAKE, KIWI, CAKE];
  expect(await importChat(tenant, 'a/c.jsonl', chat)).toMatchObject({ turns: 3 });
  expect(await importChat(tenant, 'a/c.jsonl', chat)).toMatchObject({ turns: 0, unchanged: 3 });
});

test('each owner gets a separate session for the same file and reads no other', async () => {
  const tenant = newTenant();
  const path = join(folderOf({ 'a/c.jsonl': jsonLines(KIWI) }), 'a/c.jsonl');
  const owners = [
    [{ projectId: 'ann' }, ['project', 'ann'], 'project.ann.a-c'],
    [{ projectId: 'p2' }, ['project', 'p2'], 'project.p2.a-c'],
    [{ userId: 'ann' }, ['ann'], 'ann.a-c'],
    [{ userId: 'ann.a' }, ['ann.a'], expect.stringMatching(/^ann-a-[0-9a-f]+\.a-c$/u)],
  ] as const;
  for (const [identifiers, owner, session] of owners) {
    const options = { endTime: END_TIME, identifiers, owner };
    const items = readInput(await detectInput(path), options);
    const stored = await writeImportedItems(items, library().varve, { tenant, identifiers });
    expect(stored).toMatchObject({ turns: 1 });
    const { sessions } = await library().varve.conversation.list({ tenant, identifiers });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([session]);
  }
});

test('file names that differ only in symbols get separate sessions', async () => {
  const tenant = newTenant();
  for (const name of ['C++', 'C#', '🚀', '🎉']) {
    const stored = await importChat(tenant, `f/${name}.jsonl`, [{ ...KIWI, id: '1' }]);
    expect({ name, ...stored }).toMatchObject({ name, turns: 1 });
  }
});

test.each([
  { what: 'a time beyond two years', line: { ...said('x'), at: '2099-01-01T00:00:00Z' } },
  {
    what: 'a memory dated beyond two years',
    line: { layer: 'user', userId: 'ann', content: 'x', at: '2099-01-01T00:00:00Z' },
  },
  { what: 'half of a surrogate pair in an id', line: { ...KIWI, id: 'x\ud800' } },
  { what: 'an empty id', line: { ...KIWI, id: '' } },
  { what: 'an id that is too long', line: { ...KIWI, id: 'x'.repeat(300) } },
])('$what is refused with its line, and nothing of the file is stored', async ({ line }) => {
  const tenant = newTenant();
  const many = Array.from({ length: 599 }, (_, at) => said(`Number ${String(at)}.`));
  const path = join(folderOf({ 'a/c.jsonl': jsonLines(...many, line) }), 'a/c.jsonl');
  const identifiers = { userId: 'ann' };
  const items = readInput(await detectInput(path), { endTime: END_TIME, identifiers });
  const written = writeImportedItems(items, library().varve, { tenant, identifiers });
  await expect(written).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(`${path}, line 600: `) as string,
  });
  const { sessions } = await library().varve.conversation.list({ tenant, identifiers });
  expect(sessions).toEqual([]);
});

test('an import reports an id that one file uses for two texts', async () => {
  const texts = [KIWI, TEA, KIWI].map((each) => ({ ...each, id: '1' }));
  const stored = await importChat(newTenant(), 'a/c.jsonl', texts);
  expect(stored).toEqual({ turns: 1, unchanged: 1, differingIds: ['1'] });
});

test('an import reports ids stored with a different text, and that text stays', async () => {
  const tenant = newTenant();
  const first = [
    { ...KIWI, id: 'm1' },
    { ...TEA, id: 'm2' },
  ];
  await importChat(tenant, 'a/c.jsonl', first);
  const changed = [{ ...BANANA, id: 'm1' }, first[1] ?? {}, { ...CAKE, id: 'm3' }];
  expect(await importChat(tenant, 'a/c.jsonl', changed)).toEqual({
    turns: 1,
    unchanged: 1,
    differingIds: ['m1'],
  });
  expect(await toldTo(tenant, { userId: 'ann' })).toContain('allergic to kiwi.');
});

/** Makes a folder in which alone this test has temporary files. */
function emptyTemporaryFolder(): string {
  const folder = folderOf({});
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return folder;
}

test('binary standard input is refused at its first bytes and leaves no file behind', async () => {
  const read = Readable.from([Buffer.alloc(10)]);
  const folder = emptyTemporaryFolder();
  const refused = { code: 'INVALID_INPUT', message: expect.stringMatching(/^standard input: /u) };
  await expect(inputPathOf('-', read)).rejects.toMatchObject(refused);
  expect(readdirSync(folder)).toEqual([]);
});

test('an endless standard input is cancelled at the first signal and leaves no file behind', async () => {
  const folder = emptyTemporaryFolder();
  const stop = new AbortController();
  const endless = async function* () {
    yield Buffer.from(FILES['chat.jsonl']);
    stop.abort();
    await new Promise(() => undefined);
  };
  const reading = inputPathOf('-', Readable.from(endless()), { signal: stop.signal });
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(readdirSync(folder)).toEqual([]);
});

test('a line without end is refused, and no more than the longest line is stored', async () => {
  const long = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(100_000, 'x')));
  await using input = await inputPathOf('-', long);
  expect(statSync(input.path).size).toBeLessThan(1_100_000);
  const refused = await detectInput(input.path, input.name).catch(input.told);
  expect(refused).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/^standard input, line 1: the line is longer than/u) as string,
  });
});

test('a name without a letter or digit is refused before the input is read', async () => {
  const read = Readable.from([Buffer.from(FILES['chat.jsonl'])]);
  await expect(inputPathOf('-', read, { name: '--' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect(read.readableDidRead).toBe(false);
});

test.each([
  ['ann', undefined, { userId: 'ann' }, { projectId: 'default' }],
  ['ann', 'home', { userId: 'ann' }, { projectId: 'home' }],
  [undefined, undefined, { projectId: 'default' }, { userId: 'ann' }],
  [undefined, 'home', { projectId: 'home' }, { userId: 'ann' }],
])('an import for user %s and project %s is visible only to them', async (...given) => {
  const [user, project, those, others] = given;
  const tenant = await importedFor(user, project);
  const told = await toldTo(tenant, those);
  expect(told).toContain('allergic to kiwi.');
  expect(told).toContain('Mrs. Schmitz');
  const toldOthers = await toldTo(tenant, others);
  expect(toldOthers).not.toContain('allergic to kiwi.');
  expect(toldOthers).not.toContain('Mrs. Schmitz');
});

test('deleting a message by its id deletes all its parts', async () => {
  const tenant = newTenant();
  const content = `${'A sentence to say. '.repeat(4_000)}\n\nThe pin is on the fridge.`;
  await importChat(tenant, 'f/c.jsonl', [{ role: 'user', content, id: 'long' }]);
  const session = { tenant, sessionId: 'f-c' };
  await library().varve.conversation.delete({ ...session, turnIds: ['long'] });
  const { messages } = await library().varve.conversation.messages(session);
  expect(messages).toEqual([]);
});

describe('docs/import.md', () => {
  const page = readProjectFile('docs/import.md').text;

  test('shows an object of each kind that JSON is recognized by', async () => {
    const objects = /```json\n(?<objects>[^]*?)```/u.exec(page)?.groups?.['objects'] ?? '';
    const kinds = objects
      .trim()
      .split('\n')
      .map(async (line) => {
        const folder = folderOf({ 'x.jsonl': `${line}\n` });
        return (await detectInput(join(folder, 'x.jsonl'))).kind;
      });
    expect(await Promise.all(kinds)).toEqual(['chat', 'meetings', 'memories']);
  });

  test.each([
    [['ann'], undefined, 'ann.chats-march'],
    [['project', 'shop'], undefined, 'project.shop.chats-march'],
    [['ann'], 'support', 'ann.support'],
  ])('names the session of %j with the name %s', async (owner, name, session) => {
    const path = join(folderOf({ 'chats/march.jsonl': jsonLines(KIWI) }), 'chats/march.jsonl');
    await using input = await inputPathOf(path, Readable.from([]), { name });
    const detected = await detectInput(input.path, input.name);
    const [item] = await Array.fromAsync(readInput(detected, { endTime: END_TIME, owner }));
    expect(item).toMatchObject({ kind: 'turn', sessionId: session });
    expect(page).toContain(name === undefined ? `\`${session}\`` : '`--name NAME`');
  });

  test('says from which length on a message has parts and is several messages', () => {
    const [part, message] = [CONTENT_LENGTH_MAX, CONTENT_LENGTH_MAX * TEXT_PARTS_MAX];
    expect(page).toContain(`than ${part.toLocaleString('en-US')} characters`);
    expect(page).toContain(`${message.toLocaleString('en-US')} characters, the rest`);
  });
});

describe('what an export of a person has', () => {
  const STATED = { tags: ['home'], metadata: { floor: 3 } };

  async function filled(): Promise<string> {
    const tenant = newTenant();
    const { varve } = library();
    const identifiers = { userId: 'ann', projectId: `shop-${tenant}` };
    const say = async (sessionId: string, content: string, at: string) => {
      const turns = [{ role: 'user' as const, content, at }];
      await varve.conversation.append({ tenant, identifiers, sessionId, turns });
      await varve.conversation.end({ tenant, sessionId });
    };
    await say('s1', 'I live in Ghent.', '2026-09-01T10:00:00+02:00');
    await say('s2', 'I moved to Antwerp.', '2026-10-01T10:00:00Z');
    const toolCalls = [{ id: 'c1', name: 'book', arguments: { where: 'Antwerp' } }];
    const called = [{ role: 'assistant' as const, content: '', toolCalls }];
    await varve.conversation.append({ tenant, identifiers, sessionId: 's2', turns: called });
    const about = { tenant, layer: 'user' as const, identifiers: { userId: 'ann' } };
    const at = '2026-01-01T00:00:00Z';
    await varve.memory.add({ ...about, content: 'Rent is 900.', key: 'rent', at, ...STATED });
    await varve.memory.add({ ...about, content: 'Ann is a baker.', kind: 'entity' });
    await varve.refresh({ tenant });
    return tenant;
  }

  async function exportedFrom(tenant: string, userId = 'ann') {
    return Array.fromAsync(heldOf(library().varve, { tenant, userId }));
  }

  async function importedTo(tenant: string, held: readonly object[], user?: string) {
    const identifiers = identifiersForImport(user);
    const items = readInput(folderOf({ 'ann.jsonl': jsonLines(...held) }), {
      endTime: Date.now(),
      identifiers,
    });
    return writeImportedItems(items, library().varve, { tenant, identifiers });
  }

  const FIELDS = ['content', 'key', 'kind', 'tags', 'metadata', 'validFrom', 'utcOffset', 'layer'];
  const TOLD = ['id', 'role', 'content', 'toolCalls', 'at', 'utcOffset', 'sessionId'];

  /** A memory without a key of its own gets one from its text. */
  function valueOf(value: unknown): unknown {
    return typeof value === 'string' && value.startsWith('content:') ? null : (value ?? null);
  }

  function told(held: readonly object[]): readonly unknown[] {
    const lines = held as readonly Record<string, unknown>[];
    const of = (line: Record<string, unknown>, names: readonly string[]) =>
      JSON.stringify(names.map((name) => valueOf(line[name])));
    return lines
      .filter((line) => line['held'] === 'Memory' && line['state'] === 'active')
      .map((line) => of(line, FIELDS))
      .concat(
        lines
          .filter(({ held: kind }) => kind === 'Turn' || kind === 'Session')
          .map((line) => of(line, TOLD)),
      )
      .toSorted();
  }

  test.each([undefined, 'ann', 'ben'])(
    'can be imported into another tenant once, for the user %s',
    async (user) => {
      const held = await exportedFrom(await filled());
      const tenant = newTenant();
      expect(await importedTo(tenant, held, user)).toMatchObject({ added: 4, turns: 3 });
      expect(await importedTo(tenant, held, user)).toMatchObject({ added: 0, turns: 0 });
      expect(told(await exportedFrom(tenant, user ?? 'ann'))).toEqual(told(held));
      const identifiers = { userId: user ?? 'ann' };
      const { sessions } = await library().varve.conversation.list({ tenant, identifiers });
      expect(sessions.map((each) => each.identifiers.projectId?.slice(0, 5))).toEqual([
        'shop-',
        'shop-',
      ]);
    },
  );

  describe('after an import elsewhere, deleting turns does what it did before', () => {
    /** The alarm code is said once; the employer twice; York replaces Leeds, which was added. */
    const SAID = [
      ['s1', 't1', 'My alarm code is 4417.'],
      ['s1', 't2', 'I work at Bosch.'],
      ['s2', 't3', 'I moved to York.'],
      ['s2', 't4', 'I work at Bosch.'],
      ['s3', 't5', 'I moved to Hull.'],
    ] as const;

    async function toldTwice(): Promise<string> {
      const tenant = newTenant();
      const { varve } = library();
      const identifiers = { userId: 'ann' };
      const about = { tenant, identifiers, layer: 'user' as const };
      const at = '2026-01-01T00:00:00Z';
      await varve.memory.add({ ...about, content: 'I live in Leeds.', at });
      for (const [place, [sessionId, id, content]] of SAID.entries()) {
        const said = `2026-09-0${String(place + 1)}T10:00:00Z`;
        const turns = [{ id, role: 'user' as const, content, at: said }];
        await varve.conversation.append({ tenant, identifiers, sessionId, turns });
        await varve.conversation.end({ tenant, sessionId });
      }
      return tenant;
    }

    async function heldIn(tenant: string): Promise<readonly string[]> {
      const identifiers = { userId: 'ann' };
      const { memories } = await library().varve.memory.list({
        tenant,
        identifiers,
        latestOnly: false,
      });
      return memories
        .map(({ content, state, isRepeat }) => `${state} ${isRepeat ? 'again ' : ''}${content}`)
        .toSorted();
    }

    test.each([
      ['one turn', [['s1', ['t1']]]],
      ['the turn that a later one repeats', [['s1', ['t2']]]],
      ['the turn that repeats', [['s2', ['t4']]]],
      ['the last change', [['s3', ['t5']]]],
      ['the change in between', [['s2', ['t3']]]],
      [
        'both changes',
        [
          ['s3', ['t5']],
          ['s2', ['t3']],
        ],
      ],
      ['a session', [['s2', undefined]]],
    ] as const)('%s', async (_, deletions) => {
      const from = await toldTwice();
      const held = await exportedFrom(from);
      const to = newTenant();
      await importedTo(to, held);
      const { varve } = library();
      for (const tenant of [from, to]) {
        await varve.refresh({ tenant });
        for (const [sessionId, turnIds] of deletions) {
          const ids = turnIds === undefined ? {} : { turnIds: [...turnIds] };
          await varve.conversation.delete({ tenant, sessionId, ...ids });
        }
      }
      expect(await heldIn(to)).toEqual(await heldIn(from));
      expect(await importedTo(to, held)).toMatchObject({ added: 0, turns: 0 });
      expect(await heldIn(to)).toEqual(await heldIn(from));
    });
  });

  test('adds nothing where it comes from', async () => {
    const tenant = await filled();
    const held = await exportedFrom(tenant);
    expect(await importedTo(tenant, held)).toMatchObject({ added: 0, updated: 0, turns: 0 });
    expect(told(await exportedFrom(tenant))).toEqual(told(held));
  });

  test('is refused if a turn stands before its session', async () => {
    const turn = (await exportedFrom(await filled())).find(({ held }) => held === 'Turn');
    await expect(importedTo(newTenant(), [turn ?? {}])).rejects.toThrow('before its "Session"');
  });
});
