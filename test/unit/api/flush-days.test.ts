/** The flush of a session over several days: each line is in the daily file of its own day. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { libraryOf, type Library } from '#api/library.ts';
import { flushInProcess, dreamsInProcess } from '#cli/in-process-work.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import { subjectKey } from '#core/subject.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const DANA = { userId: 'dana' } as const;
const subject = { kind: 'user', id: 'dana' } as const;
const sessionId = 's1';
const VISA = 'My visa interview is tomorrow at 9.';
const OSLO = 'Next week I fly to Oslo with my sister Ines.';
const RENT = 'The rent of the flat goes up to 1,250 euros next month.';

const held = new AsyncDisposableStack();
let parts: Parts;
let varve: Library;
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const opened = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const clock = () => Date.parse('2026-11-29T20:00:00Z');
  parts = { ...opened, platform: { ...opened.platform, clock } };
  varve = libraryOf(apiPortsOf(parts, dreamsInProcess(parts), null), LOCAL_OPERATOR);
});
afterAll(() => held.disposeAsync());

type Said = readonly [at: string, content: string];

async function tell(tenant: string, said: readonly Said[]): Promise<void> {
  const turns = said.map(([at, content]) => ({ id: content, role: 'user' as const, content, at }));
  await varve.conversation.append({ tenant, sessionId, identifiers: DANA, turns });
}

/** The lines of the daily files, each with its day and the time of its block. */
async function filed(tenant: string): Promise<readonly string[]> {
  const place = { tenant, subject: subjectKey(subject) };
  const page = { after: 'memory/', limit: 50 };
  const paths = await parts.store.documents.paths(place, page);
  const found: string[] = [];
  for (const day of paths.flatMap((path) => /\d{4}-\d{2}-\d{2}/u.exec(path) ?? [])) {
    const file = await varve.daily.get({ tenant, subject, day });
    for (const block of (file?.text ?? '').split(/^## Session \(|^## Trimmed Context \(/mu)) {
      const lines = [...block.matchAll(/^- (.*)$/gmu)].map(([, line = '']) => line);
      found.push(...lines.map((line) => `${day} ${block.slice(0, 5)} ${line}`));
    }
  }
  return found.toSorted();
}

const CHAT: readonly Said[] = [
  ['2026-09-01T08:00:00Z', VISA],
  ['2026-09-02T22:30:00Z', OSLO],
  ['2026-10-20T12:00:00Z', RENT],
];
const FILED = [`2026-09-01 08:00 ${VISA}`, `2026-09-02 22:30 ${OSLO}`, `2026-10-20 12:00 ${RENT}`];

describe('a flush of a session that spans days', () => {
  test('writes each line to the file of the day on which it was said', async () => {
    await tell('days', CHAT);
    const { daily } = await varve.conversation.flush({ tenant: 'days', sessionId });
    expect(daily).toBe([VISA, OSLO, RENT].map((line) => `- ${line}\n`).join(''));
    expect(await filed('days')).toEqual(FILED);
  });

  test('takes the days of the time zone that the policy sets', async () => {
    const dreams = [dreamPolicy({ users: ['dana'], timeZone: 'Europe/Oslo' })];
    const policy = { ...defaultPolicy('zone'), dreams };
    await parts.store.policies.put(ownerOf('test'), policy, { hash: 'h', now: NOW });
    await tell('zone', CHAT);
    await varve.conversation.flush({ tenant: 'zone', sessionId });
    expect(await filed('zone')).toContain(`2026-09-03 00:30 ${OSLO}`);
  });

  test('moves no other line to the day of a turn in the future', async () => {
    const late = 'The lease of the garage begins with number 41.';
    await tell('future', [...CHAT, ['2027-05-01T12:00:00Z', late]]);
    await varve.conversation.flush({ tenant: 'future', sessionId });
    expect(await filed('future')).toEqual([...FILED, `2027-05-01 12:00 ${late}`]);
  });

  test('adds a late turn of an earlier day to the file of that day, and nothing twice', async () => {
    const late = 'The visa costs 160 dollars.';
    await tell('late', CHAT);
    await varve.conversation.flush({ tenant: 'late', sessionId });
    await tell('late', [...CHAT, ['2026-09-01T09:15:00Z', late]]);
    await varve.conversation.flush({ tenant: 'late', sessionId });
    await varve.conversation.flush({ tenant: 'late', sessionId });
    expect(await filed('late')).toEqual([...FILED, `2026-09-01 09:15 ${late}`].toSorted());
  });

  test('loses the line of a deleted turn, wherever it is, and keeps the others', async () => {
    await tell('deleted', CHAT);
    await varve.conversation.flush({ tenant: 'deleted', sessionId });
    await varve.conversation.delete({ tenant: 'deleted', sessionId, turnIds: [OSLO] });
    expect(await filed('deleted')).toEqual([FILED[0], FILED[2]]);
    const target = { kind: 'Turn', sessionId, id: VISA } as const;
    await varve.memory.erase({ tenant: 'deleted', target });
    expect(await filed('deleted')).toEqual([FILED[2]]);
  });

  type Append = Store['documents']['append'];
  test.each([1, 2, 3].flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]))(
    'writes each line once if it is killed at block %d, %s the write',
    async (killedAt, when) => {
      const tenant = `killed-${String(killedAt)}-${when}`;
      await tell(tenant, CHAT);
      const flushId = (await parts.store.sessions.get(tenant, sessionId))?.flush?.id ?? '';
      let calls = 0;
      const append: Append = async (block, announcement) => {
        calls += 1;
        if (calls === killedAt && when === 'before') throw new Error('killed');
        const answer = await parts.store.documents.append(block, announcement);
        if (calls === killedAt) throw new Error('killed');
        return answer;
      };
      const documents = { ...parts.store.documents, append };
      const ports = {
        ...parts,
        store: { ...parts.store, documents },
        refreshTrigger: NO_REFRESH_TRIGGER,
      };
      await expect(flushInProcess(ports, { tenant, flushId })).rejects.toThrow('killed');
      await flushInProcess(ports, { tenant, flushId });
      expect(await filed(tenant)).toEqual(FILED);
    },
  );
});

