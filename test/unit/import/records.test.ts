import { describe, expect, test } from 'vitest';
import { detectInput } from '#cli/import/detect-format.ts';
import type { Skipped } from '#cli/import/import-item.ts';
import { isoTime } from '#core/said-at.ts';
import { readTime } from '#cli/import/json-records.ts';
import type { ImportItem } from '#cli/import/import-item.ts';
import { END_TIME, fileOf, imported, jsonLines, folderOf } from './input-folder.ts';

const MEETING = {
  topic_list: [],
  meeting_transcripts: [
    { speaker: 'Ann', content: 'Let us begin.' },
    { speaker: 'Bo', content: ' ' },
    { speaker: 'Bo', content: 'Yes .' },
  ],
};
const CHAT = [
  { role: 'user', content: 'Hi', at: '2026-01-31T09:00:00Z', id: 'm1' },
  { role: 'assistant', content: 'Hello', at: 1_000 },
  { role: 'human', content: [{ type: 'text', text: 'Look' }, { type: 'image' }], name: 'Ann' },
  { role: 'assistant', content: null, tool_calls: [{}] },
  { role: 'tool', content: '42' },
];
const MEMORIES = [
  { layer: 'user', userId: 'ann', content: 'Prefers short answers.', key: 'style', tags: ['a'] },
  { layer: 'company', companyId: 'acme', content: 'No deploys on Fridays.', at: '2026-01-31' },
  { layer: 'team', teamId: 'web', content: 'Stand-up at nine.', metadata: { source: 'wiki' } },
];

const MINUTE = 60;
const node = (id: string, parent: string | null, message: object | null) => ({
  [id]: { id, parent, children: [], message: message === null ? null : { id, ...message } },
});
const saidAs = (role: string, parts: readonly unknown[], minute: number, more: object = {}) => ({
  author: { role, name: null },
  create_time: 1_772_000_000 + minute * MINUTE,
  content: { content_type: 'text', parts },
  recipient: 'all',
  ...more,
});
const OF_CHATGPT = {
  id: 'c1',
  create_time: 1_772_000_000,
  current_node: 'a2',
  mapping: {
    ...node('root', null, null),
    ...node('sys', 'root', saidAs('system', [''], 0)),
    ...node('q1', 'sys', saidAs('user', ['I stay at the Ibis.'], 1)),
    ...node('a1', 'q1', saidAs('assistant', ['Noted.'], 2)),
    ...node('q2', 'sys', saidAs('user', ['I stay at the Mundial.', { asset: 'image' }], 3)),
    ...node('call', 'q2', saidAs('assistant', ['search("Mundial")'], 4, { recipient: 'web' })),
    ...node('found', 'call', saidAs('tool', ['A page.'], 5)),
    ...node('a2', 'found', saidAs('assistant', ['A good choice.'], 6)),
  },
};
const OF_CLAUDE = {
  uuid: 'k1',
  created_at: '2026-03-01T10:00:00Z',
  chat_messages: [
    {
      ...{ uuid: 'm1', sender: 'human', text: 'My dog is called Bruno.' },
      created_at: '2026-03-01T10:00:00Z',
    },
    { uuid: 'm2', sender: 'assistant', text: 'Cute!', created_at: '2026-03-01T10:00:05Z' },
  ],
};

/** Distinct increasing times of the last hour before the import. */
function expectNewest(items: readonly ImportItem[]): void {
  const times = items.map(({ at }) => at ?? 0);
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThan(END_TIME - 3_600_000);
  expect(times.at(-1)).toBeLessThanOrEqual(END_TIME);
}

