import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare.ts';
import { extract, layerOf } from '#core/extraction/extract.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

function extracted(content: string, role: 'user' | 'assistant' | 'tool' = 'user') {
  return extract([{ id: 'm', role, speaker: null, content, at: AT }]);
}

function decided(said: string, content: string, differing: Partial<Known> = {}) {
  const [first] = extracted(said);
  if (first === undefined) return null;
  const known = { id: 'known', content, at: AT - 1, live: true, sources: [], ...differing };
  return decide({ statement: first.statement, source: 'm', at: AT }, [known], ['dana']).event;
}

describe('decide', () => {
  test.each([
    ['I moved to Berlin.', 'Dana lives in Lyon.', 'SUPERSEDE'],
    ['I moved to Berlin.', 'The user lives in Lyon.', 'SUPERSEDE'],
    ['I moved to Berlin.', 'I live in Berlin.', 'NOOP'],
    ['I live in Berlin.', 'i live in Berlin', 'NOOP'],
    ['I moved to Berlin.', 'Tom lives in Lyon.', 'ADD'],
    ['I moved to Berlin.', 'My sister lives in Lyon.', 'ADD'],
    ['I love coffee.', 'I love tea.', 'ADD'],
    ['I hate coffee.', 'I love coffee.', 'SUPERSEDE'],
    ['I hate coffee.', 'I love tea.', 'ADD'],
    ["I don't work at Siemens any more.", 'I work at Siemens.', 'SUPERSEDE'],
    ["I don't work at Siemens any more.", 'I work at Bosch.', 'ADD'],
    ['My manager is Priya.', 'My boss is Tom.', 'SUPERSEDE'],
    ['My dentist appointment is on May 4.', 'The launch is on May 3.', 'ADD'],
    ['Ich bin nach Kiel gezogen.', 'I live in Lyon.', 'SUPERSEDE'],
  ])('%s beside "%s": %s', (said, known, event) => {
    expect(decided(said, known)).toBe(event);
  });

  test('leaves alone what was ended before, and what is newer than the message', () => {
    expect(decided('I moved to Berlin.', 'I live in Lyon.', { live: false })).toBe('ADD');
    expect(decided('I moved to Berlin.', 'I live in Lyon.', { at: AT + 1 })).toBe('NOOP');
  });

  test('a message whose statement was superseded since does not bring it back', () => {
    const known = { live: false, sources: ['m'] };
    expect(decided('I live in Lyon.', 'I live in Lyon.', known)).toBe('NOOP');
  });
});

describe('extract', () => {
  test('puts the day behind words that count from it, and nowhere else', () => {
    const [first] = extracted('I moved to Berlin last month.');
    expect(first?.text).toBe('I moved to Berlin last month. (2026-11-03)');
    expect(extracted('I live in Berlin.')[0]?.text).toBe('I live in Berlin.');
  });

  test.each([
    ['code', '```\nI live in Berlin.\n```'],
    ['a quoted line', '> I live in Berlin.'],
    ['a question', 'I live in Berlin?'],
    ['a smile', 'I live in Berlin :)'],
    ['a text to be translated', 'Translate this: I live in Berlin.'],
  ])('keeps nothing of %s', (_, content) => {
    expect(extracted(content)).toEqual([]);
  });

  test('keeps nothing of tools, and of an assistant only what it says it learned', () => {
    expect(extracted('I live in Berlin.', 'tool')).toEqual([]);
    expect(extracted('I live in Berlin.', 'assistant')).toEqual([]);
    const [lesson] = extracted('Lesson learned: the staging database needs the VPN.', 'assistant');
    expect(lesson?.statement.kind).toBe('Lesson');
    expect(lesson?.trust).toBe('observed');
  });
});

describe('layerOf', () => {
  test.each([
    ['I live in Berlin.', { userId: 'u', projectId: 'p' }, 'user'],
    ['I live in Berlin.', { projectId: 'p' }, null],
    ['We decided to use Postgres.', { userId: 'u', projectId: 'p' }, 'project'],
    ['We decided to use Postgres.', { userId: 'u' }, 'user'],
    ['The launch is on December 1.', { userId: 'u', projectId: 'p' }, 'project'],
    ['My surgery is on December 1.', { userId: 'u', projectId: 'p' }, 'user'],
  ])('%s with %o: %s', (content, identifiers, layer) => {
    const [first] = extracted(content);
    expect(first && layerOf(first.statement, identifiers)).toBe(layer);
  });
});
