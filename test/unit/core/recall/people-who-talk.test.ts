import { describe, expect, test } from 'vitest';
import { pastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { rankPassages } from '#core/recall/ranking/rank-past-turns.ts';
import { assistantsWhoArePeople, tellsOwnLife } from '#core/recall/sessions/own-life.ts';
import { pastSession } from '#core/recall/sessions/past-session.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

type Named = (role: 'user' | 'assistant') => string | null;
const nobody: Named = () => null;

function chat(day: string, said: readonly string[], nameOf: Named = nobody) {
  const turns = said.map((line, index) => {
    const [speaker = '', content = ''] = line.split(/: (.*)/su);
    const role = speaker === 'user' ? ('user' as const) : ('assistant' as const);
    const at = Date.parse(`${day}T09:00:00Z`);
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
      'user: Hey Wes! How was the lake? I was at my parents’ all week.',
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
      'user: Wes, I am so glad. I got a kayak for my birthday.',
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
    ['a friend', [{ turns: 30, ofOwnLife: 12 }], [true]],
    ['a program', [{ turns: 300, ofOwnLife: 6 }], [false]],
    ['a program in one turn of a draft', [{ turns: 1, ofOwnLife: 1 }], [false]],
    [
      'a program in one app and a friend in another',
      [
        { turns: 200, ofOwnLife: 4 },
        { turns: 40, ofOwnLife: 20 },
      ],
      [false, true],
    ],
    ['nobody', [{ turns: 0, ofOwnLife: 0 }], [false]],
  ] as const)('the assistant of a session is %s', (_, sessions, expected) => {
    expect(assistantsWhoArePeople(sessions)).toEqual(expected);
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

  test('prefers the user for a question in the first person', () => {
    const [best] = passagesFor('Where did I eat shrimp?', friends());
    expect(best?.speaker).toBe('user');
  });
});
