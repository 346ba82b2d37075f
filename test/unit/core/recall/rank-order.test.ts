/** Which of two passages ranks higher if they differ in one property. */
import { describe, expect, test } from 'vitest';
import { pastSession, type TurnToRecall } from '#core/recall/sessions/past-session.ts';
import { encodePassage } from '#core/recall/sessions/passage-vectors.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import type { TimeWindow } from '#core/recall/question/time-window.ts';
import { rankPassages, type RankedPassage } from '#core/recall/ranking/rank-past-turns.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { DAY_MS, NOW } from '#test/conformance/samples.ts';

const analyzer = createTextAnalyzer();
/** Says nothing that a question asks for. */
const FILLER = 'it rained for a while and then it was quiet.';

interface Said {
  readonly text: string;
  readonly by?: 'user' | 'assistant';
  readonly at?: number;
  readonly vector?: readonly number[];
}

function sessionOf(id: string, said: readonly Said[]) {
  const turns = said.map(({ text, by = 'user', at = NOW, vector }, index): TurnToRecall => {
    const turn = { id: `${id}-${String(index)}`, sessionId: id, at, role: by } as const;
    return {
      turn: { ...turn, speaker: null, content: text, trust: 'stated' },
      vectors: vector === undefined ? null : [encodePassage(vector)],
    };
  });
  return pastSession(id, turns, analyzer);
}

interface Asked {
  readonly vector?: readonly number[];
  readonly windows?: readonly TimeWindow[];
}

function ranked(question: string, sessions: readonly (readonly Said[])[], asked: Asked = {}) {
  return rankPassages(
    sessions.map((said, at) => sessionOf(`s${String(at)}`, said)),
    {
      text: question,
      terms: recallTerms(analyzer, question),
      vector: asked.vector === undefined ? null : Float32Array.from(asked.vector),
      windows: asked.windows ?? [],
    },
  );
}

/** The scores of the turns of a session, by their places. */
function scoresIn(found: readonly RankedPassage[], session = 's0'): readonly number[] {
  return found
    .filter(({ session: { turns } }) => turns[0]?.turn.sessionId === session)
    .toSorted((a, b) => a.place - b.place)
    .map(({ score }) => score);
}

const filler = (count: number): readonly Said[] =>
  Array.from({ length: count }, () => ({ text: FILLER }));

describe('a passage ranks by the turns around it', () => {
  const scores = scoresIn(
    ranked('boiler', [[...filler(6), { text: 'the boiler.' }, ...filler(6)]]),
  );
  const [, , , , , , match = 0] = scores;

  test('the turns next to a match rank above those farther away, and these above the rest', () => {
    for (const side of [-1, 1]) {
      const [next = 0, second = 0, third = 0] = [1, 2, 3].map((by) => scores[6 + side * by]);
      expect(match).toBeGreaterThan(next);
      expect(next).toBeGreaterThan(second);
      expect(second).toBeGreaterThan(third);
      expect(third).toBe(scores[0]);
    }
    expect(scores[5]).toBe(scores[7]);
  });

  test('but not by turns of another session', () => {
    const sessions = [[...filler(3), { text: 'the boiler.' }], filler(4)];
    const apart = scoresIn(ranked('boiler', sessions), 's1');
    expect(new Set(apart).size).toBe(1);
  });

  test('with the share of the question’s words that they have together', () => {
    const found = ranked('boiler kettle', [
      [...filler(3), { text: 'the boiler.' }, { text: 'the kettle.' }, ...filler(3)],
    ]);
    const shares = found.toSorted((a, b) => a.place - b.place).map(({ wordShare }) => wordShare);
    expect(shares[3]).toBeGreaterThan(shares[2] ?? 1);
    expect(shares[4]).toBeCloseTo(shares[3] ?? 0, 9);
    expect(shares[2]).toBeGreaterThan(shares[1] ?? 1);
    expect(shares[0]).toBe(0);
  });
});

