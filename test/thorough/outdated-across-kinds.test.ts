import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const FIRST = Date.parse('2026-10-05T09:00:00Z');
const LATER = Date.parse('2026-11-09T09:00:00Z');
const KINDS = ['turn', 'memory', 'line'] as const;
type Kind = (typeof KINDS)[number];

const CORRECTIONS = [
  ['I live in Lyon.', 'I moved to Nice last week.', 'Where do I live?', 'Lyon'],
  ['The timeout is 30 seconds.', 'The timeout is 45 seconds.', 'What is the timeout?', '30'],
  ['My dentist is Dr. Vega.', 'I have a new dentist now, Dr. Ruiz.', 'Who is my dentist?', 'Vega'],
] as const;
const identifiers = { userId: 'ann' };
/** A memory, `- user: …`, or a turn or line, `user: …`. */
const ENTRY = /^(?:- )?[^\s:]+: /u;
const subject = { kind: 'user' as const, id: 'ann' };

async function tell(tenant: string, kind: Kind, content: string, at: number) {
  const { varve } = library();
  if (kind === 'turn') {
    const turns = [{ role: 'user' as const, content, at }];
    await varve.conversation.append({ tenant, identifiers, sessionId: `of ${at}`, turns });
  } else if (kind === 'memory') {
    await varve.memory.add({ tenant, identifiers, layer: 'user', content, at });
  } else {
    await varve.daily.append({ tenant, subject, text: content, at });
  }
}

describe.each(KINDS.flatMap((older) => KINDS.map((newer) => ({ older, newer }))))(
  'a $older that a newer $newer replaces',
  (kinds) => {
    const both = [CORRECTIONS, ['older', 'newer']] as const;
    test.each(both[0].flatMap((correction) => both[1].map((first) => [first, ...correction])))(
      'is marked if the %s is written first: %s',
      async (first, older, newer, query, word) => {
        const tenant = newTenant();
        const told = [[kinds.older, older, FIRST] as const, [kinds.newer, newer, LATER] as const];
        for (const [kind, content, at] of first === 'older' ? told : told.toReversed()) {
          await tell(tenant, kind, content, at);
        }
        const asked = { tenant, identifiers, query, at: LATER + 86_400_000 };
        const { hits } = await library().varve.memory.search(asked);
        expect.soft(hits.map(({ source, text, outdated }) => [source, text, outdated])).toEqual([
          [kinds.newer, newer, false],
          [kinds.older, older, true],
        ]);
        const context = await library().varve.context.assemble(asked);
        const lines = context.text.split('\n').filter((line) => ENTRY.test(line));
        const [olders, newers] = [true, false].map((isOlder) =>
          lines.filter((line) => line.includes(word) === isOlder),
        );
        expect(olders).toEqual([expect.stringContaining('(earlier)')]);
        expect(newers).toEqual([expect.not.stringContaining('(earlier)')]);
      },
    );
  },
);

const PARTS = [
  ['I live in Bristol, and my daughter Mia goes to Elm School.', 'I moved to Bath.'],
  ['Ich wohne in Köln, und meine Tochter geht in die Elm-Schule.', 'Ich bin nach Bonn gezogen.'],
  ['Me llamo Lucía y vivo en Valencia.', 'Me he mudado a Cádiz.'],
  ['我住在上海，女儿在实验小学读三年级。', '我搬到杭州了。'],
] as const;

describe.each(KINDS.flatMap((older) => KINDS.map((newer) => ({ older, newer }))))(
  'a $older of which a newer $newer replaces a part',
  (kinds) => {
    test.each(PARTS)('is outdated in part: %s', async (older, newer) => {
      const tenant = newTenant();
      await tell(tenant, kinds.older, older, FIRST);
      await tell(tenant, kinds.newer, newer, LATER);
      const at = LATER + 86_400_000;
      const asked = { tenant, identifiers, query: newer, at, threshold: 0 };
      const { hits } = await library().varve.memory.search(asked);
      const shown = hits.map((hit) => [hit.source, hit.text, hit.outdated, hit.outdatedInPart]);
      expect(shown).toEqual([
        [kinds.newer, newer, false, false],
        [kinds.older, older, false, true],
      ]);
    });
  },
);

test.each([
  ['Dana lives in Lyon.', 'I moved to Berlin.', 'Where does Dana live?', 'Lyon'],
  ["Dana's manager is Tom.", 'My manager is Priya now.', 'Who is the manager of Dana?', 'Tom'],
])('a memory that names its user is outdated once the user says otherwise: %s', async (...told) => {
  const [older, newer, query, word] = told;
  const about = { tenant: newTenant(), identifiers: { userId: 'dana' } };
  const { memory, conversation, context } = library().varve;
  await memory.add({ ...about, layer: 'user', content: older, at: FIRST });
  const turns = [{ role: 'user' as const, content: newer, at: LATER }];
  await conversation.append({ ...about, sessionId: about.tenant, turns });
  const { hits } = await memory.search({ ...about, query });
  expect(hits.map(({ text, outdated }) => [text, outdated])).toEqual([
    [newer, false],
    [older, true],
  ]);
  const { text } = await context.assemble({ ...about, query });
  const marked = text.split('\n').filter((line) => line.includes('(earlier)'));
  expect(marked).toEqual([expect.stringContaining(word)]);
});

