import { expect, test } from 'vitest';
import { copiedFrom } from '#core/text/find-copied-text.ts';

const TEXTS = [
  { text: 'Dana lives in Lyon.' },
  { text: 'Dana lives in Lyon. She moved there in May.' },
  { text: 'Tea' },
];

test.each<[string, string, string | null]>([
  ['copied exactly', 'Dana lives in Lyon.', 'Dana lives in Lyon.'],
  ['as a context shows them', '- dana lives\n  in Lyon. (earlier)', 'Dana lives in Lyon.'],
  ['that are a part of it', 'moved there in May', 'Dana lives in Lyon. She moved there in May.'],
  [
    'with more text around them',
    'user: Dana lives in Lyon. She moved there in May. And she likes it.',
    'Dana lives in Lyon. She moved there in May.',
  ],
  ['equal to a short text', 'tea', 'Tea'],
  ['that contain a short text', 'A teapot is blue.', null],
  ['that are too few to identify a text', 'Lyon', null],
  ['without content', ' - ', null],
])('words %s find the text they come from', (_, words, text) => {
  expect(copiedFrom(words, TEXTS)?.text ?? null).toBe(text);
});