describe('what was said later without a word of the question', () => {
  const LATER = NOW + DAY_MS;
  const older = { text: 'We cook lunch for 318 children.' };
  const rankOf = (later: readonly string[]): readonly string[] => {
    const rest = Array.from({ length: 30 }, () => ({ text: FILLER, at: LATER }));
    const said = [
      [older, ...filler(30)],
      [...rest, ...later.map((text) => ({ text, at: LATER }))],
    ];
    const found = ranked('How many children is lunch for?', said);
    return found.map(({ passage }) => passage.text).filter((text) => later.includes(text));
  };

  test.each([
    ['347 of them came on Monday.', '640 of them came on Monday.', 'is of the same size'],
  ])('ranks higher, as "%s" before "%s", if its amount %s', (first, second) => {
    expect(rankOf([second, first])).toEqual([first, second]);
  });
});

/** A statement of several words. */
const ZH_ASIDE = '我上周在大阪的公司开始了一份新的工作。';

describe('a turn without a word of the question is set aside', () => {
  const asideOf = (before: string, text: string) =>
    ranked('boiler', [[{ text: before }, { text }, ...filler(1)]])
      .toSorted((a, b) => a.place - b.place)
      .map(({ wordShare, hitShare }) => {
        expect(hitShare).toBeLessThanOrEqual(wordShare);
        return hitShare === 0;
      });

  test.each([
    ['if it is a short reply to a statement', 'The boiler is new.', 'Fine.', true],
    ['unless it is a short answer to a question', 'Is the boiler new?', 'Yes, it is.', false],
    [
      'unless it is a reply with content',
      'The boiler broke.',
      'Call the plumber Ines on Monday.',
      false,
    ],
    ['if it is a short Chinese statement', 'The boiler broke.', '我住在大阪。', true],
    ['if the user goes on in another script', 'The boiler broke.', ZH_ASIDE, true],
    ['unless it answers in another script', 'Did the boiler break?', ZH_ASIDE, false],
    ['if it follows another topic', 'The kettle is new.', 'Call the plumber Ines.', true],
  ])('%s', (_, before, text, isAside) => {
    const [, found] = asideOf(before, text);
    expect(found).toBe(isAside);
  });
});

describe('a reply counts for a search', () => {
  const shareOf = (said: readonly Said[]) => {
    const found = ranked('boiler', [said]).toSorted((a, b) => a.place - b.place);
    return found.map(({ hitShare }) => hitShare);
  };

  test('at half of what it replies to, whatever follows', () => {
    const reply = 'Call the plumber Ines on Monday.';
    const said = [{ text: 'the boiler.' }, { text: reply }, { text: 'the boiler.' }];
    const [before = 0, ofReply = 0, after = 0] = shareOf(said);
    expect(ofReply).toBe(0.5);
    expect(Math.min(before, after)).toBeGreaterThan(1);
  });

  test.each([
    ['The boiler is new.', 0],
    ['Is the boiler new?', 0.5],
  ])('and a user turn after “%s” by the assistant counts %d', (text, expected) => {
    expect(shareOf([{ text, by: 'assistant' }, { text: FILLER }])[1]).toBeCloseTo(expected, 9);
  });
});

describe('a passage in a long session ranks by the minutes around it', () => {
  /** A topic that comes up in every fourth of 40 turns, and once long after. */
  const long = (count: number) =>
    Array.from({ length: count }, (_, at): Said => {
      const isTopic = (at >= 40 && at < 80 && at % 4 === 0) || at === count - 20;
      return { text: isTopic ? 'the boiler.' : FILLER };
    });

  test('a match among many ranks above a lone match with the same words', () => {
    const scores = scoresIn(ranked('boiler', [long(240)]));
    expect(scores[60]).toBeGreaterThan((scores[220] ?? 0) * 1.2);
    // A turn without the word, in the middle of them, ranks above one far from all.
    expect(scores[62]).toBeGreaterThan((scores[150] ?? 0) * 1.2);
  });

  test('the longer the session, the more; in a short session not at all', () => {
    const lift = (count: number) => {
      const topic = Array.from({ length: 12 }, (_, at): Said => {
        return { text: at % 4 === 0 ? 'the boiler.' : FILLER };
      });
      const scores = scoresIn(ranked('boiler', [[...filler(8), ...topic, ...filler(count - 20)]]));
      return (scores[10] ?? 0) - (scores.at(-1) ?? 0);
    };
    expect(lift(240)).toBeGreaterThan(lift(100));
    expect(lift(100)).toBeGreaterThan(lift(40));
    expect(lift(40)).toBeCloseTo(lift(30), 1);
  });
});

