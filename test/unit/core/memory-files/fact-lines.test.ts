import { describe, expect, test } from 'vitest';
import { attributedFacts, withListNumber } from '#core/memory-files/fact-lines.ts';
import type { Source } from '#core/sources/source.ts';
import { source } from '../prompt-batch.ts';

function sourceOf(id: string, role: string, text: string, speaker = role): Source {
  return source(id, text, { kind: 'turn', role, speaker });
}

/** The line of a fact that cites all sources. */
function lineOf(text: string, quote: string, sources: readonly Source[]): string | undefined {
  const ids = sources.map(({ id }) => id);
  const fact = { text, sources: ids, quote, speaker: null, trust: 'stated' as const, at: 0 };
  return attributedFacts([fact], sources, () => false)[0]?.text;
}

const ASKED = sourceOf('t1', 'user', 'Where do I live?');

describe('a line of a daily file that a model wrote', () => {
  test.each<[string, string, string, readonly Source[], string]>([
    [
      'names nobody if only the user speaks',
      'I live in Oslo.',
      'I live in Oslo',
      [sourceOf('t1', 'user', 'Well, I live in Oslo now.')],
      'I live in Oslo.',
    ],
    [
      'names the user beside an assistant',
      'I live in Oslo.',
      'I live in Oslo',
      [sourceOf('t1', 'user', 'I live in Oslo.'), sourceOf('t2', 'assistant', 'Nice!')],
      'user: I live in Oslo.',
    ],
    [
      'names the assistant',
      'You live in Berlin.',
      'You live in Berlin',
      [ASKED, sourceOf('t2', 'assistant', 'You live in Berlin.')],
      'assistant: You live in Berlin.',
    ],
    [
      'names the assistant even alone',
      'Du wohnst in Berlin.',
      'Du wohnst in Berlin',
      [sourceOf('t2', 'assistant', 'Du wohnst in Berlin.')],
      'assistant: Du wohnst in Berlin.',
    ],
    [
      'names a speaker who speaks of himself',
      'I live in Oslo.',
      'I live in Oslo',
      [sourceOf('t1', 'user', 'I live in Oslo.', 'Ann'), sourceOf('t2', 'user', 'Ok.', 'Bob')],
      'Ann: I live in Oslo.',
    ],
    [
      'names no speaker whom the fact names',
      'Ann lives in Oslo.',
      'I live in Oslo',
      [sourceOf('t1', 'user', 'I live in Oslo.', 'Ann'), sourceOf('t2', 'user', 'Ok.', 'Bob')],
      'Ann lives in Oslo.',
    ],
    [
      'quotes the source of what the user passes on',
      'My boss is Tom.',
      'my boss Tom fired me',
      [sourceOf('t1', 'user', 'Translate: "I left because my boss Tom fired me."')],
      'user: “my boss Tom fired me”',
    ],
    [
      'quotes a German mail',
      'Ich wohne in Oslo.',
      'Ich wohne in Oslo',
      [sourceOf('t1', 'user', 'Diese Mail kam heute:\nIch wohne in Oslo.')],
      'user: “Ich wohne in Oslo”',
    ],
    [
      'quotes a Spanish letter',
      'Vivo en Oslo.',
      'Vivo en Oslo',
      [sourceOf('t1', 'user', 'La carta de mi jefe:\nVivo en Oslo.')],
      'user: “Vivo en Oslo”',
    ],
    [
      'quotes a Chinese mail',
      '我住在奥斯陆。',
      '我住在奥斯陆',
      [sourceOf('t1', 'user', '帮我看看这封邮件：\n\n我住在奥斯陆。')],
      'user: “我住在奥斯陆”',
    ],
  ])('%s', (_, text, quote, sources, line) => {
    expect(lineOf(text, quote, sources)).toBe(line);
  });
});

const RULES = 'My rules:\n1. Never call before ten.\n 2) No jokes: never.\n- Milk\n3. 别发邮件。';

describe('a line of a daily file', () => {
  test.each([
    ['user: Never call before ten.', 'user: (1) Never call before ten.'],
    ['Never call before ten.', '(1) Never call before ten.'],
    ['No jokes: never.', '(2) No jokes: never.'],
    ['user: No jokes: never.', 'user: (2) No jokes: never.'],
    ['user: 别发邮件。', 'user: (3) 别发邮件。'],
    ['user: Milk', 'user: Milk'],
    ['user: My rules', 'user: My rules'],
    ['user: I row on 2. May.', 'user: I row on 2. May.'],
    ['', ''],
  ])('gets the number that it has in a list: "%s"', (line, numbered) => {
    expect(withListNumber(line, RULES)).toBe(numbered);
  });
});
