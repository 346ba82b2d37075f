import { expect, test } from 'vitest';
import { answeredItems } from '#core/prompt/parse-answer.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { turnSource } from '#core/sources/source.ts';
import { joinSentences, sentenceOf } from '#core/text/joined-sentences.ts';
import { createExtractiveModel, withLongTurns } from '#providers/extractive/extractive-model.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';
import { isQuotedLine, withFewQuotes } from '#core/text/quoted-line.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { turnOf } from '#test/conformance/samples.ts';

const tokens = await loadTokenCounter({ log: SILENT_LOG });
const model = createExtractiveModel(tokens);

/** What a person says beside a document, with a word of each that must not get lost. */
const SAID: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  en: [
    ['I moved, my new address is Linden Street 14', 'Linden'],
    ['rent went up, it is 1,210 from December', '1,210'],
    ['I got a cat, her name is Pixel', 'Pixel'],
    ["I'm allergic to shellfish since I was a kid", 'shellfish'],
  ],
  de: [
    ['Wir wohnen jetzt in der Südstraße 12', 'Südstraße'],
    ['die Miete kostet ab Dezember 1.210 Euro', '1.210'],
    ['Unsere Katze heißt Minka', 'Minka'],
    ['Ich vertrage keine Haselnüsse', 'Haselnüsse'],
  ],
  es: [
    ['Ahora vivo en la calle Colón 23', 'Colón'],
    ['El alquiler sube a 1.210 euros en diciembre', '1.210'],
    ['Tengo una gata que se llama Nala', 'Nala'],
    ['Soy alérgico a la penicilina', 'penicilina'],
  ],
  zh: [
    ['我现在住在杭州文一路18号', '文一路'],
    ['房租从十二月起涨到1210元', '1210'],
    ['我养了一只猫，叫豆豆', '豆豆'],
    ['我对花生过敏', '花生'],
  ],
};

const many = (line: (n: number) => string, join: string): string =>
  Array.from({ length: 900 }, (_, n) => line(n)).join(join);
const DOCUMENTS: Readonly<Record<string, string>> = {
  prose: many(
    (n) => `The harbor of town ${n} has ${n * 3} berths, and its pilot lives in Lyon.`,
    ' ',
  ),
  log: many((n) => `2026-11-02 10:${n % 60} ERROR worker-${n % 7} lost request ${n * 37}`, '\n'),
  Markdown: many(
    (n) => `## Part ${n}\n\n- We decided on pump ${n}.\n- **Owner**: Ms. ${n}`,
    '\n\n',
  ),
  code: many((n) => `export const rate${n} = (total: number) => total * ${n}; // must stay`, '\n'),
  'e-mail': `From: pat@example.com\nSubject: Move\n\nHi all,\n\n${many(
    (n) => `I live in Ghent now, please send box ${n} to Kaai ${n * 3}.`,
    '\n\n',
  )}`,
  Chinese: many((n) => `第${n}节说明了${n * 7}号房间的管道检查情况，我住在南京。`, ''),
};
const CAPS = [50, 200, 500] as const;
/** A quarter of the longest text. */
const LONG_MAX = 125;

/** The texts of all depths of a session in which a document of so many letters is pasted. */
async function depthsOf(language: string, document: string): Promise<readonly string[][]> {
  const said = (SAID[language] ?? []).map(([text]) => text);
  const contents = [...said.slice(0, 2), document, ...said.slice(2)].filter((text) => text !== '');
  const sources = contents.map((content, n) =>
    turnSource({
      ...turnOf('acme', n, { content, tokenCount: tokens.count(content) }),
      sequence: n,
    }),
  );
  const item = { item: 'a', layer: 'session', depths: ['detailed'], audience: null } as const;
  const call = { attemptId: 'attempt', signal: new AbortController().signal };
  const batch = { items: [{ ...item, task: 'Extract', tokensMax: 500, sources } as const] };
  const { text } = await model.answer(batch, call);
  const facts = (answeredItems(text).get('a')?.facts ?? []).map((fact) => sentenceOf(fact.text));
  return CAPS.map((cap) =>
    facts.filter((_, n) => tokens.count(joinSentences(facts.slice(0, n + 1))) <= cap),
  );
}

