/** Tool calls and their results, as turns of a conversation. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'mara' };
const sessionId = 'ferry';
const CALL = { id: 'c1', name: 'timetable', arguments: { port: 'Calais', day: 2 } };
const TURNS = [
  { id: 'ask', role: 'user' as const, content: 'When does the ferry leave?' },
  { id: 'call', role: 'assistant' as const, content: 'Let me look.', toolCalls: [CALL] },
  {
    ...{ id: 'result', role: 'tool' as const, speaker: 'timetable', toolCallId: 'c1' },
    content: 'The ferry Odin departs at 07:40.',
  },
  { id: 'answer', role: 'assistant' as const, content: 'In the morning.' },
];

async function talk(turns: readonly object[] = TURNS) {
  const tenant = newTenant();
  const given = { tenant, sessionId, identifiers, turns: turns as typeof TURNS };
  const appended = await library().varve.conversation.append(given);
  return { tenant, appended };
}

const messagesOf = async (tenant: string) =>
  (await library().varve.conversation.messages({ tenant, sessionId })).messages;

const contextOf = (tenant: string, query: string, session = 'later') =>
  library().varve.context.assemble({
    tenant,
    identifiers: { ...identifiers, sessionId: session },
    query,
  });

describe('tool calls', () => {
  test('are returned as they were appended, apart from the content', async () => {
    const { tenant } = await talk();
    expect(await messagesOf(tenant)).toMatchObject(
      TURNS.map((turn) => ({ toolCalls: [], toolCallId: null, ...turn })),
    );
  });

  test.each([
    ['alone', '', 'x', 1],
    ['after words', 'Let me look.', 'x', 1],
    ['after words that leave no room', 'w'.repeat(32_000), 'x'.repeat(4_000), 2],
    ['after a turn in parts', 'Nothing of note. '.repeat(3_000), 'x', 2],
  ])('%s are stored whole', async (_, content, note, parts) => {
    const toolCalls = [{ id: 'c', name: 'note', arguments: { note } }];
    const { tenant, appended } = await talk([{ id: 'a', role: 'assistant', content, toolCalls }]);
    expect(appended).toEqual({ appended: parts, ids: ['a'] });
    const messages = await messagesOf(tenant);
    expect(messages.map((message) => message.content).join('')).toBe(content);
    expect(messages.flatMap((message) => [...message.toolCalls])).toEqual(toolCalls);
    const { deleted } = await library().varve.conversation.delete({
      ...{ tenant, sessionId, turnIds: ['a'] },
    });
    expect(deleted).toHaveLength(parts);
    expect(
      JSON.stringify(await library().store.turns.page({ tenant, sessionId }, PAGE)),
    ).not.toMatch(/note|xxx/u);
  });

  test('are left out of a later context if the policy leaves no room for untrusted text', async () => {
    const { tenant } = await talk();
    const query = 'When does Odin depart?';
    expect((await contextOf(tenant, query)).text).toContain('07:40');
    await library().declare(tenant, ({ context }) => ({
      context: { ...context, untrustedPercent: 0 },
    }));
    const { text, receipt } = await contextOf(tenant, query);
    expect(text).not.toContain('07:40');
    expect(receipt.find(({ id }) => id === 'result')).toMatchObject({
      ...{ included: false, reason: 'OverShare', trust: 'untrusted' },
    });
  });

  test.each([
    ['the arguments of a tool', 'Calais timetable', '"port":"Calais"'],
    ['the answer of a tool', 'When does Odin depart?', '07:40'],
  ])('a search and a context find %s with the lowest trust', async (_, query, words) => {
    const { tenant } = await talk();
    const { hits } = await library().varve.memory.search({ tenant, identifiers, query });
    const found = hits.find(({ text }) => text.includes(words));
    expect(found).toMatchObject({ source: 'turn' });
    const { text, receipt } = await contextOf(tenant, query);
    expect(text).toContain(words);
    const line = receipt.find(({ id }) => id === found?.id);
    expect(line).toMatchObject({ included: true, trust: 'untrusted' });
  });

  test('arguments and answers of tools become no memories', async () => {
    const note = 'Done. Note to self: the master key is 4711. I live in Calais.';
    const toolCalls = [{ id: 'c', name: 'note', arguments: { note } }];
    const { tenant } = await talk([
      { role: 'assistant', content: 'Noting it.', toolCalls },
      { role: 'tool', content: note, toolCallId: 'c' },
    ]);
    const { results } = await library().varve.conversation.flush({ tenant, sessionId });
    expect(results).toEqual([]);
  });

  test.each([300, 90, 60, 40])(
    'in a context of at most %d tokens appear with their results or not at all',
    async (maxTokens) => {
      const { tenant } = await talk();
      const { text } = await library().varve.context.assemble({
        ...{ tenant, identifiers: { ...identifiers, sessionId }, query: 'And then?', maxTokens },
      });
      const latest = text.split('## Earlier turns')[0] ?? '';
      expect(latest.includes('[calls timetable')).toBe(latest.includes('07:40'));
    },
  );

  test('results are not shown if their call is not among the latest turns', async () => {
    const results = Array.from({ length: 7 }, (_, at) => ({
      ...{ role: 'tool', toolCallId: 'c1', content: `Row ${String(at)} of the timetable.` },
    }));
    const { tenant } = await talk([...TURNS.slice(0, 2), ...results, ...TURNS.slice(3)]);
    const { receipt } = await contextOf(tenant, 'And then?', sessionId);
    const latest = receipt.filter(({ kind }) => kind === 'hotTurn').map(({ id }) => id);
    expect(latest).toEqual(['answer']);
  });

  test.each([
    ['of a user', { role: 'user', content: 'Hi.', toolCalls: [CALL] }, 'toolCalls'],
    [
      'answered by an assistant',
      { role: 'assistant', content: 'Hi.', toolCallId: 'c1' },
      'toolCallId',
    ],
    [
      'without a name',
      { role: 'assistant', content: '', toolCalls: [{ ...CALL, name: '' }] },
      'name',
    ],
    ['that are too large alone', callsOf(1, 20_000), 'arguments'],
    ['that are too large together', callsOf(3, 12_000), 'toolCalls'],
    ['that are too many', callsOf(129, 1), 'toolCalls'],
  ])('%s are refused, and the error names the place', async (_, turn, place) => {
    await expect(talk([turn])).rejects.toThrow(place);
  });
});

const PAGE = { after: 0, limit: 10 };

function callsOf(count: number, units: number): object {
  const toolCalls = Array.from({ length: count }, (_, at) => ({
    ...{ id: String(at), name: 'note', arguments: { note: 'x'.repeat(units) } },
  }));
  return { role: 'assistant', content: 'Noting.', toolCalls };
}
