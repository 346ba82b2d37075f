/** Random valid chats over several rounds, and what must hold for all of them. */
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunningSummary } from '#core/running-summary/running-summary.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { summarizeMessages, type SummarizeMessagesResult } from '#langgraph/summarize.ts';
import { countTokensApproximately } from '#langgraph/summarization-options.ts';
import { scriptedModel, type ScriptedModel } from '../unit/langgraph/scripted-model.ts';

type Step =
  | { readonly kind: 'user' | 'assistant' | 'system' | 'image'; readonly words: number }
  | { readonly kind: 'tools'; readonly results: readonly number[]; readonly between: boolean };

const words = fc.oneof(fc.nat(12), fc.nat(12), fc.integer({ min: 40, max: 160 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), words }),
  fc.record({ kind: fc.constant('assistant' as const), words }),
  fc.record({ kind: fc.constant('system' as const), words: fc.nat(3) }),
  fc.record({ kind: fc.constant('image' as const), words: fc.nat(5) }),
  fc.record({
    kind: fc.constant('tools' as const),
    results: fc.array(words, { minLength: 1, maxLength: 3 }),
    between: fc.boolean(),
  }),
);
const chat = fc.record({
  rounds: fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  /** Some models call with the same ids again. */
  sameCallIds: fc.boolean(),
  named: fc.boolean(),
  rewrites: fc.boolean(),
  maxTokens: fc.integer({ min: 60, max: 400 }),
  share: fc.constantFrom(0.1, 0.3, 0.6),
  before: fc.option(fc.integer({ min: 10, max: 500 }), { nil: undefined }),
  summaryWords: fc.integer({ min: 1, max: 200 }),
});

/** Writes the messages of steps, each with a text of its own. */
function writer({ named, sameCallIds }: { named: boolean; sameCallIds: boolean }) {
  let made = 0;
  const text = (count: number): string => {
    made += 1;
    const own = `m${String(made)}`;
    return Array.from({ length: count + 1 }, (_, at) => `${own}-${String(at)}`).join(' ');
  };
  const id = (): { id?: string } => (named ? { id: `id-${String(made)}` } : {});
  const toolsOf = (results: readonly number[], isBetween: boolean): BaseMessage[] => {
    const head = text(2);
    const callId = (at: number): string =>
      sameCallIds ? `call-${String(at)}` : `${head}-${String(at)}`;
    const tool_calls = results.map((_, at) => ({
      type: 'tool_call' as const,
      id: callId(at),
      name: 'search',
      args: { at },
    }));
    const calls = new AIMessage({ content: head, tool_calls, ...id() });
    const answers = results.map((count, at) => {
      const content = text(count);
      return new ToolMessage({ content, tool_call_id: callId(at), ...id() });
    });
    const between = text(1);
    const human = isBetween ? [new HumanMessage({ content: between, ...id() })] : [];
    return [calls, ...answers.slice(0, 1), ...human, ...answers.slice(1)];
  };
  const image = { type: 'image_url', image_url: { url: 'https://example.com/x.png' } };
  return (steps: readonly Step[]): BaseMessage[] =>
    steps.flatMap((each): BaseMessage[] => {
      if (each.kind === 'tools') return toolsOf(each.results, each.between);
      const content = text(each.words);
      if (each.kind === 'user') return [new HumanMessage({ content, ...id() })];
      if (each.kind === 'assistant') return [new AIMessage({ content, ...id() })];
      if (each.kind === 'system') return [new SystemMessage({ content, ...id() })];
      return [new HumanMessage({ content: [{ type: 'text', text: content }, image], ...id() })];
    });
}

/** Texts that the model was given, without prompts and the heads of pieces. */
function told(model: ScriptedModel): string {
  return model.asked
    .flatMap((messages) => messages.slice(0, -1))
    .map((message) => message.text.replace(/^\[part \d+ of \d+\] /u, ''))
    .join('');
}

const tokensOf = countTokensApproximately;
/** A system message of one word, by the rule of thumb. */
const SMALLEST_SUMMARY = 6;

/** System messages, the newest user message, and the last message with what belongs to it. */
function mustStay(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const isSystem = (message: BaseMessage): boolean => message.type === 'system';
  const system = messages.filter(
    (message) => isSystem(message) && message.additional_kwargs['lc_source'] === undefined,
  );
  const spoken = messages.filter((message) => !isSystem(message));
  const calls = spoken.findLastIndex(
    (message) => AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0,
  );
  const lastResult = spoken.findLastIndex(({ type }) => type === 'tool');
  const last = lastResult === spoken.length - 1 && calls >= 0 ? calls : spoken.length - 1;
  const newest = spoken.findLastIndex(({ type }) => type === 'human');
  return [...system, ...spoken.filter((_, at) => at >= last || at === newest)];
}

