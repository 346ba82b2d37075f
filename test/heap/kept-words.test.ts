import { expect, test } from 'vitest';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createFeatures } from '#providers/lexical/features.ts';
import { stem } from '#core/text/stem.ts';
import { keptBytes, TEXT_BYTES } from './kept-memory.ts';

const analyzer = createTextAnalyzer();
const features = createFeatures();

test.each<[string, (text: string) => unknown]>([
  ['stems', (text) => stem(text.slice(0, text.indexOf(' ')))],
  ['terms', (text) => analyzer.terms(text)],
  ['features', (text) => features(text)],
])('the cache of %s does not keep the texts in memory', async (_, use) => {
  expect(await keptBytes(use)).toBeLessThan(TEXT_BYTES / 10);
  // What is used here is not collected as a whole before the measurement.
  expect(use('tulips grow')).toBeDefined();
});