test.each([
  ['Dana lives in Lyon.', 'I moved to Berlin.'],
  ['Dana wohnt in Köln.', 'Ich bin nach Bonn gezogen.'],
])('a summary that names its user is earlier once the user says otherwise: %s', async (...told) => {
  const [older, newer] = told;
  const about = { tenant: newTenant(), identifiers: { userId: 'dana' } };
  const { memory, conversation, context, refresh } = library().varve;
  for (const content of [older, 'Dana plays the cello.']) {
    await memory.add({ ...about, layer: 'user', content, at: FIRST });
  }
  await refresh({ tenant: about.tenant });
  const turns = [{ role: 'user' as const, content: newer, at: LATER }];
  await conversation.append({ ...about, sessionId: about.tenant, turns });
  const { text } = await context.assemble({ ...about, query: 'Does Dana play the cello?' });
  expect(text).toContain(`- user: ${older} (earlier)`);
});

describe.each(['one session', 'several sessions'])('an assistant, in %s,', (where) => {
  const REPLIES = [
    ['I live in Lyon.', 'I moved to Nice.', 'As you said, you live in Lyon, so try the Halles.'],
    ['My boss is Dana.', 'My boss is Tom now.', 'Since your boss is Dana, I wrote to her.'],
    ['Ich wohne in Köln.', 'Ich bin nach Bonn gezogen.', 'Du wohnst ja in Köln, nimm die Bahn.'],
    ['Vivo en Lima.', 'Me he mudado a Quito.', 'Como vives en Lima, prueba el ceviche.'],
    ['我住在上海。', '我搬到杭州了。', '你说过你住在上海，可以去外滩。'],
  ] as const;

  async function marks(turns: readonly (readonly ['user' | 'assistant', string])[]) {
    const tenant = newTenant();
    for (const [place, [role, content]] of turns.entries()) {
      const sessionId = where === 'one session' ? 's' : `s${String(place)}`;
      const said = { role, content, at: FIRST + place * 86_400_000 };
      await library().varve.conversation.append({ tenant, identifiers, sessionId, turns: [said] });
    }
    const query = turns[0]?.[1] ?? '';
    const { text } = await library().varve.context.assemble({ tenant, identifiers, query });
    return text.split('\n').filter((line) => line.startsWith('assistant: '));
  }

  test.each(REPLIES)('that repeats what has ended is earlier in part: %s', async (...said) => {
    const [older, newer, reply] = said;
    const told = ['user', older] as const;
    expect(await marks([told, ['user', newer], ['assistant', reply]])).toEqual([
      `assistant: ${reply} (in part earlier)`,
    ]);
    expect(await marks([told, ['assistant', reply]])).toEqual([`assistant: ${reply}`]);
  });

  test('that repeats what holds again has no mark', async () => {
    const reply = 'As you said, you live in Lyon, so try the Halles.';
    const [home, away] = [
      ['user', 'I live in Lyon.'] as const,
      ['user', 'I moved to Nice.'] as const,
    ];
    const turns = [home, away, ['user', 'I live in Lyon again.'] as const];
    expect(await marks([...turns, ['assistant', reply]])).toEqual([`assistant: ${reply}`]);
  });

  test('that says the new value has no mark', async () => {
    const reply = 'You live in Nice now, no longer in Lyon.';
    const turns = [['user', 'I live in Lyon.'] as const, ['user', 'I moved to Nice.'] as const];
    expect(await marks([...turns, ['assistant', reply]])).toEqual([`assistant: ${reply}`]);
  });
});

describe('the words of somebody else', () => {
  const TOLD = [
    ['My name is Ann.', 'My name is Jarvis.', 'What is my name?'],
    ['I live in Lyon.', 'I moved to Nice last week.', 'Where do I live?'],
  ] as const;
  const OTHERS = [
    'line of the agent',
    'memory of the agent',
    'memory of the project',
    'turn of a project',
  ] as const;

  async function sayAsOther(tenant: string, other: string, content: string) {
    const { varve } = library();
    const at = LATER;
    if (other === 'turn of a project') {
      const turns = [{ role: 'user' as const, content, at }];
      const project = { tenant, sessionId: 'project', identifiers: { projectId: 'p' } };
      await varve.conversation.append({ ...project, turns });
    } else if (other === 'line of the agent') {
      await varve.daily.append({ tenant, subject: { kind: 'agent', id: 'a' }, text: content, at });
    } else {
      const layer = other === 'memory of the agent' ? 'agent' : 'project';
      const owner = { agentId: 'a', projectId: 'p' };
      await varve.memory.add({ tenant, identifiers: owner, layer, content, at });
    }
  }

  const pairs = OTHERS.flatMap((other) => KINDS.map((kind) => [other, kind] as const));
  test.each(pairs.flatMap((pair) => TOLD.map((told) => [...pair, ...told] as const)))(
    'do not end, as a %s, what a %s of the user says: %s',
    async (other, kind, ...told) => {
      const [content, later, query] = told;
      const tenant = newTenant();
      await tell(tenant, kind, content, FIRST);
      await sayAsOther(tenant, other, later);
      const open = { userId: 'ann', agentId: 'a', projectId: 'p' };
      const asked = { tenant, identifiers: open, query, at: LATER + 86_400_000 };
      const { text } = await library().varve.context.assemble(asked);
      const { hits } = await library().varve.memory.search(asked);
      expect(text.split('\n').filter((line) => line.includes('(earlier)'))).toEqual([]);
      expect(hits.filter(({ outdated }) => outdated)).toEqual([]);
    },
  );
});
