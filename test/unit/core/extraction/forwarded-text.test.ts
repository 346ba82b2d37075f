import { expect, test } from 'vitest';
import { isForwarded } from '#core/extraction/forwarded-text.ts';
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