/** Every result follows its call, and every call that had results has them still. */
function expectPaired(given: readonly BaseMessage[], left: readonly BaseMessage[]): void {
  const resultsOf = (messages: readonly BaseMessage[]): Map<string, number> => {
    const found = new Map<string, number>();
    let caller = '';
    const callers = new Map<string, string>();
    for (const message of messages) {
      if (AIMessage.isInstance(message) && (message.tool_calls?.length ?? 0) > 0) {
        caller = message.text;
        found.set(caller, 0);
        for (const call of message.tool_calls ?? []) callers.set(call.id ?? '', caller);
      }
      if (!ToolMessage.isInstance(message)) continue;
      const owner = callers.get(message.tool_call_id);
      expect(owner, 'a result without its call').toBeDefined();
      found.set(owner ?? '', (found.get(owner ?? '') ?? 0) + 1);
    }
    return found;
  };
  const before = resultsOf(given);
  for (const [caller, results] of resultsOf(left)) expect(results).toBe(before.get(caller));
}

describe('random chats', () => {
  test('TOK-01, TOK-02: the remaining list fits, keeps pairs whole, and loses nothing', async () => {
    let summarized = 0;
    await fc.assert(
      fc.asyncProperty(chat, async (drawn) => {
        const write = writer(drawn);
        const whole: BaseMessage[] = [];
        let list: BaseMessage[] = [];
        let runningSummary: RunningSummary | null = null;
        const limits = {
          maxTokens: drawn.maxTokens,
          maxSummaryTokens: Math.floor(drawn.maxTokens * drawn.share),
          ...(drawn.before === undefined ? {} : { maxTokensBeforeSummary: drawn.before }),
        };
        for (const steps of drawn.rounds) {
          const more = write(steps);
          whole.push(...more);
          list = list.concat(more);
          const given = drawn.rewrites ? list : whole;
          const model = scriptedModel('Words. '.repeat(drawn.summaryWords));
          const flushed: BaseMessage[] = [];
          let result: SummarizeMessagesResult;
          try {
            result = await summarizeMessages(given, {
              model,
              ...limits,
              runningSummary,
              log: SILENT_LOG,
              memoryFlushHook: ({ messages }) => flushed.push(...messages),
            });
          } catch (error) {
            expect(error).toBeInstanceOf(VarveError);
            expect(error).toMatchObject({ code: 'CONTEXT_LIMIT_TOO_SMALL' });
            // It is true: what must stay leaves no room for a summary of one word.
            const required = tokensOf(mustStay(given));
            expect(required).toBeGreaterThan(limits.maxTokens - SMALLEST_SUMMARY);
            return;
          }
          await result.settled();
          summarized += result.summarizedMessages.length;
          const { messages } = result;

          const isNewUser = (message: BaseMessage): boolean => message.type === 'human';
          const newest = given.findLast(isNewUser);
          if (given.some(({ type }) => type !== 'system')) {
            expect(tokensOf(messages)).toBeLessThanOrEqual(limits.maxTokens);
          }
          if (newest !== undefined) {
            expect(messages.map(({ text }) => text)).toContain(newest.text);
            expect(result.summarizedMessages.map(({ text }) => text)).not.toContain(newest.text);
          }
          expectPaired(given, messages);

          // In the order they were said, system messages all of them.
          const left = messages.filter((each) => each.additional_kwargs['lc_source'] === undefined);
          const leftTexts = left.map(({ text }) => text);
          const wholeTexts = whole.map(({ text }) => text);
          expect(leftTexts).toEqual(wholeTexts.filter((text) => leftTexts.includes(text)));
          const systemTexts = whole.filter(({ type }) => type === 'system').map(({ text }) => text);
          expect(leftTexts.filter((text) => systemTexts.includes(text))).toEqual(systemTexts);

          // Whatever left was told to the model and handed to the hook, once.
          const all = told(model);
          for (const message of result.summarizedMessages) expect(all).toContain(message.text);
          expect(flushed).toEqual([...result.summarizedMessages]);
          const ids = result.runningSummary?.summarized_message_ids ?? [];
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.length + left.filter(({ type }) => type !== 'system').length).toBe(
            whole.filter(({ type }) => type !== 'system').length,
          );

          // The same again asks no model and gives the same list.
          const silent = scriptedModel('Never asked.');
          runningSummary = structuredClone(result.runningSummary);
          const again = await summarizeMessages(drawn.rewrites ? messages : given, {
            model: silent,
            ...limits,
            // A low threshold goes on where more may go; the limit itself does not.
            maxTokensBeforeSummary: limits.maxTokens,
            runningSummary,
            log: SILENT_LOG,
          });
          expect(silent.asked).toEqual([]);
          expect(again.messages.map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
          list = messages;
        }
      }),
      { numRuns: 400 },
    );
    expect(summarized).toBeGreaterThan(500);
  });
});
