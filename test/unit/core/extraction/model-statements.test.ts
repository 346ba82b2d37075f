import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import type { Message } from '#core/extraction/extract-statements.ts';
import { knownSource, rememberedStatements } from '#core/extraction/model-statements.ts';
import type { StatementKind } from '#core/records/extracted-statement.ts';
import type { AnswerFact } from '#core/prompt/parse-answer.ts';
import type { Source } from '#core/sources/source.ts';
import { source } from '../prompt-batch.ts';
import { NOW } from '#test/conformance/samples.ts';

const SAID: readonly [string, Message['role'], string][] = [
  ['t1', 'user', 'We finally settled on Postgres for the billing service.'],
  ['t2', 'assistant', 'The gateway needs the company network to deploy.'],
  ['t3', 'user', 'Is the office in Lyon?'],
];
const messages = SAID.map(([id, role, content]): Message => {
  return { id, role, speaker: null, content, at: NOW };
});
const sources = messages.map(({ id, role, content }) => sourceOf(id, role, content));

function sourceOf(id: string, role: Message['role'], text: string): Source {
  return source(id, text, { kind: 'turn', role, speaker: role, at: NOW });
}

function fact(
  text: string,
  from: readonly string[],
  kind: StatementKind | null,
  differing: Partial<AnswerFact> = {},
): AnswerFact {
  return { text, sources: [...from], quote: null, kind, ...differing };
}

function kept(...facts: readonly AnswerFact[]) {
  return rememberedStatements(facts, { messages, sources });
}

describe('a lasting statement of a model', () => {
  test('is kept as worded if a user said it, with its kind and message', () => {
    const text = 'We settled on Postgres for the billing service.';
    const [found] = kept(fact(text, ['t1'], 'Decision'));
    expect(found).toMatchObject({ text, trust: 'stated', message: { id: 't1' }, replaces: [] });
    expect(found?.statement.kind).toBe('Decision');
  });

  test.each([
    ['that its message does not support', fact('The user loves Oracle.', ['t1'], 'Preference')],
    ['that cites no message', fact('We settled on Postgres.', [], 'Decision')],
    ['that cites a missing message', fact('We settled on Postgres.', ['t9'], 'Decision')],
    ['that rests only on known memories', fact('Ann lives in Rome.', ['known:m1'], 'Self')],
    ['that does not last', fact('We settled on Postgres.', ['t1'], null)],
    [
      'that only the assistant said',
      fact('The gateway needs the company network to deploy.', ['t2'], 'Self'),
    ],
  ])('is not kept from a fact %s', (_, said) => {
    expect(kept(said)).toEqual([]);
  });

  test.each([
    ['user', null, 'assistant', null, 'Self'],
    ['assistant', null, 'user', null, 'Lesson'],
    ['user', 'Ann', 'user', 'Bob', 'Self'],
  ] as const)(
    'is not credited to the %s %s for words of the %s %s',
    (role, speaker, otherRole, other, kind) => {
      const words = 'I live in Rome.';
      const said = [
        { id: 'a', role, speaker, content: 'Good morning to all.', at: NOW },
        { id: 'b', role: otherRole, speaker: other, content: words, at: NOW },
      ];
      const text = {
        messages: said,
        sources: said.map((each) => ({
          ...sourceOf(each.id, each.role, each.content),
          speaker: each.speaker,
        })),
      };
      const both = fact(words, ['a', 'b'], kind, { quote: 'Good morning to all.' });
      expect(rememberedStatements([both], text)).toEqual([]);
    },
  );

  test('rests on the message that has its quote, whatever else the fact cites', () => {
    const said = ['Good morning.', 'Rex is a beagle.'].map((content, at): Message => {
      return { id: `u${String(at)}`, role: 'user', speaker: null, content, at: NOW };
    });
    const from = said.map(({ id, role, content }) => sourceOf(id, role, content));
    const quoted = fact('Rex is a beagle.', ['u0', 'u1'], 'Possession', {
      quote: 'Rex is a beagle',
    });
    const found = rememberedStatements([quoted], { messages: said, sources: from });
    expect(found).toMatchObject([{ message: { id: 'u1' } }]);
  });

  test('is kept from the assistant if it is a lesson', () => {
    const text = 'The gateway needs the company network to deploy.';
    expect(kept(fact(text, ['t2'], 'Lesson'))).toMatchObject([{ text, trust: 'observed' }]);
  });

  test('ends the known memories that it names if they are of its scope and older', () => {
    const shown = knownSource(sourceOf('m1', 'user', 'Billing runs on MySQL.'));
    expect(shown).toMatchObject({ id: 'known:m1', speaker: 'known memory' });
    const text = 'We settled on Postgres for the billing service.';
    const replaces = [shown.id, 'known:m2', 'known:m9', 't1'];
    const [found] = kept(fact(text, ['t1', shown.id], 'Decision', { replaces }));
    expect(found?.replaces).toEqual(['m1', 'm2', 'm9']);
    if (found === undefined) return;
    const memory = (id: string, at: number): Known => {
      const content = 'Billing runs on MySQL.';
      return { id, content, at, live: id !== 'm3', sources: [], speaker: null };
    };
    const asked = { ...found, source: 't1', at: NOW, speaker: null };
    expect(decide(asked, [memory('m1', NOW - 1), memory('m5', NOW - 1)], [])).toEqual({
      event: 'SUPERSEDE',
      supersedes: ['m1'],
    });
    expect(decide(asked, [memory('m2', NOW + 1)], [])).toMatchObject({ reason: 'Outdated' });
  });
});