describe('a relative day that is another day in UTC than by the clock of its speaker', () => {
  test.each([
    ['en', '2026-11-01T20:30:00-08:00', 'Tomorrow I have a job interview.', '2026-11-01'],
    ['de', '2026-11-02T00:30:00+01:00', 'Morgen habe ich ein Gespräch.', '2026-11-02'],
    ['es', '2026-11-01T21:15:00-06:00', 'Mañana tengo una entrevista.', '2026-11-01'],
    ['zh', '2026-11-02T01:00:00+08:00', '我明天有一个面试。', '2026-11-02'],
  ])('is dated by that clock in the daily file and MEMORY.md: %s', async (name, at, said, day) => {
    const tenant = `clock-${name}`;
    await tell(tenant, [[at, said]]);
    await varve.conversation.flush({ tenant, sessionId });
    const dated = `${said.slice(0, -1)} (as of ${day})${said.slice(-1)}`;
    expect(await filed(tenant)).toEqual([expect.stringContaining(` ${dated}`)]);
    await varve.dream.run({ tenant, subject, lookbackDays: 90 });
    const file = await varve.document.get({ tenant, subject, path: 'MEMORY.md' });
    expect(file?.lines.map(({ text }) => text)).toEqual([dated]);
  });

  test.each([
    ['same', '2026-11-01T12:30:00-08:00', 'Tomorrow I have a job interview.'],
    ['fixed', '2026-11-01T20:30:00-08:00', 'The job interview is on November 2.'],
  ])('is the only line that gets a day in the daily file: %s', async (name, at, said) => {
    const tenant = `clock-${name}`;
    await tell(tenant, [[at, said]]);
    await varve.conversation.flush({ tenant, sessionId });
    expect(await filed(tenant)).toEqual([expect.stringMatching(/\d (?!.*\(as of).+\.$/u)]);
  });
});

describe('a dream after the flush of a session that spans days', () => {
  test('counts relative days from the day on which each line was said', async () => {
    await tell('dreamt', CHAT);
    await varve.conversation.flush({ tenant: 'dreamt', sessionId });
    await varve.dream.run({ tenant: 'dreamt', subject, lookbackDays: 90 });
    const file = await varve.document.get({ tenant: 'dreamt', subject, path: 'MEMORY.md' });
    expect(file?.lines.map(({ text }) => text)).toEqual([
      VISA.replace('.', ' (as of 2026-09-01).'),
      OSLO.replace('.', ' (as of 2026-09-02).'),
      RENT.replace(/\.$/u, ' (as of 2026-10-20).'),
    ]);
  });
});