describe('between two passages with the same words', () => {
  /** How the first of two turns, far apart in two sessions, ranks beside the second. */
  function compared(question: string, a: Said, b: Said, asked: Asked = {}): number {
    const found = ranked(
      question,
      [
        [a, ...filler(3)],
        [b, ...filler(3)],
      ],
      asked,
    );
    return (scoresIn(found, 's0')[0] ?? 0) - (scoresIn(found, 's1')[0] ?? 0);
  }

  const old = { text: 'the boiler.', at: NOW - 300 * DAY_MS };
  const recent = { text: 'the boiler.', at: NOW + DAY_MS };

  test('the newer ranks higher, and clearly so if the question asks about now', () => {
    const lead = (question: string) => compared(question, recent, old);
    expect(lead('boiler')).toBeGreaterThan(0);
    expect(lead('boiler now')).toBeGreaterThan(lead('boiler') * 2);
    expect(lead('boiler still')).toBeGreaterThan(lead('boiler') * 2);
  });

  test.each([
    ['a name', 'Who is it with the boiler?', 'the boiler, says Rosa.', 'the boiler, says rosa.'],
    ['a number', 'How much is the boiler?', 'the boiler is 9.', 'the boiler is x.'],
    ['a day', 'When is the boiler?', 'the boiler, monday.', 'the boiler, mondax.'],
    ['a preference', 'Do I prefer the boiler?', 'never the boiler.', 'nevex the boiler.'],
    [
      'an instruction',
      'How should you put the boiler?',
      'if you, the boiler.',
      'if yox, the boiler.',
    ],
    ['a rule', 'Which boiler goes where?', 'next time the boiler.', 'nexx time the boiler.'],
    ['eine Regel', 'Wie soll der Boiler stehen?', 'wenn du mir, Boiler.', 'wenn du mix, Boiler.'],
    [
      'una norma',
      '¿Cómo escribes la caldera?',
      'si me mandas la caldera.',
      'si mx mandas la caldera.',
    ],
    ['规矩', '锅炉的事用什么格式?', '每次写锅炉。', '毎次写锅炉。'],
    ['a task', 'Is the boiler pending?', 'the boiler, to-do.', 'the boiler, tx-do.'],
  ])('the one with %s ranks higher if the question asks for it', (_, question, having, lacking) => {
    const lead = (asked: string) => compared(asked, { text: having }, { text: lacking });
    expect(lead(question)).toBeGreaterThan(lead('boiler') + 0.05);
  });

  test('the user’s ranks higher, or the assistant’s if the question asks for it', () => {
    const user = { text: 'the boiler.' };
    const assistant = { text: 'the boiler.', by: 'assistant' } as const;
    expect(compared('boiler', user, assistant)).toBeGreaterThan(0);
    expect(compared('What did you say of the boiler?', user, assistant)).toBeLessThan(0);
  });

  test('the one within the time named in the question ranks higher, to the last moment', () => {
    const named = (from: number, to: number): Asked => ({ windows: [{ from, to, weight: 1 }] });
    const lead = (from: number, to: number) => {
      return compared('boiler', old, recent, named(from, to));
    };
    expect(lead(old.at, old.at)).toBeGreaterThan(0.3);
    expect(lead(old.at - 1, old.at - 1)).toBeLessThan(0);
    expect(lead(old.at + 1, old.at + 1)).toBeLessThan(0);
    const half = { windows: [{ from: old.at, to: old.at, weight: 0.5 }] };
    expect(compared('boiler', old, recent, half)).toBeLessThan(lead(old.at, old.at));
  });

  test('the one closer in meaning ranks higher, and a missing vector counts as average', () => {
    const asked = { vector: [1, 0] };
    const near = { text: FILLER, vector: [1, 0] };
    const middle = { text: FILLER, vector: [0.6, 0.8] };
    const far = { text: FILLER, vector: [0, 1] };
    expect(compared('weather', near, middle, asked)).toBeGreaterThan(0);
    expect(compared('weather', middle, far, asked)).toBeGreaterThan(0);
    const found = ranked('weather', [[near], [far], [{ text: FILLER }]], asked);
    expect(found.map(({ cosine }) => cosine)).toEqual([1, null, 0]);
    expect(ranked('weather', [[near]])[0]?.cosine).toBeNull();
  });
});
