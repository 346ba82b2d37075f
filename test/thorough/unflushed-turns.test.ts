/** Which old turns wait for the flush of their session, and what stays found of them. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import {
  DAY_MS,
  OLD_MS,
  openRetentionHarness,
  TENANT,
  type RetentionHarness,
} from '#test/unit/activities/retention/retention-harness.ts';

const SESSION = 'call';
const DANA = { tenant: TENANT, identifiers: { userId: 'dana' } };
const SAID = ['I am allergic to kiwi.', 'Our offsite is in Braga on 4 May.'];
const NOTHING = { sessions: 0, turns: 0, bytesFreed: 0, unsummarized: 0 };

async function say(
  { fixture }: RetentionHarness,
  contents: readonly string[],
  { daysAgo = 0, sessionId = SESSION } = {},
) {
  const at = fixture.parts.platform.clock() - daysAgo * DAY_MS;
  const turns = contents.map((content) => ({ role: 'user' as const, content, at }));
  const input = { ...DANA, sessionId, turns };
  await OPERATIONS.conversation.append.call(fixture.ports, LOCAL_OPERATOR, input);
}

async function flush({ fixture }: RetentionHarness, sessionId = SESSION) {
  const input = { tenant: TENANT, sessionId };
  return OPERATIONS.conversation.flush.call(fixture.ports, LOCAL_OPERATOR, input);
}

async function textsOf(harness: RetentionHarness): Promise<readonly string[]> {
  return (await harness.turns(SESSION)).map(({ content }) => content);
}

describe('an imported chat of last year', () => {
  test('keeps its text as long as a chat of the day on which it was stored', async () => {
    await using harness = await openRetentionHarness();
    await say(harness, SAID, { daysAgo: 300 });
    await flush(harness);
    await harness.refresh();
    harness.fixture.advance(30 * DAY_MS - 1);
    expect((await harness.compact()).counts).toMatchObject({ ...NOTHING, waiting: 0 });
    harness.fixture.advance(1);
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, waiting: 0 });
  });
});

describe('old turns that no flush has taken', () => {
  test('keep their text until the flush, which makes memories and daily lines of them', async () => {
    await using harness = await openRetentionHarness();
    await say(harness, SAID);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    expect((await harness.compact()).counts).toMatchObject({ ...NOTHING, waiting: 1 });
    expect(await textsOf(harness)).toEqual(SAID);
    const flushed = await flush(harness);
    expect(flushed.turns).toBe(SAID.length);
    await harness.refresh();
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, waiting: 0 });
    expect(await textsOf(harness)).toEqual(['', '']);
  });

  test('hold back no turn that an earlier flush took', async () => {
    await using harness = await openRetentionHarness();
    await say(harness, SAID.slice(0, 1));
    await flush(harness);
    await say(harness, SAID.slice(1));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    expect((await harness.compact()).counts).toMatchObject({ turns: 1, waiting: 1 });
    expect(await textsOf(harness)).toEqual(['', SAID[1]]);
  });

  test('wait for a flush for at most twice the retention time', async () => {
    await using harness = await openRetentionHarness();
    await say(harness, SAID, { daysAgo: 300 });
    await harness.refresh();
    harness.fixture.advance(60 * DAY_MS - 1);
    expect((await harness.compact()).counts).toMatchObject({ ...NOTHING, waiting: 1 });
    harness.fixture.advance(1);
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, waiting: 0 });
  });
});

/** Each day another session, flushed; then the texts of the oldest days go. */
async function talkEachDay(harness: RetentionHarness, days: readonly (readonly string[])[]) {
  for (const [day, said] of days.entries()) {
    const sessionId = `day-${String(day)}`;
    await say(harness, said, { sessionId });
    await flush(harness, sessionId);
    harness.fixture.advance(DAY_MS);
  }
  await harness.refresh();
  expect((await harness.compact()).counts).toMatchObject({ waiting: 0 });
}

describe('after a compaction', () => {
  const SAME_DAYS = Array.from({ length: 45 }, () => ['We had lunch at noon.']);
  const ASKED: readonly [said: string, query: string, told: string][] = [
    ['I am allergic to kiwi.', 'What is Dana allergic to?', 'kiwi'],
    ['The code of the wifi is 7204.', 'What is the code of the wifi?', '7204'],
    ['Der Code für das WLAN ist 7204.', 'Wie ist der Code für das WLAN?', '7204'],
    ['El código del wifi es 7204.', '¿Cuál es el código del wifi?', '7204'],
    ['无线网络的密码是7204。', '无线网络的密码是什么？', '7204'],
    ['Le code du wifi est 7204.', 'Quel est le code du wifi ?', '7204'],
  ];

  test.each(ASKED)('%j stays found, however many days followed', async (said, query, told) => {
    await using harness = await openRetentionHarness();
    await talkEachDay(harness, [[said], ...SAME_DAYS]);
    expect((await harness.turns('day-0')).map(({ content }) => content)).toEqual(['']);
    const { ports } = harness.fixture;
    const context = await OPERATIONS.context.assemble.call(ports, LOCAL_OPERATOR, {
      ...DANA,
      query,
      maxTokens: 200,
    });
    expect(context.text).toContain(told);
    const asked = { ...DANA, query };
    const { hits } = await OPERATIONS.memory.search.call(ports, LOCAL_OPERATOR, asked);
    expect(hits[0]?.text).toContain(told);
    const ref = hits[0]?.id ?? '';
    const why = await OPERATIONS.trace.why.call(ports, LOCAL_OPERATOR, { ...DANA, ref });
    expect(why.text).toContain(told);
  });

  test('a line that a later one corrects is marked, and a deleted turn is gone', async () => {
    await using harness = await openRetentionHarness();
    const { ports } = harness.fixture;
    const early = ['The offsite is in Porto.', 'The code of the wifi is 7204.'];
    await talkEachDay(harness, [early, ...SAME_DAYS, ['The offsite is in Braga now.']]);
    const textFor = async (query: string) => {
      const asked = { ...DANA, query, maxTokens: 200 };
      return (await OPERATIONS.context.assemble.call(ports, LOCAL_OPERATOR, asked)).text;
    };
    const offsite = await textFor('Where is the offsite?');
    expect(offsite).toMatch(/Porto\. \(earlier\)/u);
    expect(offsite).toContain('Braga now.');
    const session = { tenant: TENANT, sessionId: 'day-0' };
    expect(await textFor('What is the code of the wifi?')).toContain('7204');
    await OPERATIONS.conversation.delete.call(ports, LOCAL_OPERATOR, session);
    expect(await textFor('What is the code of the wifi?')).not.toContain('7204');
  });
});
