import { expect, test } from 'vitest';
import { extract } from '#core/extraction/extract-statements.ts';
import { withoutForwarded } from '#core/extraction/others-words/forwarded-text.ts';
import { isForwarded } from '#core/extraction/own-words.ts';
import { ownSentences } from '#core/extraction/statement.ts';

test.each([
  "here is the customer's mail:\n\nDear team,\nI am Bruno, I live in Porto.\nBest, Bruno",
  'Please proofread:\n> I work at Siemens since May.\n> My phone is 555-0100.',
  'can u summarise what he wrote? """Hi team, I am Bruno.\nI live in Porto and I hate queues."""',
  "'''I hate mondays and I quit my job'''",
  'write a bio in first person: I am a pilot and I live on a boat',
  'Übersetze bitte: „Ich wohne in Porto und arbeite als Koch.“',
  'La carta dice:\n\nEstimados señores: vivo en Porto.',
])('a message that hands on a text of someone else is recognized: %j', (text) => {
  expect(isForwarded(text)).toBe(true);
});

test.each([
  'I live in Porto, and my sister says "hi".',
  'My address is new: Linden Street 14.',
  'Two things: I moved to Porto, and I quit my job.',
  'Please write a function that sorts the list: it must be stable.',
  'Ich wohne jetzt in Leipzig: Südstraße 12.',
  'Hi team, I am Bruno and I live in Porto.',
])('a message in which users speak for themselves hands on nothing: %j', (text) => {
  expect(isForwarded(text)).toBe(false);
});

test('a pasted letter and a quoted block are not the sentences of the sender', () => {
  const letter = 'I got this:\n\nDear team,\nI live in Porto.';
  expect(ownSentences(letter)).toEqual(['I got this']);
  expect(ownSentences('I live in Oslo.\n"""\nI live in Porto.\n"""')).toEqual(['I live in Oslo.']);
});

function statementsIn(content: string): readonly string[] {
  const message = { id: 't1', role: 'user', speaker: null, content, at: 0 } as const;
  return extract([message]).map(({ text }) => text);
}

test.each([
  ['From: Pat <pat@example.com>\nTo: all\n\nI live in Lyon.', []],
  ['I live in Leeds.\n\nFrom: Pat\nSubject: Move\n\nI live in Lyon.', ['I live in Leeds.']],
  ['Ich wohne in Bonn.\n\nVon: Pat\nBetreff: Umzug\n\nIch wohne in Köln.', ['Ich wohne in Bonn.']],
  ['Vivo en Vigo.\n\n*De:* Pat\n*Asunto:* Casa\n\nVivo en Lugo.', ['Vivo en Vigo.']],
  ['我住在上海。\n\n发件人：李明\n主题：搬家\n\n我住在南京。', ['我住在上海。']],
  ['I live in Leeds.\n\nOn Mon, 2 Nov 2026, Pat wrote:\nI live in Lyon.', ['I live in Leeds.']],
  ['I live in Leeds.\n-----Original Message-----\nI live in Lyon.', ['I live in Leeds.']],
  ['From: Leeds\nTo: York\nDate: 3 May\nI live in Leeds.', ['I live in Leeds.']],
])('a user who pastes an email is not taken for its author: %j', (content, kept) => {
  expect(statementsIn(content)).toEqual(kept);
});

test('a user who pastes very many emails is heard between the first of them, and then no more', () => {
  const own = 'By the way, I live in York.\n\n';
  const mail = 'From: Pat\nSubject: Move\n\nI live in Lyon.\n\n';
  const kept = withoutForwarded(`${own}${mail}`.repeat(40));
  expect(kept.match(/York/gu)).toHaveLength(20);
  expect(kept).not.toContain('Lyon');
});

test('a user who pastes a document is not taken for its author', () => {
  const document = 'I live in Lyon. Every pump of the hall is checked by the porter. '.repeat(80);
  expect(statementsIn(document)).toEqual([]);
  const lead = 'I live in Leeds, and this report is of another town:';
  expect(statementsIn(`${lead}\n${document}`)).toEqual([lead]);
  const parts = ['t1', 't1/part-2'].map(
    (id, at) =>
      ({
        id,
        role: 'user',
        speaker: null,
        content: document.slice(0, 4_000 - at * 3_500),
        at,
      }) as const,
  );
  expect(extract(parts)).toEqual([]);
});

test('a user who writes much about themselves is believed', () => {
  const story = `I live in Leeds. ${'The town has a harbor. My day was long. '.repeat(90)}`;
  expect(statementsIn(story)).toEqual(['I live in Leeds.']);
});

test.each([
  ['Soy el jefe de obra y vivo en Zaragoza.', 'La empresa entregó los palés en la nave 7. '],
  ['I am the head of the site and I live in Leeds.', 'The firm delivered the tiles at gate 7. '],
  ['Ich wohne in Chemnitz.', 'Die Firma lieferte die Platten an Tor 7. '],
  ['我是项目经理，我住在南京。', '公司把瓷砖交付到了北门，委员会审查了所有的申请。'],
])('a user who pastes a report is not taken for its author: %s', (author, line) => {
  expect(statementsIn(line.repeat(30) + author + line.repeat(30))).toEqual([]);
  expect(statementsIn(author)).not.toEqual([]);
});
