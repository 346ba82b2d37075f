import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const FIRST = Date.parse('2026-10-05T09:00:00Z');
const DAY = 86_400_000;
const KINDS = ['memory', 'turn', 'line'] as const;
type Kind = (typeof KINDS)[number];

async function tell(tenant: string, kind: Kind, texts: readonly string[], from = FIRST) {
  const { memory, conversation, daily } = library().varve;
  for (const [day, content] of texts.entries()) {
    const at = from + day * DAY;
    if (kind === 'turn') {
      const turns = [{ role: 'user' as const, content, at }];
      await conversation.append({ tenant, identifiers, sessionId: `of ${at}`, turns });
    } else if (kind === 'memory') {
      await memory.add({ tenant, identifiers, layer: 'user', content, at });
    } else {
      const subject = { kind: 'user' as const, id: 'ann' };
      await daily.append({ tenant, subject, text: content, at });
    }
  }
}

interface Told {
  readonly open: readonly string[];
  /** Each with the words that say so. */
  readonly done: readonly (readonly [string, string])[];
  readonly other: readonly string[];
  readonly questions: readonly string[];
}

const NOTES: readonly Told[] = [
  {
    open: ['Renew the passport before May.', 'Call the plumber.'],
    done: [['Book the hotel in Porto.', 'I booked the hotel in Porto.']],
    other: ['Ann lives in Ghent and still plays the cello.', 'Ann likes open windows.'],
    questions: ['What does she still have to do?', "What's still open?"],
  },
  {
    open: ['Den Klempner anrufen.', 'Pass vor Mai verlängern'],
    done: [['Das Paket abschicken.', 'Ich habe das Paket abgeschickt.']],
    other: ['Ann wohnt noch in Gent.', 'Ann mag offene Fenster.'],
    questions: ['Was muss ich noch erledigen?', 'Was ist noch offen?'],
  },
  {
    open: ['Renovar el pasaporte antes de mayo.', 'Llamar al fontanero.'],
    done: [['Pagar el depósito.', 'Ya he pagado el depósito.']],
    other: ['Ann tiene un perro en Gante.', 'Ann vive todavía en Gante.'],
    questions: ['¿Qué tengo pendiente?', '¿Qué me falta por hacer?'],
  },
  {
    open: ['五月前续签护照。', '给水管工打电话。'],
    done: [['把平面图发给小丽。', '我把平面图发给小丽了。']],
    other: ['我还住在上海。', '我没有狗。'],
    questions: ['还有什么没做?', '我还要做什么？'],
  },
];

const SPOKEN: readonly Told[] = [
  {
    open: ['I need to renew my passport before May.', 'I still have to call the plumber.'],
    done: [['I have to book the hotel in Porto.', 'I booked the hotel in Porto.']],
    other: ['I live in Ghent and play the cello.', 'I like open windows.'],
    questions: ['What does she still have to do?', "What's still open?"],
  },
  {
    open: ['Ich muss noch den Klempner anrufen.', 'Ich muss den Pass vor Mai verlängern.'],
    done: [['Ich muss das Paket abschicken.', 'Ich habe das Paket abgeschickt.']],
    other: ['Ich wohne noch in Gent.', 'Ich mag offene Fenster.'],
    questions: ['Was muss ich noch erledigen?'],
  },
  {
    open: ['Tengo que renovar el pasaporte antes de mayo.', 'Tengo que llamar al fontanero.'],
    done: [['Tengo que pagar el depósito.', 'Ya he pagado el depósito.']],
    other: ['Tengo un perro en Gante.', 'Vivo todavía en Gante.'],
    questions: ['¿Qué tengo pendiente?'],
  },
  {
    open: ['我得去续签护照。', '我要给水管工打电话。'],
    done: [['我要把平面图发给小丽。', '我把平面图发给小丽了。']],
    other: ['我还住在上海。', '我没有狗。'],
    questions: ['还有什么没做?'],
  },
];

const CASES = [
  ...NOTES.flatMap((told) => (['memory', 'line'] as const).map((kind) => ({ kind, told }))),
  ...SPOKEN.flatMap((told) => KINDS.map((kind) => ({ kind, told }))),
].flatMap(({ kind, told }) => told.questions.map((query) => ({ kind, query, told })));

describe.each(CASES)('of tasks told as a $kind, "$query" finds', ({ kind, query, told }) => {
  const { open, done, other } = told;

  test('the open ones first, and none that is done as open', async () => {
    const tenant = newTenant();
    await tell(tenant, kind, [...open, ...done.map(([task]) => task), ...other]);
    const saidOf = done.map(([, said]) => said);
    await tell(tenant, kind, saidOf, FIRST + 20 * DAY);
    const asked = { tenant, identifiers, query, at: FIRST + 30 * DAY };
    const { hits } = await library().varve.memory.search(asked);
    const found = hits.map(({ text }) => text);
    expect(found.slice(0, open.length).toSorted()).toEqual(open.toSorted());
    for (const [task] of done) {
      const hit = hits.find(({ text }) => text === task);
      expect(hit?.outdated ?? true).toBe(true);
    }
    const { text } = await library().varve.context.assemble({ ...asked, maxTokens: 300 });
    for (const task of open) expect(text).toContain(task);
    const lines = text.split('\n').filter((line) => done.some(([task]) => line.includes(task)));
    expect(lines.filter((line) => !line.includes('(earlier)'))).toEqual([]);
  });
});