describe('records', () => {
  test('IMPORT-11: meetings become sessions, with turns in order and dated at the import', async () => {
    const path = fileOf('My Notes.jsonl', jsonLines(MEETING, MEETING));
    expect((await detectInput(path)).kind).toBe('meetings');
    const items = await imported(path);
    expect(items).toHaveLength(4);
    expect(items[1]).toEqual({
      kind: 'turn',
      sessionId: 'in-my-notes-meeting-000',
      id: expect.stringMatching(/^in-my-notes-meeting-000-[0-9a-f]{12}$/u) as string,
      role: 'user',
      speaker: 'Bo',
      text: 'Yes .',
      at: expect.any(Number) as number,
    });
    expect(items[2]).toMatchObject({ sessionId: 'in-my-notes-meeting-001' });
    expectNewest(items);
  });

  test('turns without times get increasing times within the last hour, across all files', async () => {
    const chat = jsonLines(
      ...Array.from({ length: 5_000 }, () => ({ role: 'user', content: 'x' })),
    );
    const least = '[{"role":"ai","content":"x"}]';
    const items = await imported(folderOf({ 'a.jsonl': chat, 'b.json': least, 'c.jsonl': chat }));
    expect(items).toHaveLength(10_001);
    expectNewest(items);
  });

  test('IMPORT-12: a chat becomes a session, and ids and times are kept or derived', async () => {
    const path = fileOf('support.jsonl', jsonLines(...CHAT));
    expect((await detectInput(path)).kind).toBe('chat');
    const id = expect.stringMatching(/^in-support-[0-9a-f]{12}$/u) as string;
    const session = { kind: 'turn', sessionId: 'in-support' };
    const turn = { ...session, speaker: null, id };
    const nine = Date.UTC(2026, 0, 31, 9);
    expect(await imported(path)).toEqual([
      { ...turn, id: 'm1', role: 'user', text: 'Hi', at: nine },
      { ...turn, role: 'assistant', text: 'Hello', at: 1_000_000 },
      {
        ...turn,
        role: 'user',
        speaker: 'Ann',
        text: 'Look',
        at: 1_000_000,
      },
      { ...turn, role: 'tool', text: '42', at: 1_000_000 },
    ]);
  });

  test('IMPORT-12: conversations of ChatGPT become sessions of what the shown branch says', async () => {
    const path = fileOf('conversations.json', JSON.stringify([OF_CHATGPT]));
    expect((await detectInput(path)).kind).toBe('conversations');
    const turn = { kind: 'turn', sessionId: 'in-conversations-c1', speaker: null };
    const start = 1_772_000_000_000;
    expect(await imported(path)).toEqual([
      { ...turn, id: 'q2', role: 'user', text: 'I stay at the Mundial.', at: start + 180_000 },
      { ...turn, id: 'a2', role: 'assistant', text: 'A good choice.', at: start + 360_000 },
    ]);
  });

  test.each([null, undefined, 'lost'])(
    'IMPORT-12: a conversation whose shown message is %j becomes its newest branch',
    async (current) => {
      // The branch with the newest end stands before an older one.
      const mapping = {
        ...node('q1', null, saidAs('user', ['I stay at the Ibis.'], 1)),
        ...node('a2', 'q1', saidAs('assistant', ['No, at the Mundial.'], 6)),
        ...node('a1', 'q1', saidAs('assistant', ['Noted.'], 2)),
      };
      const unshown = { ...OF_CHATGPT, current_node: current, mapping };
      const none = { ...OF_CHATGPT, id: 'c0', current_node: null, mapping: {} };
      const path = fileOf('conversations.json', JSON.stringify([OF_CHATGPT, none, unshown]));
      const items = await imported(path);
      expect(items.slice(2).map(({ text }) => text)).toEqual([
        'I stay at the Ibis.',
        'No, at the Mundial.',
      ]);
    },
  );

  test.each(['conversations.json', 'conversations.jsonl'])(
    'IMPORT-12: a conversation without words is reported once, by its place in %s',
    async (name) => {
      const empty = { ...OF_CHATGPT, current_node: null, mapping: node('root', null, null) };
      const all = [OF_CLAUDE, empty];
      const path = fileOf(name, name.endsWith('l') ? jsonLines(...all) : JSON.stringify(all));
      const skipped: Skipped[] = [];
      expect(await imported(path, { onSkip: (each) => skipped.push(each) })).toHaveLength(2);
      expect(skipped.map(({ kind, problem }) => [kind, problem.message])).toEqual([
        ['empty', expect.stringMatching(/, (?:item|line) 2: nobody says anything/u)],
      ]);
    },
  );

  test('IMPORT-12: conversations of Claude become sessions, and one without words none', async () => {
    const empty = { ...OF_CLAUDE, uuid: 'k2', chat_messages: [] };
    const path = fileOf('conversations.json', JSON.stringify([empty, OF_CLAUDE]));
    const turn = { kind: 'turn', sessionId: 'in-conversations-k1', speaker: null };
    const start = Date.UTC(2026, 2, 1, 10);
    expect(await imported(path)).toEqual([
      { ...turn, id: 'm1', role: 'user', text: 'My dog is called Bruno.', at: start },
      { ...turn, id: 'm2', role: 'assistant', text: 'Cute!', at: start + 5_000 },
    ]);
  });

  test('IMPORT-12: a conversation whose branch is a circle ends', async () => {
    const mapping = {
      ...node('a', 'b', saidAs('user', ['One.'], 1)),
      ...node('b', 'a', saidAs('user', ['Two.'], 2)),
    };
    const circle = { conversation_id: 'c2', current_node: 'a', mapping };
    const items = await imported(fileOf('c.json', JSON.stringify([circle])));
    expect(items.map((item) => item.kind === 'turn' && item.sessionId)).toEqual(
      Array.from({ length: 2 }, () => 'in-c-c2'),
    );
  });

  test.each(['at', 'timestamp', 'created_at', 'createdAt'])(
    'IMPORT-12: a message may have its time in %s',
    async (field) => {
      const said = { role: 'user', content: 'I moved.', [field]: '2026-01-31T09:00:00Z' };
      const [item] = await imported(fileOf('c.jsonl', jsonLines(said)));
      expect(item?.at).toBe(Date.UTC(2026, 0, 31, 9));
    },
  );

  test('IMPORT-12: a line without a time takes the time of the dated line before it', async () => {
    const lines = [
      { role: 'user', content: 'Before.' },
      { role: 'user', content: 'I moved.', at: '2026-01-31T09:00:00+02:00' },
      { role: 'ai', content: 'Good.' },
    ];
    const [before, dated, behind] = await imported(fileOf('c.jsonl', jsonLines(...lines)));
    expect(before?.at).toBeGreaterThan(END_TIME - 3_600_000);
    expect(behind).toMatchObject({ at: dated?.at, utcOffset: 120 });
  });

  test('IMPORT-11: a meeting does not take its time from the meeting before it', async () => {
    const said = { speaker: 'Ann', content: 'Hi.' };
    const dated = { meeting_transcripts: [{ ...said, at: '2025-01-31' }, said] };
    const lines = jsonLines(dated, { meeting_transcripts: [said] });
    const [first, second, next] = await imported(fileOf('m.jsonl', lines));
    expect(second?.at).toBe(first?.at);
    expect(next?.at).toBeGreaterThan(END_TIME - 3_600_000);
  });

  test('IMPORT-12: a message longer than a turn is split into parts', async () => {
    const content = 'A sentence to say. '.repeat(4_000);
    const items = await imported(fileOf('c.jsonl', jsonLines({ role: 'user', content })));
    const ids = items.map((item) => (item.kind === 'turn' ? item.id : ''));
    expect(ids).toEqual([ids[0], `${ids[0]}/part-2`, `${ids[0]}/part-3`]);
    expect(items.map(({ text }) => text).join('')).toBe(content);
  });

  test('IMPORT-13: memories name layer, identifiers, key, tags and time', async () => {
    const path = fileOf('acme/memories.jsonl', jsonLines(...MEMORIES));
    expect((await detectInput(path)).kind).toBe('memories');
    const items = await imported(path);
    expect(items[0]).toEqual({
      kind: 'memory',
      layer: 'user',
      identifiers: { userId: 'ann' },
      text: 'Prefers short answers.',
      key: 'style',
      tags: ['a'],
      metadata: { file: 'acme/memories.jsonl' },
      at: null,
    });
    expect(items[1]).toMatchObject({ layer: 'company', at: Date.UTC(2026, 0, 31), key: null });
    expect(items[2]).toMatchObject({
      metadata: { source: 'wiki' },
      identifiers: { teamId: 'web' },
    });
  });

  test('IMPORT-13: an identifier may come from the caller', async () => {
    const path = fileOf('m.jsonl', jsonLines({ layer: 'user', content: 'Likes tea.' }));
    await expect(imported(path)).rejects.toMatchObject({ details: { field: 'userId', line: 1 } });
    const identifiers = { userId: 'ann' };
    expect(await imported(path, { identifiers })).toMatchObject([{ layer: 'user', identifiers }]);
    const named = fileOf(
      'm.jsonl',
      jsonLines({ layer: 'user', userId: 'bo', content: 'Likes tea.' }),
    );
    expect(await imported(named, { identifiers })).toMatchObject([
      { identifiers: { userId: 'bo' } },
    ]);
  });

  test('IMPORT-13: a team without its identifier is that of a project, or refused', async () => {
    const path = fileOf('m.jsonl', jsonLines({ layer: 'team', content: 'Stand-up at nine.' }));
    const refused = { details: { field: 'teamId', line: 1 } };
    await expect(imported(path, { identifiers: { userId: 'ann' } })).rejects.toMatchObject(refused);
    const identifiers = { projectId: 'shop' };
    expect(await imported(path, { identifiers })).toMatchObject([{ identifiers }]);
  });

  test.each([
    ['a list', JSON.stringify(CHAT, null, 2), 'chat', 4],
    ['an object with messages', JSON.stringify({ messages: CHAT }), 'chat', 4],
    ['one meeting', JSON.stringify(MEETING, null, 2), 'meetings', 2],
    ['one meeting on one line', JSON.stringify(MEETING), 'meetings', 2],
    ['a list of meetings', JSON.stringify([MEETING, MEETING]), 'meetings', 4],
    ['JSON Lines under another name', jsonLines(...MEMORIES), 'memories', 3],
  ])('IMPORT-14: a .json file may hold %s', async (_, ...[content, kind, count]) => {
    const path = fileOf('x.json', content);
    expect((await detectInput(path)).kind).toBe(kind);
    expect(await imported(path)).toHaveLength(count);
  });

  test('IMPORT-15: a byte order mark, CRLF and blank lines change nothing', async () => {
    const texts = (items: readonly ImportItem[]) => items.map((item) => ({ ...item, at: null }));
    const plain = texts(await imported(fileOf('c.jsonl', jsonLines(...CHAT))));
    const dressed = `\ufeff\r\n${jsonLines(...CHAT).replaceAll('\n', '\r\n\r\n')}`.replace(
      '\ufeff\r\n',
      '\ufeff',
    );
    expect(texts(await imported(fileOf('c.jsonl', dressed.trimEnd())))).toEqual(plain);
    const [section] = await imported(fileOf('a.md', '\ufeff# A\r\n\r\nText.\r\n'));
    expect(section).toMatchObject({ text: '# A\n\nText.', metadata: { heading: 'A' } });
  });

  test('IMPORT-16: one bad line makes the whole file give no items', async () => {
    const path = fileOf('c.jsonl', `${jsonLines(...CHAT)}{"role":\n${jsonLines(...CHAT)}`);
    const items: unknown[] = [];
    const failed = imported(path).then((all) => items.push(...all));
    await expect(failed).rejects.toMatchObject({ details: { line: 6 } });
    expect(items).toEqual([]);
  });

  test('IMPORT-16: bad lines may be skipped, and each is reported with its line', async () => {
    const bad = `{"role":\n${jsonLines({ role: 'ghost', content: 'x' }, 7)}`;
    const path = fileOf('c.jsonl', bad + jsonLines(...CHAT));
    const skipped: Skipped[] = [];
    const items = await imported(path, {
      skipInvalid: true,
      onSkip: (each) => skipped.push(each),
    });
    expect(items).toHaveLength(4);
    expect(skipped.map(({ problem }) => problem.details['line'])).toEqual([1, 2, 3]);
  });
});

const NINE = Date.UTC(2026, 0, 31, 9);

describe('times', () => {
  test.each([
    ['2026-01-31T09:00:00Z', NINE],
    ['2026-01-31T09:00', NINE],
    ['2026-01-31 09:00:00', NINE],
    ['2026-01-31T10:00:00+01:00', NINE],
    ['2026-01-31T10:00:00.000+0100', NINE],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    [NINE, NINE],
    [NINE / 1_000, NINE],
    [0, 0],
    ['yesterday', null],
    ['2026-13-01', null],
    ['31.01.2026', null],
    ['', null],
    [-1, null],
    [Number.NaN, null],
    [1e300, null],
    [null, null],
    ['1969-01-01', null],
  ])('IMPORT-6: %j is read as %j', (value, expected) => {
    expect(readTime(value)?.at ?? null).toBe(expected);
  });
});

test('a turn of a file keeps the UTC offset of its time', () => {
  const said = readTime('2026-01-31T10:00:00.000+0100');
  expect(said).toEqual({ at: NINE, utcOffset: 60 });
  expect(isoTime(said ?? { at: 0 })).toBe('2026-01-31T10:00:00.000+01:00');
});
