import { describe, expect, test } from 'vitest';
import type { Library } from '#api/library.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { checkedLibraryOf } from '#test/unit/library/checked-library.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { NOON, sharedTiers } from './memory-files-fixture.ts';

const fixture = sharedTiers();
const DANA = { userId: 'dana' } as const;
const SILENCE_MS = 30 * 60_000;
const HOUR_MS = 3_600_000;
const NOTHING = { state: 'Done', turns: 0, results: [], daily: null };

function library(principal: Principal = LOCAL_OPERATOR): Library {
  return checkedLibraryOf(fixture().ports, principal);
}

function turn(
  id: string,
  content: string,
  at = NOON,
  role: 'user' | 'assistant' | 'tool' = 'user',
) {
  return { id, role, content, at };
}

async function contentsOf(varve: Library, tenant: string): Promise<readonly string[]> {
  const { memories } = await varve.memory.list({
    tenant,
    identifiers: DANA,
    latestOnly: false,
    order: 'oldest',
  });
  return memories.map(({ content, state }) => `${state}: ${content}`);
}

describe('the end of a session', () => {
  test('writes the items of a list with their numbers to the daily file', async () => {
    const varve = library();
    const session = { tenant: 'listed', sessionId: 's1' };
    const rules = 'My rules for this desk:\n1. Never call before ten.\n2. No jokes in mails.';
    await varve.conversation.append({ ...session, identifiers: DANA, turns: [turn('t1', rules)] });
    const { daily } = await varve.conversation.flush(session);
    expect(daily).toContain('- (1) Never call before ten.\n');
    expect(daily).toContain('- (2) No jokes in mails.\n');
  });

  test('writes the sentences to the daily file in the order in which they were said', async () => {
    const varve = library();
    const session = { tenant: 'in-order', sessionId: 's1' };
    const said = [
      'Soy Ana, vivo en Sevilla y trabajo de enfermera en el Virgen del Rocío.',
      'Mi hermana Lucía se casa el 14 de junio, y yo llevo el pastel.',
      'Soy alérgica al marisco, ojo con las recetas.',
    ];
    const turns = said.map((content, at) => turn(`t${String(at)}`, content, NOON + at));
    await varve.conversation.append({ ...session, identifiers: DANA, turns });
    const { daily } = await varve.conversation.flush(session);
    expect(daily).toBe(said.map((content) => `- ${content}\n`).join(''));
  });

  const CODE = '```sh\nrestic backup ~/docs\n```';
  const LONG = '```sh\nset -e\nrestic backup ~/docs\nrestic forget --keep-last 7\n```';
  test.each([
    ['one line of code', 'My backup script, keep it please:', `\n\n${CODE}`, ': `restic backup'],
    ['one line, in German', 'So läuft meine Sicherung:', `\n${CODE}`, ': `restic backup'],
    ['one line, in Spanish', 'Este es mi script de copias:', `\n\n${CODE}`, ': `restic backup'],
    ['longer code', 'My backup script, keep it please:', `\n\n${LONG}`, null],
    ['longer code, in German', 'So läuft meine Sicherung:', `\n${LONG}`, null],
    ['longer code, in Chinese', '这是我的备份脚本，请记住：', `\n\n${LONG}`, null],
    ['no code, although code follows', 'The backup runs at 02:00.', `\n${CODE}`, '.\n'],
    ['a sentence', 'My plan for the garden:', ' two pear trees at the wall.', ': two pear'],
  ])(
    'writes what announces %s to the daily file with what it announces, or not at all',
    async (name, said, behind, written) => {
      const varve = library();
      const session = {
        tenant: `code-${name.toLowerCase().replaceAll(/[ ,]+/g, '-')}`,
        sessionId: 's1',
      };
      const turns = [turn('t1', 'My bike is a blue Gazelle.'), turn('t2', `${said}${behind}`)];
      await varve.conversation.append({ ...session, identifiers: DANA, turns });
      const { daily } = await varve.conversation.flush(session);
      expect(daily).toContain('Gazelle');
      const words = said.replace(/[.:：]$/u, '');
      if (written === null) expect(daily).not.toContain(words);
      else expect(daily).toContain(`${words}${written}`);
    },
  );

  test('stores lasting statements once, and a later turn corrects them', async () => {
    const varve = library();
    const session = { tenant: 'ended', sessionId: 's1' };
    await varve.conversation.append({
      ...session,
      identifiers: DANA,
      turns: [turn('t1', 'I live in Lyon.'), turn('t2', 'Nice city!', NOON, 'assistant')],
    });
    expect(await varve.conversation.end(session)).toEqual({ ended: true });
    expect(await contentsOf(varve, 'ended')).toEqual(['active: I live in Lyon.']);
    expect(await varve.conversation.flush(session)).toEqual(NOTHING);
    await varve.conversation.append({
      ...session,
      turns: [turn('t3', 'I moved from Lyon to Berlin.', NOON + 1)],
    });
    const { turns, results } = await varve.conversation.flush(session);
    expect([turns, results.map(({ event }) => event)]).toEqual([1, ['SUPERSEDE']]);
    expect(await contentsOf(varve, 'ended')).toEqual([
      'superseded: I live in Lyon.',
      'active: I moved from Lyon to Berlin.',
    ]);
  });

  test('a later session supersedes a fact in other words, and deleting that session restores it', async () => {
    const varve = library();
    const of = { tenant: 'sold', identifiers: DANA };
    const written = { layer: 'user', content: 'Dana drives a Honda.', at: NOON - 1 } as const;
    const { memory } = await varve.memory.add({ ...of, ...written });
    const { id } = memory;
    const turns = [turn('t1', 'My sister sold her Honda.'), turn('t2', 'I sold the Honda in May.')];
    await varve.conversation.append({ ...of, sessionId: 's1', turns });
    const session = { tenant: 'sold', sessionId: 's1' };
    const { results } = await varve.conversation.flush(session);
    expect(results).toMatchObject([
      { event: 'SUPERSEDE', text: 'I sold the Honda in May.', supersedes: [id] },
    ]);
    expect(await varve.memory.get({ tenant: 'sold', id: results[0]?.id ?? '' })).toMatchObject({
      origin: { channel: 'extraction', sources: ['t2'] },
      trust: 'stated',
    });
    expect(await varve.memory.get({ tenant: 'sold', id })).toMatchObject({
      state: 'superseded',
      supersededBy: results[0]?.id,
    });
    const history = await varve.memory.history({ tenant: 'sold', id });
    expect(history.changes.map(({ action }) => action)).toEqual(['Superseded', 'Added']);
    await varve.conversation.delete(session);
    expect(await contentsOf(varve, 'sold')).toEqual(['active: Dana drives a Honda.']);
    const query = 'Which car does Dana drive?';
    const { hits } = await varve.memory.search({ ...of, query, threshold: 0 });
    expect(hits.map(({ text }) => text)).toContain('Dana drives a Honda.');
  });

  test('a later context includes a statement once, though a turn, a memory and a line hold it', async () => {
    const varve = library();
    const session = { tenant: 'told-once', sessionId: 's1' };
    await varve.conversation.append({
      ...session,
      identifiers: DANA,
      turns: [turn('t1', 'I am allergic to peanuts. I live in Lyon.')],
    });
    await varve.conversation.end(session);
    expect(await contentsOf(varve, 'told-once')).toContain('active: I am allergic to peanuts.');
    const { text } = await varve.context.assemble({
      tenant: 'told-once',
      identifiers: { ...DANA, sessionId: 's2' },
      query: 'What is she allergic to?',
    });
    expect(text.match(/allergic to peanuts/gu)).toHaveLength(1);
  });

  test('comes after 30 minutes of silence, and a late turn reopens the session', async () => {
    const varve = library();
    const session = { tenant: 'silent', sessionId: 's1' };
    const listed = async () => {
      const { sessions } = await varve.conversation.list({ tenant: 'silent', identifiers: DANA });
      return sessions[0]?.endedAt;
    };
    const { clock } = fixture();
    await varve.conversation.append({ ...session, identifiers: DANA, turns: [turn('t1', 'Hi.')] });
    clock.now = NOON + SILENCE_MS - 1;
    expect(await listed()).toBeNull();
    clock.now = NOON + SILENCE_MS;
    expect(await listed()).toBe(NOON + SILENCE_MS);
    await varve.conversation.append({ ...session, turns: [turn('t2', 'Still?', clock.now)] });
    expect(await listed()).toBeNull();
  });

  test('comes after the silence that the policy sets', async () => {
    const varve = library();
    const { clock, ports } = fixture();
    const session = { tenant: 'patient', sessionId: 's1' };
    const policy = { ...defaultPolicy('patient'), sessionSilenceMs: 2 * HOUR_MS };
    await ports.store.policies.put(ownerOf('test'), policy, { hash: 'h', now: NOON });
    const listed = async () => {
      const { sessions } = await varve.conversation.list({ tenant: 'patient', identifiers: DANA });
      return sessions[0]?.endedAt;
    };
    const turns = [turn('t1', 'The billing service moves to Postgres in March.')];
    await varve.conversation.append({ ...session, identifiers: DANA, turns });
    const due = async (now: number) => {
      const found = await ports.store.sessions.dueFlushes({ now, limit: 10 });
      return found.filter(({ tenant }) => tenant === 'patient').length;
    };
    expect([await due(NOON + 2 * HOUR_MS - 1), await due(NOON + 2 * HOUR_MS)]).toEqual([0, 1]);
    clock.now = NOON + 2 * HOUR_MS - 1;
    expect(await listed()).toBeNull();
    clock.now = NOON + 2 * HOUR_MS;
    expect(await listed()).toBe(NOON + 2 * HOUR_MS);
    const { daily } = await varve.conversation.flush(session);
    expect(daily).toContain('Postgres');
    const subject = { kind: 'user', id: 'dana' } as const;
    const file = await varve.daily.get({ tenant: 'patient', subject });
    expect(file?.text).toContain('## Session (');
  });

  test('a failed flush leaves the session ended, and the next flush succeeds', async () => {
    const { ports } = fixture();
    const session = { tenant: 'failing', sessionId: 's1' };
    const here = () => Promise.reject(new Error('no disk'));
    const broken = { ...ports, flushes: { here, runs: null } };
    await library().conversation.append({
      ...session,
      identifiers: DANA,
      turns: [turn('t1', 'I live in Lyon.')],
    });
    const failing = checkedLibraryOf(broken, LOCAL_OPERATOR);
    expect(await failing.conversation.end(session)).toEqual({ ended: true });
    expect(await contentsOf(library(), 'failing')).toEqual([]);
    const { results } = await library().conversation.flush(session);
    expect(results.map(({ event }) => event)).toEqual(['ADD']);
  });

  test('a session without identifiers is flushed once a later turn names a user', async () => {
    const varve = library();
    const session = { tenant: 'waiting', sessionId: 's1' };
    await varve.conversation.append({ ...session, turns: [turn('t1', 'I live in Lyon.')] });
    expect(await varve.conversation.flush(session)).toEqual(NOTHING);
    const later = [turn('t2', 'Hello.')];
    await varve.conversation.append({ ...session, identifiers: DANA, turns: later });
    expect(await varve.conversation.flush(session)).toMatchObject({ turns: 2 });
  });
});

