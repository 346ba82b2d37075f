import { describe, expect, test } from 'vitest';
import { toolTurns } from '#ai-sdk/middleware.ts';

const RESULT = { type: 'tool-result', toolCallId: 'c1', toolName: 'clock' } as const;
type Output = Extract<
  Extract<Parameters<typeof toolTurns>[0][number], { role: 'tool' }>['content'][number],
  { output: unknown }
>['output'];

const call = (input: unknown) =>
  ({ type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input }) as const;

describe('toolTurns', () => {
  test.each<[string, Output, string]>([
    ['text', { type: 'text', value: 'Noon.' }, 'Noon.'],
    ['JSON', { type: 'json', value: { at: 12 } }, '{"at":12}'],
    ['a failure', { type: 'error-text', value: 'No clock.' }, 'No clock.'],
    ['a refusal', { type: 'execution-denied', reason: 'not now' }, 'denied: not now'],
    ['content', { type: 'content', value: [{ type: 'text', text: 'Noon.' }] }, 'Noon.'],
    ['too long a text', { type: 'text', value: 'x'.repeat(40_000) }, `${'x'.repeat(31_999)}…`],
  ])('stores %s from a tool as text', (_, output, content) => {
    const turns = toolTurns([{ role: 'tool', content: [{ ...RESULT, output }] }], new Set());
    expect(turns).toEqual([{ role: 'tool', speaker: 'clock', toolCallId: 'c1', content }]);
  });

  test.each([
    ['fields', { zone: 'CET' }, { zone: 'CET' }],
    ['a list', ['CET'], { value: ['CET'] }],
    ['no input', undefined, { value: null }],
    ['too long an input', { zone: 'x'.repeat(5_000) }, { cut: `{"zone":"${'x'.repeat(3_990)}…` }],
  ])('stores %s given to a tool as fields', (_, input, given) => {
    const turns = toolTurns([{ role: 'assistant', content: [call(input)] }], new Set());
    expect(turns[0]?.toolCalls).toEqual([{ id: 'c1', name: 'clock', arguments: given }]);
  });

  test('leaves out an omitted tool', () => {
    const content = [call({}), { type: 'text', text: 'I look.' } as const];
    const turns = toolTurns([{ role: 'assistant', content }], new Set(['clock']));
    expect(turns).toEqual([{ role: 'assistant', content: 'I look.', toolCalls: [] }]);
  });
});
