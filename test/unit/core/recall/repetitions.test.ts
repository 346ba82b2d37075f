/** Results of tools rank behind people's words, unless the question asks for them. */
import { describe, expect, test } from 'vitest';
import { isRestatedToUser } from '#core/recall/ranking/repetitions-last.ts';
import { pastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { pastSession } from '#core/recall/sessions/past-session.ts';
import { encodePassage } from '#core/recall/sessions/passage-vectors.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { rankPassages } from '#core/recall/ranking/rank-past-turns.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { NOW } from '#test/conformance/samples.ts';

const analyzer = createTextAnalyzer();

const LOG_LINES = 60;
const LOG = Array.from(
  { length: LOG_LINES },
  (_, at) => `09:00:${String(at)} shop-api DEBUG retry=${String(at * 7)} waited for the replica`,
);
const FATAL = '09:01:00 shop-api FATAL connection refused by the disk';

type Role = 'user' | 'assistant' | 'tool';
type Said = readonly [role: Role, content: string];

const TALK: readonly Said[] = [
  ['user', 'I row on Wednesdays.'],
  ['user', 'The shop is slow, please read the service log.'],
  ['tool', [...LOG, FATAL].join('\n')],
  ['assistant', 'It waits.'],
  ['user', 'My dog Pixel eats no chicken at all.'],
];

function passagesFor(question: string, talk: readonly Said[], vector: number[] | null = null) {
  const { session, ranked } = rankedFor(question, talk, vector);
  return pastPassages([session], ranked).passages;
}

function rankedFor(question: string, talk: readonly Said[], vector: number[] | null = null) {
  const turns = talk.map(([role, content], at) => ({
    turn: {
      id: `t${String(at)}`,
      sessionId: 's',
      at: NOW + at,
      role,
      speaker: role === 'tool' ? 'read_log' : null,
      content,
      trust: role === 'tool' ? ('untrusted' as const) : ('stated' as const),
    },
    vectors: vector === null ? null : content.split('\n').map(() => encodePassage(vector)),
  }));
  const session = pastSession('s', turns, analyzer);
  const ranked = rankPassages([session], {
    text: question,
    terms: recallTerms(analyzer, question),
    vector: vector === null ? null : Float32Array.from(vector),
    windows: [],
  });
  return { session, ranked };
}

describe('a short text that a user repeats', () => {
  test.each([
    ['a statement', 'I live in Lyon.', 1],
    ['a statement in German', 'Ich wohne in Ulm.', 1],
    ['a statement about a named person', 'Ann lives in Oslo.', 1],
    ['an answer', 'Yes, please.', 2],
    ['an answer with a value', 'It is Monday.', 2],
    ['a wish', 'I want tea.', 2],
  ])('is shown as often as it may mean a new thing: %s, "%s"', (_, said, count) => {
    const talk: Said[] = [
      ['user', said],
      ['assistant', 'Where do you row?'],
      ['user', said],
      ['user', 'I live with a dog.'],
    ];
    const shown = passagesFor('Where do I live?', talk).map(({ text }) => text);
    expect(shown.filter((text) => text === said)).toHaveLength(count);
    expect(shown).toHaveLength(talk.length - 2 + count);
  });

  test('stays where it ranks best if the other value came after all of them', () => {
    const said = 'I live in Lyon.';
    const talk: Said[] = [
      ['user', said],
      ['user', said],
      ['user', 'I live in Nantes.'],
    ];
    const { session, ranked } = rankedFor('Where do I live?', talk);
    const scored = ranked
      .map((each) => ({ ...each, score: each.turn.first === 1 ? 0.1 : 1 }))
      .toSorted((a, b) => b.score - a.score);
    const { passages } = pastPassages([session], scored);
    const shown = passages.filter(({ text }) => text === said);
    expect(shown).toMatchObject([{ place: 0, relevance: 1 }]);
  });

  test('is shown for the user and for another speaker of a shared session', () => {
    const said = 'I live in Lyon.';
    const own = rankedFor('Where do I live?', [['user', said]]);
    const other = rankedFor('Where do I live?', [['user', said]]);
    const shared = { ...other.session, sessionId: 'shared' };
    const ranked = other.ranked.map((each) => ({
      ...each,
      session: shared,
      turn: { ...each.turn, turn: { ...each.turn.turn, sessionId: 'shared' } },
    }));
    const sessions = [own.session, shared];
    const ofOthers = new Set([shared]);
    const { passages } = pastPassages(sessions, [...own.ranked, ...ranked], { ofOthers });
    expect(passages.map(({ sessionId }) => sessionId)).toEqual(['s', 'shared']);
  });

  test('stays where it was said last if another value came between, though it ranks lower', () => {
    const said = 'I live in Lyon.';
    const talk: Said[] = [
      ['user', said],
      ['user', 'I live in Nantes.'],
      ['user', said],
    ];
    const { session, ranked } = rankedFor('Where do I live?', talk);
    const scored = ranked.map((each) => ({ ...each, score: each.turn.first === 2 ? 0.1 : 1 }));
    const { passages } = pastPassages([session], scored);
    const shown = Object.fromEntries(passages.map((each) => [each.text, each.outdatedBy.length]));
    expect(shown).toEqual({ [said]: 0, 'I live in Nantes.': 1 });
    expect(passages).toHaveLength(2);
  });
});

describe('the result of a tool', () => {
  test('that shares no word with the question ranks after all that people said', () => {
    const passages = passagesFor('What may the dog eat?', TALK);
    const first = passages.findIndex(({ speaker }) => speaker === 'read_log');
    expect(first).toBe(TALK.length - 1);
    expect(passages.slice(first).every(({ isUnrelated }) => isUnrelated)).toBe(true);
  });

  test('keeps three of the lines that differ only in numbers, and each line that differs otherwise', () => {
    const texts = passagesFor('What may the dog eat?', TALK).map(({ text }) => text);
    expect(texts.filter((text) => LOG.includes(text))).toHaveLength(3);
    expect(texts).toContain(FATAL);
  });

  test.each([
    ['shares a word with it', 'Which disk refused the connection?'],
    ['answers a turn that shares a word', 'What was in the service log?'],
    ['comes from a tool whose name shares a word', 'What did read log say?'],
  ])('that %s keeps its rank, and its repetitive lines rank last', (_, question) => {
    const passages = passagesFor(question, TALK);
    const related = passages.filter(({ isUnrelated }) => isUnrelated !== true);
    expect(related.map(({ text }) => text)).toContain(FATAL);
    expect(related.filter(({ text }) => LOG.includes(text))).toHaveLength(3);
    expect(passages.filter(({ text }) => LOG.includes(text))).toHaveLength(LOG_LINES);
  });

  test.each([
    ['the assistant said before the call', [['assistant', 'Let me check.']]],
    [
      'other tools returned before it',
      [
        ['tool', 'ok'],
        ['assistant', 'Hm.'],
        ['tool', 'ok'],
      ],
    ],
  ] as const)('counts as an answer to the user despite what %s', (_, between) => {
    const [first, asked, ...rest] = TALK;
    if (first === undefined || asked === undefined) throw new Error('two turns');
    const found = passagesFor('Is the shop slow?', [first, asked, ...between, ...rest]);
    expect(found.find(({ text }) => text === FATAL)?.isUnrelated).toBeUndefined();
  });

  test('is ranked by meaning if it has a vector', () => {
    const talk: readonly Said[] = [...TALK, ['user', 'Thanks.'], ['tool', 'Sunny, 27 degrees.']];
    const found = passagesFor('What may the dog eat?', talk, [1, 0]);
    expect(found.find(({ text }) => text.startsWith('Sunny'))?.isUnrelated).toBeUndefined();
  });
});

describe('lines of a person that differ only in numbers', () => {
  test('all keep their rank', () => {
    const talk: readonly Said[] = [['user', LOG.join('\n')]];
    const found = passagesFor('What may the dog eat?', talk);
    expect(found.filter(({ isUnrelated }) => isUnrelated !== true)).toHaveLength(LOG_LINES);
  });
});

const isTold = (reply: string, said: string) =>
  isRestatedToUser(reply, said, recallTerms(analyzer, said));

describe('a reply', () => {
  test.each([
    ['As you said, you live in Bristol, so try the harbor cafe.', 'I live in Bristol.'],
    ['You still live in Bristol, so the bus is best.', 'I live in Bristol.'],
    ['Since your manager is Dana, I addressed it to her.', 'My manager is Dana.'],
    ['As you work at Acme, the discount applies.', 'I work at Acme.'],
    ['Wie du gesagt hast, wohnst du in Köln, also probier das Café.', 'Ich wohne in Köln.'],
    ['Deine Chefin ist Dana, also schreibe ich ihr.', 'Meine Chefin ist Dana.'],
    ['Como dijiste, vives en Lima, así que prueba el café.', 'Vivo en Lima.'],
    ['Tu jefa es Dana, así que le escribo.', 'Mi jefa es Dana.'],
    ['你说过你住在上海，可以去外滩。', '我住在上海。'],
    ['你的经理是小丽，我写给她。', '我的经理是小丽。'],
  ])('tells a user what the user said: %s', (reply, said) => {
    expect(isTold(reply, said)).toBe(true);
  });

  test.each([
    ['You live in Bath, and Bristol is near.', 'I live in Leeds.'],
    ['You no longer live in Bristol.', 'I live in Bristol.'],
    ['You moved away, so you live in Bath, not in Bristol.', 'I live in Bristol.'],
    ['Do you live in Bristol?', 'I live in Bristol.'],
    ['If you live in Bristol, try the harbor.', 'I live in Bristol.'],
    ['Your brother Joel lives in Bristol.', 'I live in Bristol.'],
    ['Many people live in Bristol.', 'I live in Bristol.'],
    ['You lived in Bristol for years.', 'I live in Bristol.'],
    ['Her manager is Dana.', 'My manager is Dana.'],
    ['Deine Schwester wohnt in Köln.', 'Ich wohne in Köln.'],
    ['Joel vive en Lima.', 'Vivo en Lima.'],
    ['他住在上海。', '我住在上海。'],
    ['你现在不住在上海了。', '我住在上海。'],
  ])('says something else: %s', (reply, said) => {
    expect(isTold(reply, said)).toBe(false);
  });
});
