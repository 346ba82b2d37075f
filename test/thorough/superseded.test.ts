import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPairs, type Pair } from '#bench/corrections.ts';
import { decide } from '#core/extraction/compare-with-known.ts';
import { extract } from '#core/extraction/extract-statements.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');
const FILE = new URL('../corrections/superseded.jsonl', import.meta.url);

type Said = Pick<Pair, 'older' | 'newer' | 'ends'>;

function isSuperseded({ older, newer }: Said, speakers: readonly (string | null)[] = []): boolean {
  const [before = null, after = null] = speakers;
  const memory = { id: 'older', content: older, at: AT - 1, live: true, sources: [] };
  const messages = [{ id: 'm', role: 'user', speaker: after, content: newer, at: AT }] as const;
  return extract(messages).some(({ statement }) => {
    const said = { statement, source: 'm', at: AT, speaker: after };
    return decide(said, [{ ...memory, speaker: before }], ['dana']).event === 'SUPERSEDE';
  });
}

function readSaid(): readonly Said[] {
  const lines = readFileSync(FILE, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Said);
}

test('a memory is replaced only by what ends all of it, in four languages', () => {
  expect(readSaid().filter((pair) => isSuperseded(pair) !== pair.ends)).toEqual([]);
});

test('almost no memory that still holds is replaced among hand-written pairs', () => {
  const replaced = readPairs().filter((pair) => !pair.ends && isSuperseded(pair));
  // That Eugene is in Oregon, and that a time belongs to the day before it, no rule knows.
  expect(replaced.map(({ id }) => id)).toEqual(['en-r-44', 'es-r-02']);
});

test('a change replaces statements of the same speaker, or of the owner if none is named', () => {
  const sold = { older: 'I drive a Honda.', newer: 'I sold the Honda.', ends: true };
  const speakers = [null, 'dana', 'Dana', 'bob'];
  const ended = speakers.flatMap((before) =>
    speakers.filter((after) => isSuperseded(sold, [before, after])).map((after) => [before, after]),
  );
  const owner = [null, 'dana', 'Dana'];
  const ofOwner = owner.flatMap((before) => owner.map((after) => [before, after]));
  const isSpelledOneWay = ([a, b]: readonly (string | null)[]) =>
    a === null || b === null || a === b;
  expect(ended).toEqual([...ofOwner.filter(isSpelledOneWay), ['bob', 'bob']]);
});