const CASES = Object.keys(DOCUMENTS).flatMap((kind) =>
  Object.keys(SAID).flatMap((language) =>
    [2_000, 6_000, 16_000].map((letters) => ({ kind, language, letters })),
  ),
);

test.each(CASES)(
  'a summary with $letters pasted letters of $kind keeps what its user said in $language',
  async ({ kind, language, letters }) => {
    const depths = await depthsOf(language, (DOCUMENTS[kind] ?? '').slice(0, letters));
    const [shortest] = await depthsOf(language, '');
    const [sentence = [], ...longer] = depths;
    expect(sentence.filter((each) => !isQuotedLine(each))).toEqual(shortest);
    for (const text of longer) {
      const shown = text.join(' ');
      expect((SAID[language] ?? []).filter(([, word]) => !shown.includes(word))).toEqual([]);
      const ofDocument = text.filter(isQuotedLine).map((each) => tokens.count(each));
      expect(ofDocument.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LONG_MAX);
    }
  },
);

test('a session with only a document is about the document', async () => {
  const [, , detailed = []] = await depthsOf('none', (DOCUMENTS['prose'] ?? '').slice(0, 12_000));
  expect(tokens.count(joinSentences(detailed))).toBeGreaterThan(2 * LONG_MAX);
});

test('a document stored in parts counts as one long turn', () => {
  const text = 'Every pump of the hall is checked. '.repeat(20);
  const said = ['t1', 't1/part-2', 't2', 't3/part-2'].map((id) => ({ id, text, at: '' }));
  const long = (speaker: string) =>
    withLongTurns(said.map((each) => ({ ...each, speaker }))).map(({ longTurn }) => longTurn);
  expect(long('user')).toEqual(['t1', 't1', undefined, undefined]);
  expect(long('')).toEqual(said.map(() => undefined));
});

test('a long speech of a meeting does not count as a document', () => {
  const text = 'We move the launch to May and keep the budget. '.repeat(80);
  const speech = [{ id: 't1', text, speaker: 'Ana', at: '' }];
  expect(withLongTurns(speech)).toEqual(speech);
});

test.each([
  ['en', "I'm allergic to shellfish", 'My name is Ann, I work as a nurse at the hall of the town'],
  ['de', 'Ich vertrage keine Nüsse', 'Ich heiße Jonas und arbeite als Lehrer an einer Schule'],
  ['es', 'Soy alérgica a la penicilina', 'Me llamo Carmen y trabajo de abogada en un despacho'],
  ['zh', '我对花生过敏', '我叫陈伟，在一家软件公司做工程师，每天坐地铁上班'],
])('the shortest summary of a user mentions what harms them: %s', (_, harm, other) => {
  const told = [1, 2, 3, 4].map((n) => `${other} ${n}`);
  const sources = [...told, harm, ...told.map((each) => `${each}, ${each.length}`)];
  const facts = extractFacts(
    sources.map((text, n) => ({ id: `m${n}`, text, at: '2026-01-01' })),
    { countTokens: (text) => tokens.count(text), maxTokens: 500, maxSentenceTokens: 50 },
  );
  const shortest = facts.filter(
    (__, n) => tokens.count(joinSentences(facts.slice(0, n + 1).map(({ text }) => text))) <= 50,
  );
  expect(shortest.map(({ text }) => text)).toContain(harm);
});

test('greetings and thanks of a chat are not facts', () => {
  const facts = extractFacts(
    ['hola', 'Vivo en Vigo', 'gracias', 'ok, bye', '我住在上海', '好的'].map((text, n) => ({
      id: `t${n}`,
      text,
      at: '2026-01-01',
      speaker: n % 2 === 0 ? 'assistant' : 'user',
    })),
    { countTokens: (text) => tokens.count(text), maxTokens: 500, maxSentenceTokens: 50 },
  );
  expect(facts.map(({ quote }) => quote).toSorted()).toEqual(['Vivo en Vigo', '我住在上海']);
});

test('a flush keeps few quoted lines and all other lines', () => {
  const lines = ['user: “One two.”', 'user: I moved', 'user: “Three four.”', 'Ana: Five'];
  const kept = withFewQuotes(
    lines.map((text) => ({ text })),
    tokens.count('user: “One two.”'),
    (line) => tokens.count(line),
  );
  expect(kept.map(({ text }) => text)).toEqual([lines[0], lines[1], lines[3]]);
});
