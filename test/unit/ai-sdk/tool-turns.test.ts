import { describe, expect, test } from 'vitest';
import { toolTurns } from '#ai-sdk/middleware.ts';

const RESULT = { type: 'tool-result', toolCallId: 'c1', toolName: 'clock' } as const;
type Output = Extract<
  Extract<Parameters<typeof toolTurns>[0][number], { role: 'tool' }>['content'][number],
  { output: unknown }
>['output'];

const call = (input: unknown) =>
  ({ type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input }) as const;

describe('turns of tools', () => {
  test.each<[string, Output, string]>([
    ['text', { type: 'text', value: 'Noon.' }, 'Noon.'],
    ['JSON', { type: 'json', value: { at: 12 } }, '{"at":12}'],
    ['a failure', { type: 'error-text', value: 'No clock.' }, 'No clock.'],
    ['a refusal', { type: 'execution-denied', reason: 'not now' }, 'denied: not now'],
    ['content', { type: 'content', value: [{ type: 'text', text: 'Noon.' }] }, 'Noon.'],
    ['too much', { type: 'text', value: 'x'.repeat(40_000) }, `${'x'.repeat(31_999)}…`],
  ])('keep %s that a tool answered as words', (_, output, content) => {
    const turns = toolTurns([{ role: 'tool', content: [{ ...RESULT, output }] }], new Set());
    expect(turns).toEqual([{ role: 'tool', speaker: 'clock', toolCallId: 'c1', content }]);
  });

  test.each([
    ['fields', { zone: 'CET' }, { zone: 'CET' }],
    ['a list', ['CET'], { value: ['CET'] }],
    ['nothing', undefined, { value: null }],
    ['too much', { zone: 'x'.repeat(5_000) }, { cut: `{"zone":"${'x'.repeat(3_990)}…` }],
  ])('keep %s that a tool was given as fields', (_, input, given) => {
    const turns = toolTurns([{ role: 'assistant', content: [call(input)] }], new Set());
    expect(turns[0]?.toolCalls).toEqual([{ id: 'c1', name: 'clock', arguments: given }]);
  });

  test('leave out a tool that is named', () => {
    const content = [call({}), { type: 'text', text: 'I look.' } as const];
    const turns = toolTurns([{ role: 'assistant', content }], new Set(['clock']));
    expect(turns).toEqual([{ role: 'assistant', content: 'I look.', toolCalls: [] }]);
  });
});