test.each([
  ['Where does Ann live now?', 'Ann lives in Ghent.'],
  ['Is the shop in Ghent still open?', 'The shop in Ghent is open on Sundays.'],
])('a question for something else finds no task: %s', async (query, answer) => {
  const tenant = newTenant();
  await tell(tenant, 'memory', ['Call the plumber.', 'Renew the passport.', answer]);
  const { hits } = await library().varve.memory.search({ tenant, identifiers, query });
  expect(hits.map(({ text }) => text)).toEqual([answer]);
});

test('a document that begins with a task is no open task', async () => {
  const tenant = newTenant();
  const report = `Ann must call the bank. ${'The harbor of Ghent has a long history. '.repeat(30)}`;
  await tell(tenant, 'memory', ['Renew the passport.', report]);
  const query = "What's still open?";
  const { hits } = await library().varve.memory.search({ tenant, identifiers, query });
  expect(hits.map(({ text }) => text)).toEqual(['Renew the passport.']);
});

test('a rule of the company is no open task of a person', async () => {
  const tenant = newTenant();
  const { memory } = library().varve;
  const rules = { tenant, layer: 'company', identifiers: { companyId: 'c' } } as const;
  await memory.add({ ...rules, content: 'File the expenses in May.' });
  await tell(tenant, 'memory', ['Call the plumber.']);
  const query = "What's still open?";
  const open = { ...identifiers, companyId: 'c' };
  const { hits } = await memory.search({ tenant, identifiers: open, query });
  expect(hits.map(({ text }) => text)).toEqual(['Call the plumber.']);
});

const TASKS = [
  ['I need to renew my passport.', 'I renewed my passport.', 'What about my passport?'],
  [
    'Ich muss den Klempner anrufen.',
    'Ich habe den Klempner angerufen.',
    'Was ist mit dem Klempner?',
  ],
  ['Tengo que pagar el depósito.', 'Ya he pagado el depósito.', '¿Y el depósito?'],
  ['我要把平面图发给小丽。', '我把平面图发给小丽了。', '平面图呢？'],
] as const;

describe.each(KINDS.flatMap((older) => KINDS.map((newer) => ({ older, newer }))))(
  'a task told as a $older',
  ({ older, newer }) => {
    test.each(TASKS)(`is earlier once a ${newer} says that it is done: %s`, async (...told) => {
      const [task, done, query] = told;
      const tenant = newTenant();
      await tell(tenant, older, [task]);
      await tell(tenant, newer, [done], FIRST + 20 * DAY);
      const asked = { tenant, identifiers, query, at: FIRST + 30 * DAY };
      expect(await marked(asked, [task, done])).toEqual([
        [task, true],
        [done, false],
      ]);
    });

    test.each([
      ['I need to renew my passport.', 'I renewed my subscription.', 'What must I renew?'],
      ['I need to renew my passport.', 'I have not renewed my passport.', 'And my passport?'],
    ])(`stays open after a ${newer} of something else: %s %s`, async (...told) => {
      const [task, other, query] = told;
      const tenant = newTenant();
      await tell(tenant, older, [task]);
      await tell(tenant, newer, [other], FIRST + 20 * DAY);
      const asked = { tenant, identifiers, query, at: FIRST + 30 * DAY };
      expect(await marked(asked, [task, other])).toEqual([
        [task, false],
        [other, false],
      ]);
    });
  },
);

test.each(TASKS)('a task is earlier once the same session says it is done: %s', async (...told) => {
  const [task, done, query] = told;
  const tenant = newTenant();
  const turns = [task, done].map((content, at) => ({
    role: 'user' as const,
    content,
    at: FIRST + at,
  }));
  await library().varve.conversation.append({ tenant, identifiers, sessionId: 's', turns });
  const asked = { tenant, identifiers, query, at: FIRST + 30 * DAY };
  expect(await marked(asked, [task, done])).toEqual([
    [task, true],
    [done, false],
  ]);
});

test.each(KINDS)(
  'a summary of a task has it as earlier once a %s says it is done',
  async (kind) => {
    const tenant = newTenant();
    await tell(tenant, 'memory', ['Renew the passport before May.', 'Ann lives in Ghent.']);
    await library().varve.refresh({ tenant });
    await tell(tenant, kind, ['I renewed my passport.'], FIRST + 20 * DAY);
    const query = 'What do you know of Ann?';
    const asked = { tenant, identifiers, query, at: FIRST + 30 * DAY };
    const { text } = await library().varve.context.assemble(asked);
    const sentences = text.match(/Renew the passport before May\.(?:.*?\(earlier\))?/gu) ?? [];
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.filter((sentence) => !sentence.endsWith('(earlier)'))).toEqual([]);
  },
);

interface Asked {
  readonly tenant: string;
  readonly identifiers: { readonly userId: string };
  readonly query: string;
  readonly at: number;
}

/** Says of each text whether a context marks it. */
async function marked(asked: Asked, texts: readonly string[]) {
  const { text } = await library().varve.context.assemble(asked);
  const lines = text.split('\n').filter((line) => /^(?:- )?[^\s:]+: /u.test(line));
  return texts.map((each) => {
    const line = lines.find((shown) => shown.includes(each.replace(/[.。]$/u, ''))) ?? '';
    return [each, line === '' ? 'not shown' : line.includes('(earlier)')];
  });
}
