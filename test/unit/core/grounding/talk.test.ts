import { describe, expect, test } from 'vitest';
import { groundFacts } from '#core/grounding/grounding.ts';
import type { Source } from '#core/sources/source.ts';
import { NOW } from '#test/conformance/samples.ts';
import { source } from '../prompt-batch.ts';

type Said = readonly [speaker: string | null, text: string, role?: string];

function sourcesOf(said: readonly Said[]): ReadonlyMap<string, Source> {
  return new Map(
    said.map(([speaker, text, role = null], index) => {
      const id = `s-${String(index)}`;
      const kind = speaker === null ? 'memory' : 'turn';
      return [id, source(id, text, { kind, position: id, at: NOW, speaker, role })] as const;
    }),
  );
}

function judge(said: readonly Said[], text: string): 'Kept' | 'Not' {
  const sources = sourcesOf(said);
  const { dropped } = groundFacts([{ text, sources: [...sources.keys()] }], sources);
  return dropped.length === 0 ? 'Kept' : 'Not';
}

describe('statements in a conversation', () => {
  test.each(['customer', 'Customer', 'client', 'caller', 'user'])(
    'a %s who says I is the user',
    (speaker) => {
      const said: Said = [speaker, 'I live in Leeds. I want a refund and not a replacement.'];
      const name = speaker.toLowerCase();
      expect(judge([said], `The ${name} lives in Leeds.`)).toBe('Kept');
      expect(judge([said], `The ${name} wants a refund.`)).toBe('Kept');
      expect(judge([said], 'The agent lives in Leeds.')).toBe('Not');
    },
  );

  test.each(['agent', 'bot', 'assistant'])('an %s who says I is the assistant', (speaker) => {
    const said: Said = [speaker, 'I issued a full refund of $64.99.'];
    expect(judge([said], `The ${speaker} issued a full refund of $64.99.`)).toBe('Kept');
  });

  test('a named speaker keeps the role of the turn', () => {
    const said: Said = ['Priya', 'I prefer green tea and live in Leeds.', 'user'];
    expect(judge([said], 'The user prefers green tea.')).toBe('Kept');
    expect(judge([said], 'Priya prefers green tea.')).toBe('Kept');
    expect(judge([said], 'The assistant prefers green tea.')).toBe('Not');
  });

  const DOCTOR: readonly Said[] = [
    ['user', 'My doctor told me to avoid ibuprofen. I take paracetamol.'],
  ];
  const PARTY: readonly Said[] = [['user', "I can't make it to Sam's party, I have the flu."]];
  const JOB: readonly Said[] = [
    ['user', 'I moved on.'],
    ['assistant', 'Do you still work at Stripe?'],
    ['user', 'No, I left in March.'],
  ];
  const DENTIST: readonly Said[] = [[null, 'The dentist appointment moved from 9 May to 16 May.']];
  const DELAY: readonly Said[] = [['sre', 'The latency went from 320 ms to 190 ms.']];
  const PETS: readonly Said[] = [
    [null, 'We are thinking about getting a dog, but Ben would rather have a cat.'],
  ];
  const REPLICA: readonly Said[] = [
    ['Noor', 'Please keep the old replica for a week before deleting it.'],
  ];
  const MOVE: readonly Said[] = [['user', 'I moved to Lisbon with my girlfriend Marta.']];
  const NOTED: readonly Said[] = [['assistant', 'So you prefer window seats, noted.']];
  const ASKED: readonly Said[] = [
    ['user', 'Could you remind me to call mom at 6?'],
    ['assistant', "Sure, I'll remind you at 6 pm to call your mother."],
  ];
  const MERGE: readonly Said[] = [['Tom', '@Dmitri please merge PR-812 before that.']];

  test.each<[string, readonly Said[], string, 'Kept' | 'Not']>([
    ['asserts what is avoided', DOCTOR, 'The user takes ibuprofen.', 'Not'],
    ['denies another object', DOCTOR, 'The user does not take ibuprofen.', 'Kept'],
    ['rewords a warning', DOCTOR, 'The doctor advised against ibuprofen.', 'Not'],
    ['asserts what is impossible', PARTY, "The user will go to Sam's party.", 'Not'],
    ['asserts what was answered with no', JOB, 'The user works at Stripe.', 'Not'],
    ['denies what was answered with no', JOB, 'The user no longer works at Stripe.', 'Not'],
    [
      'states both values of a change',
      DENTIST,
      'The dentist appointment moved from 9 May to 16 May.',
      'Kept',
    ],
    ['states the new day', DENTIST, 'The dentist appointment is on 16 May.', 'Kept'],
    ['states the old day', DENTIST, 'The dentist appointment is on 9 May.', 'Not'],
    ['names the direction of a change', DELAY, 'The latency fell from 320 ms to 190 ms.', 'Not'],
    ['reverses a change', DELAY, 'The latency went from 190 ms to 320 ms.', 'Not'],
    ['states a plan', PETS, 'They are considering a dog.', 'Kept'],
    ['states a plan as done', PETS, 'The family got a dog.', 'Not'],
    ['rewords a preference', PETS, 'Ben prefers a cat to a dog.', 'Not'],
    ['reverses a preference', PETS, 'Ben prefers a dog to a cat.', 'Not'],
    ['negates a later step', REPLICA, 'The replica must not be deleted for a week.', 'Not'],
    ['converts a week to days', REPLICA, 'Noor wants to keep the replica seven days.', 'Kept'],
    ['replaces a name', MOVE, 'The user moved to Porto with Marta.', 'Not'],
    ['states what was confirmed', NOTED, 'The user prefers window seats.', 'Kept'],
    [
      'attributes it to the confirming speaker',
      NOTED,
      'The assistant prefers window seats.',
      'Not',
    ],
    ['rewords a request', ASKED, 'The user wants to be reminded to call their mother.', 'Not'],
    ['assigns a request to its sender', MERGE, 'Tom must merge PR-812.', 'Not'],
  ])('a fact that %s', (_, said, text, expected) => {
    expect(judge(said, text)).toBe(expected);
  });
});
