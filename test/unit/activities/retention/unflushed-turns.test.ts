/** Which old turns wait for the flush of their session, and what stays found of them. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/authorize.ts';
import {
  DAY_MS,
  OLD_MS,
  openRetentionHarness,
  TENANT,
  type RetentionHarness,
} from './retention-harness.ts';

const SESSION = 'call';
const DANA = { tenant: TENANT, identifiers: { userId: 'dana' } };
const SAID = ['I am allergic to kiwi.', 'Our offsite is in Braga on 4 May.'];
const NOTHING = { sessions: 0, turns: 0, bytesFreed: 0, unsummarized: 0 };

async function say({ fixture }: RetentionHarness, contents: readonly string[], daysAgo = 0) {
  const at = fixture.parts.platform.clock() - daysAgo * DAY_MS;
  const turns = contents.map((content) => ({ role: 'user' as const, content, at }));
  const input = { ...DANA, sessionId: SESSION, turns };
  await OPERATIONS.conversation.append.call(fixture.ports, LOCAL_OPERATOR, input);
}

async function flush({ fixture }: RetentionHarness) {
  const input = { tenant: TENANT, sessionId: SESSION };
  return OPERATIONS.conversation.flush.call(fixture.ports, LOCAL_OPERATOR, input);
}

async function textsOf(harness: RetentionHarness): Promise<readonly string[]> {
  return (await harness.turns(SESSION)).map(({ content }) => content);
}

describe('an imported chat of last year', () => {
  test('keeps its text as long as a chat of the day on which it was stored', async () => {
    await using harness = await openRetentionHarness();
    await say(harness, SAID, 300);
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
    await say(harness, SAID, 300);
    await harness.refresh();
    harness.fixture.advance(60 * DAY_MS - 1);
    expect((await harness.compact()).counts).toMatchObject({ ...NOTHING, waiting: 1 });
    harness.fixture.advance(1);
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, waiting: 0 });
  });
});

describe('after a compaction', () => {
  test('what a flush made of the turns stays found', async () => {
    await using harness = await openRetentionHarness();
    const { ports } = harness.fixture;
    await say(harness, SAID);
    await flush(harness);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    await harness.compact();
    expect(await textsOf(harness)).toEqual(['', '']);
    const ask = { ...DANA, query: 'What is Dana allergic to?' };
    const context = await OPERATIONS.context.assemble.call(ports, LOCAL_OPERATOR, ask);
    expect(context.text).toContain('I am allergic to kiwi.');
    const offsite = { ...DANA, query: 'Where is our offsite on 4 May?', threshold: 0.1 };
    const { hits } = await OPERATIONS.memory.search.call(ports, LOCAL_OPERATOR, offsite);
    expect(hits.map(({ text }) => text).join('\n')).toContain('Braga');
  });
});
