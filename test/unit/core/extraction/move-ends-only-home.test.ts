/** A move ends the home that a sentence names, and nothing that the sentence says beside it. */
import { describe, expect, test } from 'vitest';
import { decide, endingOf, type Known } from '#core/extraction/compare-with-known.ts';
import { extract, PLAIN_TOPIC, type Extracted } from '#core/extraction/extract-statements.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';

interface Sentences {
  readonly subject: string;
  readonly home: string;
  readonly moved: string;
  readonly joints: readonly string[];
  readonly end: string;
  /** Clauses without their subject, each with a word of it. */
  readonly beside: readonly (readonly [clause: string, word: string])[];
}

const LANGUAGES: Readonly<Record<string, Sentences>> = {
  English: {
    subject: 'I ',
    home: 'live in Leeds',
    moved: 'I moved to York.',
    joints: [', ', ' and ', ' - '],
    end: '.',
    beside: [
      ['am allergic to nuts', 'nuts'],
      ['work at Bosch', 'Bosch'],
      ['have two kids', 'kids'],
      ['drive a Skoda', 'Skoda'],
      ['speak Dutch', 'Dutch'],
      ['love jazz', 'jazz'],
      ['am a nurse', 'nurse'],
      ['take metformin', 'metformin'],
      ['teach maths', 'maths'],
      ['collect stamps', 'stamps'],
    ],
  },
  German: {
    subject: 'Ich ',
    home: 'wohne in Kassel',
    moved: 'Ich bin nach Fulda gezogen.',
    joints: [', ', ' und '],
    end: '.',
    beside: [
      ['bin gegen Nüsse allergisch', 'Nüsse'],
      ['arbeite bei Bosch', 'Bosch'],
      ['habe zwei Kinder', 'Kinder'],
      ['fahre einen Skoda', 'Skoda'],
      ['spreche Dänisch', 'Dänisch'],
      ['liebe Jazz', 'Jazz'],
      ['bin Krankenpfleger', 'Krankenpfleger'],
      ['nehme Metformin', 'Metformin'],
      ['spiele Geige', 'Geige'],
      ['sammle Briefmarken', 'Briefmarken'],
    ],
  },
  Spanish: {
    subject: '',
    home: 'vivo en Gijón',
    moved: 'Me mudé a Oviedo.',
    joints: [', ', ' y '],
    end: '.',
    beside: [
      ['soy alérgica a las nueces', 'nueces'],
      ['trabajo en Zara', 'Zara'],
      ['tengo dos hijos', 'hijos'],
      ['conduzco un Seat', 'Seat'],
      ['hablo catalán', 'catalán'],
      ['odio el tráfico', 'tráfico'],
      ['soy enfermera', 'enfermera'],
      ['tomo metformina', 'metformina'],
      ['toco la guitarra', 'guitarra'],
      ['colecciono sellos', 'sellos'],
    ],
  },
  Chinese: {
    subject: '我',
    home: '住在广州',
    moved: '我搬到佛山了。',
    joints: ['，', ','],
    end: '。',
    beside: [
      ['对花生过敏', '花生'],
      ['在腾讯上班', '腾讯'],
      ['有两个孩子', '孩子'],
      ['养了一只猫', '猫'],
      ['会说粤语', '粤语'],
      ['喜欢爵士乐', '爵士乐'],
      ['是一名护士', '护士'],
      ['每天吃二甲双胍', '二甲双胍'],
      ['吃素', '吃素'],
      ['弹吉他', '吉他'],
    ],
  },
};

const AT = Date.parse('2026-11-03T10:00:00Z');

function extractFrom(content: string, day: number): readonly Extracted[] {
  const at = AT + day * 86_400_000;
  return extract([{ id: `t${String(day)}`, role: 'user', speaker: null, content, at }]);
}

/** Returns the memories of a text that a later text ends. */
function endedBy(older: string, newer: string): readonly string[] {
  const known = extractFrom(older, 0).map(({ text }, at): Known => ({
    id: String(at),
    content: text,
    at: AT,
    live: true,
    sources: ['t0'],
    speaker: null,
  }));
  return extractFrom(newer, 3).flatMap(({ statement, message }) => {
    const said = { statement, source: message.id, at: message.at, speaker: null };
    const decision = decide(said, known, []);
    const ids = decision.event === 'SUPERSEDE' ? decision.supersedes : [];
    return ids.map((id) => known[Number(id)]?.content ?? '');
  });
}

const PAIRS = Object.entries(LANGUAGES).flatMap(([, each]) =>
  each.beside.flatMap(([clause, word]) =>
    each.joints.flatMap((joint) =>
      [
        [each.home, clause],
        [clause, each.home],
      ].map((clauses) => {
        const said = `${each.subject}${clauses.join(joint)}${each.end}`;
        return { said: `${said[0]?.toUpperCase() ?? ''}${said.slice(1)}`, word, moved: each.moved };
      }),
    ),
  ),
);

describe('a move', () => {
  test.each(PAIRS)('ends "$said" only in part, and no memory of it with $word', (pair) => {
    const [older, newer] = [pair.said, pair.moved].map((text) => statementsAndCorrectionsOf(text));
    if (older === undefined || newer === undefined) throw new Error('two texts are read');
    expect(endingOf(older, newer)).toBe('Some');
    expect(endedBy(pair.said, pair.moved).filter((each) => each.includes(pair.word))).toEqual([]);
  });

  test.each([
    ['I live in Leeds, Yorkshire.', 'I moved to York.'],
    ['I live in Leeds, near the station.', 'I moved to York.'],
    ['Ich wohne in Kassel, direkt am Bahnhof.', 'Ich bin nach Fulda gezogen.'],
    ['Vivo en Gijón, cerca del mar.', 'Me mudé a Oviedo.'],
  ])('ends all of "%s"', (older, newer) => {
    expect(endedBy(older, newer)).toEqual([older]);
  });
});

describe('a verb without a subject', () => {
  test.each([
    ['My parents live in Leeds and work at Bosch.'],
    ['My parents live in Leeds, work at Bosch and have a dog.'],
  ])('says nothing about the speaker\'s own home or employer in "%s"', (said) => {
    expect(extractFrom(said, 0).map(({ statement }) => statement.topic)).toEqual([PLAIN_TOPIC]);
  });
});
