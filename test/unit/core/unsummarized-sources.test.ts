import { describe, expect, test } from 'vitest';
import { composeDepth } from '#core/refresh/compose-depths.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { withSinceThen } from '#core/refresh/unsummarized-sources.ts';
import { memorySource, turnSource, type Source } from '#core/sources/source.ts';
import { memoryOf, NOW, summaryOf, turnOf, userScope } from '#test/conformance/samples.ts';

const tokens: TokenCounter = {
  name: 'words',
  count: (text) => text.split(/\s+/u).filter((word) => word !== '').length,
};
const LIMIT = 20;

const newsOf = (n: number, content: string): Source =>
  memorySource(memoryOf('acme', n, { content }));

/** Five words a fact; the first counts most and was said last. */
function textOf(count: number) {
  const ids = Array.from({ length: count }, (_, n) => `m-${String(n)}`);
  const { facts } = summaryOf(userScope('acme'), ids);
  const dated = facts.map((fact, n) => ({
    ...fact,
    text: `Here is fact number ${String(n)}.`,
    at: NOW - n,
  }));
  return composeDepth(dated, LIMIT, tokens);
}

const since = (count: number, ...news: readonly Source[]) =>
  withSinceThen(textOf(count), news, { limit: LIMIT, tokens });

describe('news since a summary', () => {
  test('leaves the text unchanged if there is none', () => {
    const kept = textOf(3);
    expect(since(3)).toEqual({ ...kept, kept, since: [] });
  });

  test('is appended to the summary as it was written', () => {
    const told = since(1, newsOf(1, 'Ann\n## moved'), newsOf(2, 'Really?'));
    expect(told).toMatchObject({
      text: 'Here is fact number 0. Since then: Ann ## moved. Really?',
      tokens: 11,
      cut: false,
    });
  });

  test('leaves out a statement that a newer one replaces', () => {
    const on = (n: number, day: string) => ({ ...newsOf(n, `The launch is on ${day}.`), at: n });
    const told = since(1, on(2, 'May 9'), on(1, 'May 4'));
    expect(told.text).toBe('Here is fact number 0. Since then: The launch is on May 9.');
    expect(told.cut).toBe(false);
  });

  test('names the speaker of a turn', () => {
    const turn = turnSource({ ...turnOf('acme', 1, { content: 'We moved.' }), sequence: 1 });
    expect(since(1, turn).text).toBe('Here is fact number 0. Since then: user: We moved.');
  });

  test('names a speaker once per run of turns', () => {
    const turns = ['We moved.', 'To Bonn.'].map((content, n) =>
      turnSource({ ...turnOf('acme', n + 1, { content }), sequence: n + 1 }),
    );
    expect(since(1, ...turns).text).toBe(
      'Here is fact number 0. Since then: user: We moved. To Bonn.',
    );
  });

  test('uses the room that a shorter summary leaves', () => {
    const words = 'one two three four five six seven eight nine ten eleven twelve';
    expect(since(1, newsOf(1, words))).toMatchObject({
      text: `Here is fact number 0. Since then: ${words}.`,
      tokens: 19,
      cut: false,
    });
  });

  test('gets half of a full summary, which drops its least important facts', () => {
    const told = since(4, newsOf(1, 'Ann moved to Braga in May.'));
    expect(told).toMatchObject({
      text: 'Here is fact number 1. Here is fact number 0. Since then: Ann moved to Braga in May.',
      tokens: 18,
      cut: true,
    });
    expect(told.kept.sentences.flatMap(({ facts }) => facts)).toEqual([1, 0]);
  });

  test('is limited to the newest items that fit', () => {
    const news = ['Ann moved to Braga.', 'Bob moved to Lyon.', 'Eve moved to Bonn.', 'Short.'];
    const told = since(4, ...news.map((text, n) => newsOf(n, text)));
    expect(told.since.map(({ text }) => text)).toEqual(news.slice(0, 2));
    expect(told.tokens).toBeLessThanOrEqual(LIMIT);
    expect(told.cut).toBe(true);
  });

  test('leaves out an item for which only a few words fit', () => {
    const long = newsOf(2, Array.from({ length: 90 }, () => 'word').join(' '));
    const told = since(1, newsOf(1, 'Ann moved to the city of Braga.'), long);
    expect(told.since.map(({ text }) => text)).toEqual(['Ann moved to the city of Braga.']);
    expect(told.cut).toBe(true);
  });

  test('is cut if the newest item alone is too long, and ends with an ellipsis', () => {
    const told = since(0, newsOf(1, Array.from({ length: 90 }, () => 'word').join(' ')));
    expect(told.text).toMatch(/^(?:word ){5,}word…$/u);
    expect(told.tokens).toBeLessThanOrEqual(LIMIT);
    expect(told).toMatchObject({ cut: true, kept: { text: '' } });
  });

  test('shows the beginning of the first item that does not fit, after those that do', () => {
    const words = (word: string, count: number) => Array.from({ length: count }, () => word);
    const news = [newsOf(1, 'Ann moved to Braga.'), newsOf(2, words('word', 90).join(' '))];
    const told = withSinceThen(textOf(0), [...news, newsOf(3, 'Older.')], { limit: 60, tokens });
    expect(told.text).toMatch(/^Ann moved to Braga\. (?:word ){20,}word…$/u);
    expect(told.tokens).toBeLessThanOrEqual(60);
    expect(told.since).toHaveLength(2);
    expect(told.cut).toBe(true);
  });
});
