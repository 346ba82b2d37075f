import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { SummarizationNode, summarizeMessages } from '#langgraph/index.ts';
import { byLength, scriptedModel } from './scripted-model.ts';

const SIX = { tokenCounter: byLength, maxTokens: 6, maxSummaryTokens: 1, log: SILENT_LOG };
const model = scriptedModel('A summary.');

describe('a developer who passes the wrong thing', () => {
  test.each([
    ['memoryFlushHook', { memoryFlushHook: 'log' }, 'memoryFlushHook: expected a function'],
    ['tokenCounter', { tokenCounter: 4 }, 'tokenCounter: expected a function'],
    ['maxTokens', { maxTokens: 0 }, 'Expected a whole number of tokens from 1'],
    ['initialSummaryPrompt', { initialSummaryPrompt: 4 }, 'initialSummaryPrompt: expected a text'],
    ['finalPrompt', { finalPrompt: 4 }, 'finalPrompt: expected a text'],
  ])('is told of a wrong %s before any message is read', (_, wrong, message) => {
    expect(() => new SummarizationNode({ ...SIX, model, ...(wrong as object) })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  test.each([Number.NaN, -1, undefined, 'many'])(
    'is told that the counter returned %s',
    async (count) => {
      const tokenCounter = (): number => count as number;
      await expect(
        summarizeMessages([new HumanMessage('Hi.')], { ...SIX, model, tokenCounter }),
      ).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('tokenCounter') as string,
      });
    },
  );
});