describe('the daily file of a session', () => {
  const ANN_FILE = { subject: { kind: 'user', id: 'dana' } } as const;

  test('TIER-01, TIER-02: gets one block when turns are trimmed and one at the end', async () => {
    const varve = library();
    const session = { tenant: 'daily', sessionId: 's1' };
    const said = 'The billing service moves to Postgres in March.';
    await varve.conversation.append({ ...session, identifiers: DANA, turns: [turn('t1', said)] });
    const { daily } = await varve.conversation.flush(session);
    expect(daily).toBe(`- ${said}\n`);
    const later = 'The migration of the invoices takes two weekends.';
    const turns = [turn('t2', later, NOON + HOUR_MS)];
    await varve.conversation.append({ ...session, turns: [...turns, turn('t1', said)] });
    await varve.conversation.end(session);
    await varve.conversation.append({ ...session, turns: [turn('t1', said)] });
    await varve.conversation.end(session);
    const file = await varve.daily.get({ tenant: 'daily', ...ANN_FILE, day: '2026-11-21' });
    expect(file?.text).toBe(
      `# Daily Memory: 2026-11-21\n\n## Trimmed Context (14:30)\n\n- ${said}\n\n` +
        `## Session (15:30)\n\n- ${later}\n`,
    );
  });

  test('loses a line when its turn is deleted or its memory superseded', async () => {
    const varve = library();
    const session = { tenant: 'undone', sessionId: 's1' };
    await varve.conversation.append({
      ...session,
      identifiers: DANA,
      turns: [
        turn('t1', 'The billing service moves to Postgres in March.'),
        turn('t2', 'I live in Lyon.'),
        turn('t3', 'The migration of the invoices takes two weekends.'),
      ],
    });
    await varve.conversation.end(session);
    const lines = async () => {
      const file = await varve.daily.get({ tenant: 'undone', ...ANN_FILE, day: '2026-11-21' });
      return file?.lines.map(({ text }) => text);
    };
    expect(await lines()).toHaveLength(3);
    await varve.conversation.delete({ ...session, turnIds: ['t1'] });
    const moved = [turn('t4', 'I moved from Lyon to Berlin.', NOON + 1)];
    await varve.memory.addMessages({ tenant: 'undone', identifiers: DANA, messages: moved });
    expect(await lines()).toEqual(['The migration of the invoices takes two weekends.']);
  });

  test('belongs to the agent if no user is named, and leaves out tool answers', async () => {
    const varve = library();
    const session = { tenant: 'agents', sessionId: 's1' };
    const said = 'The deployment of the gateway needs the company network.';
    await varve.conversation.append({
      ...session,
      identifiers: { agentId: 'scout' },
      turns: [turn('t1', said), turn('t2', 'The disk of host 7 is full.', NOON, 'tool')],
    });
    expect(await varve.conversation.flush(session)).toMatchObject({ daily: `- ${said}\n` });
    const subject = { kind: 'agent', id: 'scout' } as const;
    const file = await varve.daily.get({ tenant: 'agents', subject, day: '2026-11-21' });
    expect(file?.lines).toHaveLength(1);
  });
});

