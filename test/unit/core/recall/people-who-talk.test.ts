import { describe, expect, test } from 'vitest';
import { askedSpeakers } from '#core/recall/ranking/asked-speakers.ts';
import { pastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { rankPassages } from '#core/recall/ranking/rank-past-turns.ts';
import { concatenatedSessions } from '#core/recall/sessions/concatenated-sessions.ts';
import {
  asksAboutOther,
  assistantsWhoArePeople,
  tellsOwnLife,
} from '#core/recall/sessions/assistant-as-person.ts';
import { pastSession } from '#core/recall/sessions/past-session.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

type Named = (role: 'user' | 'assistant' | 'tool' | 'system') => string | null;
const nobody: Named = () => null;

function chat(day: string, said: readonly string[], nameOf: Named = nobody) {
  const turns = said.map((line, index) => {
    const [speaker = '', content = ''] = line.split(/: (.*)/su);
    const role =
      (['user', 'tool', 'system'] as const).find((each) => each === speaker) ??
      ('assistant' as const);
    const at = Date.parse(`${day.endsWith('.md') ? '2026-04-01' : day}T09:00:00Z`);
    const id = `${day}-${String(index)}`;
    const turn = { id, sessionId: day, at, role, speaker: nameOf(role), content };
    return { turn: { ...turn, trust: 'stated' as const }, vectors: null };
  });
  return pastSession(day, turns, analyzer);
}

const FRIENDS = [
  [
    '2026-01-05',
    [
      'user: Hey Wes, how are you? How was the lake? I was at my parents’ all week.',
      'assistant: Cold. I took my old canoe out, the Dolores, and my wife laughed at me.',
      'user: Wes, that boat! I bought a cello, my teacher lives across the street.',
      'assistant: Good for you, Pru. I can’t eat shrimp any more, my throat swells.',
      'user: Poor Wes! I eat shrimp at the harbor on Fridays.',
    ],
  ],
  [
    '2026-03-09',
    [
      'assistant: Pru! My wife painted a new name on the canoe, she is the Slow Learner now.',
      'user: Ha! I sold my canoe years ago.',
      'assistant: I start at the school on Monday, my first job since we moved.',
      'user: Wes, I am so glad. Is your throat all right? I got a kayak for my birthday.',
    ],
  ],
] as const;

function friends(nameOf?: Named) {
  return FRIENDS.map(([day, said]) => chat(day, said, nameOf));
}

function passagesFor(question: string, sessions: ReturnType<typeof friends>) {
  const terms = recallTerms(analyzer, question);
  const ranked = rankPassages(sessions, { text: question, terms, vector: null, windows: [] });
  return pastPassages(sessions, ranked).passages;
}

describe('recall: an assistant that is a person', () => {
  test.each([
    ['I took my old canoe out', true],
    ['My mom had her hip replaced two weeks ago', true],
    ['I’m grading birdhouses tonight', true],
    ['Ich war gestern beim Zahnarzt', true],
    ['Meine Schwester zieht um', true],
    ['Aprobé el examen y me fui de cena', true],
    ['Mi hermana se casa', true],
    ['我妈昨天来了', true],
    ['I suggest a shorter subject line', false],
    ['I’m going to keep it brief', false],
    ['My suggestion is the second draft', false],
    ['I added the date to the list', false],
    ['Mein Vorschlag: zwei Absätze', false],
    ['Mi recomendación es esperar', false],
    ['我建议先写标题', false],
    ['As an AI, I had no birthday of my own', false],
  ])('a passage %j tells of an own life: %s', (text, tells) => {
    expect(tellsOwnLife(text)).toBe(tells);
  });

  test.each([
    ['How are you?', true],
    ['And your sister, is she back?', true],
    ['Wie geht’s dir da unten?', true],
    ['¿Qué tal tu madre?', true],
    ['你妈妈好吗？', true],
    ['Can you fix the import?', false],
    ['Why did you change the id?', false],
    ['Add “How are you?” at the end', false],
    ['What is a good name for my cat?', false],
    ['I like your plan.', false],
  ])('a passage %j asks the other one about himself: %s', (text, asks) => {
    expect(asksAboutOther(text)).toBe(asks);
  });

  const FRIEND = { turns: 40, ofOwnLife: 20, userTurns: 40, asking: 6 };
  const SHORT_FRIEND = { turns: 8, ofOwnLife: 4, userTurns: 8, asking: 1 };
  const PROGRAM = { turns: 8, ofOwnLife: 0, userTurns: 8, asking: 0 };
  test.each([
    ['a friend', [FRIEND], [true]],
    ['a program', [{ ...PROGRAM, turns: 300, ofOwnLife: 6 }], [false]],
    ['a program that nobody asks how it is', [{ ...FRIEND, asking: 0 }], [false]],
    ['a program that tells nothing of itself', [{ ...FRIEND, ofOwnLife: 0 }], [false]],
    ['a program in one app and a friend in another', [PROGRAM, FRIEND], [false, true]],
    [
      'a program in many sessions, and a friend in as many',
      Array.from({ length: 20 }, (_, at) => (at < 10 ? PROGRAM : SHORT_FRIEND)),
      Array.from({ length: 20 }, (_, at) => at >= 10),
    ],
    ['nobody', [{ turns: 0, ofOwnLife: 0, userTurns: 0, asking: 0 }], [false]],
  ])('the assistant of a session is %s', (_, sessions, expected) => {
    expect(assistantsWhoArePeople(sessions)).toEqual(expected);
  });

  const ASKED = ['user: How are you?', 'user: And how is your day?', 'user: How are you now?'];
  const isPerson = (said: readonly string[]) =>
    concatenatedSessions([chat('2026-01-05', said)]).each.map(({ isOfPeople }) => isOfPeople);

  test.each([
    ['tells of a life', ['I went to the lake.', 'My wife laughed.', 'I sold my canoe.'], true],
    [
      'reports work on software',
      ['I went through `auth.ts`.', 'I had two bugs in `login`.', 'I built it, the tests pass.'],
      false,
    ],
    [
      'reports work on software in German',
      ['Ich war in `auth.ts`.', 'Mein Test lief.', 'Ich ging die `login.ts` durch.'],
      false,
    ],
    [
      'reports work on software in Spanish',
      ['Ya encontré `a.ts`.', 'Me encontré con `b`.', 'Ya ejecuté `c`.'],
      false,
    ],
    [
      'reports work on software in Chinese',
      ['我今天改了 `a.py`。', '我换了 `b`。', '我回归测试了 `c`。'],
      false,
    ],
    [
      'reports errands',
      ['I checked three places and booked one.', 'I used the Visa.', 'I sent you the ticket.'],
      false,
    ],
  ])('an assistant that %s is a person: %#', (_, told, expected) => {
    const said = told.flatMap((each, at) => [ASKED[at] ?? '', `assistant: ${each}`]);
    expect(isPerson(said)).toEqual([expected]);
  });

  test('instructions of the system beside a person are by no person', () => {
    const told = ['I went to the lake.', 'My wife laughed.', 'I sold my canoe.'];
    const said = told.flatMap((each, at) => [ASKED[at] ?? '', `assistant: ${each}`]);
    const [placed] = concatenatedSessions([chat('2026-01-05', ['system: Be kind.', ...said])]).each;
    expect(placed?.isOfPeople).toBe(true);
    expect([...(placed?.columns.isUser ?? [])]).toEqual([0, 1, 1, 1, 1, 1, 1]);
  });

  test('an assistant with tools is no person', () => {
    const told = ['I went to the lake.', 'My wife laughed.', 'I sold my canoe.'];
    const said = told.flatMap((each, at) => [ASKED[at] ?? '', `assistant: ${each}`]);
    expect(isPerson([...said, 'tool: 12 files'])).toEqual([false]);
  });
});

describe('recall: the speaker whom a question means', () => {
  const nameOf: Named = (role) => (role === 'user' ? 'Pru' : 'Wes');
  const labeled = FRIENDS.map(([day, said]) =>
    chat(
      day,
      said.map((line) => line.replace(/^user: /u, '$&Pru: ').replace(/^assistant: /u, '$&Wes: ')),
    ),
  );

  describe.each([
    ['by what they call each other', friends()],
    ['by the names of the turns', friends(nameOf)],
    ['by the labels in the texts', labeled],
  ])('%s', (_, sessions) => {
    test.each([
      ['What food does Wes have to avoid?', 'I can’t eat shrimp any more, my throat swells.'],
      ['Where did Pru eat shrimp?', 'I eat shrimp at the harbor on Fridays.'],
      ['what food does wes have to avoid', 'I can’t eat shrimp any more, my throat swells.'],
      ['What did Pru get for her birthday?', 'I got a kayak for my birthday.'],
    ])('answers %j', (question, answer) => {
      const best = passagesFor(question, sessions).slice(0, 3);
      expect(best.map(({ text }) => text).join(' ')).toContain(answer);
    });

    test('ends no word of one by words of the other', () => {
      const told = passagesFor('What is the canoe of Wes called?', sessions);
      const own = told.find(({ text }) => text.includes('Dolores'));
      const sold = told.find(({ text }) => text.includes('sold my canoe'));
      expect(own).toBeDefined();
      expect(own?.outdatedBy).not.toContain(sold?.place);
    });
  });

  test.each([
    ['a program greets the user', ['user: Hello there.', 'assistant: Good morning, Tobias!']],
    ['the user gives it', ['user: Hello, I’m Tobias.', 'assistant: Nice to meet you, Tobias!']],
  ])('takes a name in a question for the user’s own if %s', (_, greeting) => {
    const days = ['2026-02-02', '2026-02-09', '2026-02-16'];
    const chats = days.map((day) => chat(day, [...greeting, 'user: Nothing for now.']));
    const told = chat('2026-02-23', [
      'user: My spare key hangs behind the boiler.',
      'assistant: Noted.',
    ]);
    const [best] = passagesFor('Where does Tobias keep his spare?', [...chats, told]);
    expect(best?.text).toBe('My spare key hangs behind the boiler.');
  });

  test('prefers the user for a question in the first person', () => {
    const [best] = passagesFor('Where did I eat shrimp?', friends());
    expect(best?.speaker).toBe('user');
  });

  test.each([
    ['What is Wes allergic to?', ['Pru']],
    ['what is wes allergic to', ['Pru']],
    ['WHAT IS WES ALLERGIC TO?', ['Pru']],
    ['What is Wes’s throat like?', ['Pru']],
    ['What do Wes and Pru eat?', []],
    ['What did I tell Wes about the lake?', []],
    ['Does Wes like my kayak?', []],
    ['What did Wes tell me about the lake?', ['Pru']],
  ])('%j: less of what is said by %j', (question, less) => {
    expect(othersThan(question, friends(nameOf))).toEqual(less);
  });

  test.each([
    ['What did Rose eat?', ['Pru']],
    ['Which rose did I plant?', ['Rose']],
    ['Is the rose in bloom?', []],
  ])('%j in a chat with Rose: less of what is said by %j', (question, less) => {
    const withRose = friends((role) => (role === 'user' ? 'Pru' : 'Rose'));
    expect(othersThan(question, withRose)).toEqual(less);
  });

  test('a name in lower case is found as it is written', () => {
    const sessions = friends((role) => (role === 'user' ? 'pru' : 'wes'));
    expect(othersThan('What is wes allergic to?', sessions)).toEqual(['pru']);
  });

  test('no file is a speaker whom a question may name', () => {
    const file = 'memory/projects.md';
    const line = chat(file, ['user: user: The boat is due in May.'], () => file);
    const question = 'which projects are due';
    const terms = recallTerms(analyzer, question);
    const placed = concatenatedSessions([...friends(), line]);
    expect(askedSpeakers(placed, { text: question, terms })).toBeNull();
  });
});

/** Returns whose turns count for less. */
function othersThan(question: string, sessions: ReturnType<typeof friends>) {
  const placed = concatenatedSessions(sessions);
  const terms = recallTerms(analyzer, question);
  const { factors } = askedSpeakers(placed, { text: question, terms }) ?? {};
  const less = placed.each.flatMap(({ session, firstTurn }) =>
    session.turns.flatMap(({ turn }, at) =>
      (factors?.[firstTurn + at] ?? 1) < 1 ? [turn.speaker] : [],
    ),
  );
  return [...new Set(less)];
}

describe('recall: what one person says beside another', () => {
  const friend = friends();
  const home = (id: string, line: string, speaker: string | null = null) =>
    chat(id, [line], () => speaker);
  const leeds = home('2026-01-02', 'user: I live in Leeds.');

  test.each([
    ['a friend', home('2026-03-10', 'assistant: I moved to York, I live in York now.')],
    [
      'a friend who alone has a name',
      home('2026-03-10', 'assistant: I moved to York, I live in York now.', 'Wes'),
    ],
    [
      'a line of what a friend said',
      home('notes.md', 'assistant: assistant: I moved to York, I live in York now.', 'notes.md'),
    ],
  ])('the home of a user is not ended by %s', (_, york) => {
    const told = passagesFor('Where do I live?', [leeds, ...friend, york]);
    const own = told.find(({ text }) => text.includes('Leeds'));
    expect(own?.outdatedBy).toEqual([]);
    const next = told.find(({ place }) => place === own?.followedBy?.place);
    expect(next?.text ?? '').not.toContain('York');
  });

  test('the home of a user is ended by the user', () => {
    const york = home('2026-03-10', 'user: I moved to York, I live in York now.');
    const told = passagesFor('Where do I live?', [leeds, ...friend, york]);
    expect(told.find(({ text }) => text.includes('Leeds'))?.outdatedBy).not.toEqual([]);
  });
});
