import { expect, test } from 'vitest';
import { meantBy } from '#core/text/find-copied-text.ts';

const TEXTS = [
  { text: 'Dana lives in Lyon.' },
  { text: 'Dana lives in Lyon. She moved there in May.' },
  { text: 'Tea' },
];

test.each<[string, string, string | null]>([
  ['as they are', 'Dana lives in Lyon.', 'Dana lives in Lyon.'],
  ['as a context has them', '- dana lives\n  in Lyon. (earlier)', 'Dana lives in Lyon.'],
  ['in part', 'moved there in May', 'Dana lives in Lyon. She moved there in May.'],
  [
    'with more around them',
    'user: Dana lives in Lyon. She moved there in May. And she likes it.',
    'Dana lives in Lyon. She moved there in May.',
  ],
  ['of a short text, alone', 'tea', 'Tea'],
  ['of a short text, in a longer one', 'A teapot is blue.', null],
  ['that are too few to mean one', 'Lyon', null],
  ['of nothing', ' - ', null],
])('words %s mean the text that has them', (_, words, text) => {
  expect(meantBy(words, TEXTS)?.text ?? null).toBe(text);
});