describe('a writer limited to some layers', () => {
  test('causes no flush into layers that it may not write', async () => {
    const few: Principal = {
      name: 'few',
      tenants: ['few'],
      bound: {},
      role: 'write',
      layers: ['session', 'user'],
    };
    const session = { tenant: 'few', sessionId: 's1' };
    const identifiers = { ...DANA, projectId: 'billing' };
    const turns = [turn('t1', 'We decided to use Postgres.'), turn('t2', 'I live in Lyon.')];
    await library(few).conversation.append({ ...session, identifiers, turns });
    const { results } = await library().conversation.flush(session);
    expect(results.map(({ layer, text }) => [layer, text])).toEqual([['user', 'I live in Lyon.']]);
  });
});

describe('conversation.delete', () => {
  test('deletes the memories of a turn, superseded or not, and a flush restores nothing', async () => {
    const varve = library();
    const session = { tenant: 'deleted', sessionId: 's1' };
    await varve.conversation.append({
      ...session,
      identifiers: DANA,
      turns: [
        turn('t1', 'I live in Lyon.'),
        turn('t2', 'I moved from Lyon to Berlin.', NOON + 1),
        turn('t3', 'I hate mushrooms.', NOON + 2),
      ],
    });
    await varve.conversation.flush(session);
    await varve.conversation.delete({ ...session, turnIds: ['t1', 't3'] });
    expect(await contentsOf(varve, 'deleted')).toEqual(['active: I moved from Lyon to Berlin.']);
    await varve.conversation.flush(session);
    expect(await contentsOf(varve, 'deleted')).toEqual(['active: I moved from Lyon to Berlin.']);
  });

  test('leaves memories of other sessions and those that a caller wrote', async () => {
    const varve = library();
    const tenant = 'others';
    for (const sessionId of ['s1', 's2']) {
      const said = sessionId === 's1' ? 'I hate mushrooms.' : 'I love tea.';
      await varve.conversation.append({
        tenant,
        sessionId,
        identifiers: DANA,
        turns: [turn('t1', said)],
      });
      await varve.conversation.flush({ tenant, sessionId });
    }
    await varve.memory.add({
      tenant,
      layer: 'user',
      identifiers: DANA,
      content: 'Dana paints.',
      metadata: { session: 's1', source: 't1' },
    });
    await varve.conversation.delete({ tenant, sessionId: 's1' });
    expect(await contentsOf(varve, tenant)).toEqual([
      'active: I love tea.',
      'active: Dana paints.',
    ]);
  });
});

