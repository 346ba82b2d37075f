import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { expect, test } from 'vitest';
import { contradiction, readOutcomes, states, windowsOf } from '#bench/meetings/outcomes.ts';
import { extractFacts } from '#providers/extractive/extract-facts.ts';
import { outcomeWeight, statesOutcome } from '#providers/extractive/conversation-outcome.ts';

const TALK = [
  ['Ana', 'The battery of the lamp is a topic that we talked about in the last meeting.'],
  ['Ben', 'A wooden shade gives the lamp a warm look, and the wooden shade is light.'],
  ['Ana', 'Maybe the lamp could have a solar battery with a small panel on the shade.'],
  ['Ben', 'The wooden shade is out.'],
  ['Ana', "Let's go with one simple battery and a plastic shade for the lamp."],
  ['Ben', 'The look of the lamp matters to people who put the lamp beside their bed.'],
] as const;

function told(maxTokens: number): readonly string[] {
  const sources = TALK.map(([speaker, text], at) => ({
    id: `t${at}`,
    text,
    at: '2026-01-01T00:00:00.000Z',
    speaker,
  }));
  const caps = { countTokens, maxTokens, maxSentenceTokens: maxTokens };
  return extractFacts(sources, caps).map(({ text }) => text);
}

test('a conversation summarized in one sentence is summarized by its decision', () => {
  expect(told(22)).toEqual([`Ana: ${TALK[4][1]}`]);
});

test('a full summary leaves out what was proposed and rejected', () => {
  const text = told(500).join(' ');
  expect(text).toContain('solar battery');
  expect(text).not.toContain('a warm look');
});

test.each([
  ['We decided to use rubber.', 'Maybe we could use rubber.'],
  ['It costs twelve Euros.', 'It costs something.'],
  ['We are going to keep the screen.', 'I was wondering about the screen.'],
  ['We use one battery.', 'We use one battery on the next slide.'],
])('"%s" weighs more than "%s"', (outcome, other) => {
  expect(outcomeWeight(outcome)).toBeGreaterThan(outcomeWeight(other));
});

test.each([
  ['Only one battery.', true],
  ['Only one battery?', false],
  ['Fifty percent.', false],
  ['Fifty percent of users.', true],
])('the short sentence "%s" states an outcome: %s', (said, expected) => {
  expect(statesOutcome(said)).toBe(expected);
});

test('the measure tells statements, questions and contradictions apart', () => {
  const outcome = readOutcomes().find(({ line }) => line.startsWith('12 D joystick'));
  if (outcome === undefined) throw new Error('expected the outcome that the joystick is dropped');
  const verdicts = ['No joystick.', 'No joystick?', 'We keep the joystick.'].map((text) => [
    states(windowsOf(text), outcome),
    contradiction(windowsOf(text), outcome) !== null,
  ]);
  expect(verdicts).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
});