describe('conversation.messages', () => {
  test('pages forward and backward', async () => {
    const varve = library();
    const session = { tenant: 'paged', sessionId: 's1' };
    const turns = ['1', '2', '3', '4', '5'].map((n) => turn(n, `Turn ${n}.`));
    await varve.conversation.append({ ...session, turns });
    const read = async (page: { after?: number; before?: number }) => {
      const answer = await varve.conversation.messages({ ...session, ...page, limit: 2 });
      return [answer.messages.map(({ id }) => id), answer.nextAfter, answer.nextBefore];
    };
    expect(await read({})).toEqual([['1', '2'], 2, null]);
    expect(await read({ after: 4 })).toEqual([['5'], null, null]);
    expect(await read({ before: 6 })).toEqual([['4', '5'], null, 4]);
    expect(await read({ before: 4 })).toEqual([['2', '3'], null, 2]);
    expect(await read({ before: 2 })).toEqual([['1'], null, null]);
    expect(await read({ before: 1 })).toEqual([[], null, null]);
    await expect(read({ after: 1, before: 3 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('conversation.append', () => {
  test('trusts a user more than an assistant, and an assistant more than a tool', async () => {
    const varve = library();
    const session = { tenant: 'trusts', sessionId: 's1' };
    const turns = [
      turn('t1', 'One.'),
      turn('t2', 'Two.', NOON, 'assistant'),
      turn('t3', 'Three.', NOON, 'tool'),
    ];
    await varve.conversation.append({ ...session, turns });
    const stored = await fixture().ports.store.turns.latest(session, 3);
    expect(stored.map(({ trust }) => trust)).toEqual(['stated', 'observed', 'untrusted']);
  });
});
