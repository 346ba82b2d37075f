/** What the reference does wrong or leaves open, with one test each. */
import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import {
  type SummarizationOptions,
  countTokensApproximately,
} from '#langgraph/summarization-options.ts';
import { summarizeMessages } from '#langgraph/summarize.ts';
import {
  ai,
  byLength,
  SIX,
  human,
  idsOf,
  nineMessages,
  scriptedModel,
  textsOf,
} from './scripted-model.ts';

function calls(id: string, ...callIds: readonly string[]): AIMessage {
  const tool_calls = callIds.map((each) => ({
    type: 'tool_call' as const,
    id: each,
    name: 'search',
    args: { q: each },
  }));
  return new AIMessage({ id, content: '', tool_calls });
}

function result(id: string, callId: string, content = 'found'): ToolMessage {
  return new ToolMessage({ id, tool_call_id: callId, content, name: 'search' });
}

function summarize(messages: BaseMessage[], options: Partial<SummarizationOptions> = {}) {
  const model = options.model ?? scriptedModel('A summary.');
  return summarizeMessages(messages, { ...SIX, ...options, model });
}

describe('tool calls and their results', () => {
  test('a cut between two parallel results summarizes both', async () => {
    const given = [
      human('1', 'Go'),
      calls('2', 'a', 'b'),
      result('3', 'a'),
      result('4', 'b'),
      ai('5', 'Done'),
      human('6', 'And?'),
    ];
    const { messages } = await summarize(given, { maxTokensBeforeSummary: 3 });
    expect(idsOf(messages).slice(1)).toEqual(['5', '6']);
  });

  test('a message between a call and its result is summarized and not lost', async () => {
    const given = [
      human('1', 'Go'),
      calls('2', 'a'),
      human('3', 'Quickly please'),
      result('4', 'a'),
      ai('5', 'Done'),
      human('6', 'And?'),
    ];
    const model = scriptedModel('A summary.');
    const { messages, runningSummary } = await summarize(given, {
      model,
      maxTokensBeforeSummary: 2,
    });
    expect(idsOf(messages).slice(1)).toEqual(['5', '6']);
    expect(runningSummary?.summarized_message_ids).toEqual(['1', '2', '3', '4']);
    expect(textsOf(model.asked[0] ?? [])).toContain('Quickly please');
  });

  test('unanswered calls stay, whatever follows them', async () => {
    const given = [...nineMessages().slice(0, 6), calls('7', 'a', 'b'), result('8', 'a')];
    const { messages } = await summarize(given, { maxTokensBeforeSummary: 2 });
    expect(idsOf(messages).slice(-2)).toEqual(['7', '8']);
  });

  test('a reused id belongs to the latest call', async () => {
    const given = [
      human('1', 'Go'),
      calls('2', 'call_0'),
      result('3', 'call_0'),
      human('4', 'Again'),
      calls('5', 'call_0'),
      result('6', 'call_0'),
      human('7', 'And?'),
    ];
    const { messages } = await summarize(given, { maxTokensBeforeSummary: 2 });
    expect(idsOf(messages).slice(1)).toEqual(['4', '5', '6', '7']);
  });

  test('the summarizing model gets calls and results as text, without tool messages', async () => {
    const model = scriptedModel('A summary.');
    const given = [
      human('1', 'Go'),
      calls('2', 'a'),
      result('3', 'a', 'Rain.'),
      ...nineMessages().slice(3),
    ];
    await summarize(given, { model });
    const asked = model.asked[0] ?? [];
    expect(asked.map(({ type }) => type)).not.toContain('tool');
    expect(textsOf(asked)).toContain('[calls search with {"q":"a"}]');
    expect(textsOf(asked)).toContain('[result of search] Rain.');
  });
});

describe('messages that always stay', () => {
  test('include the newest user message, even if tools have filled the window since', async () => {
    const given = [
      human('1', 'Find it'),
      ...[1, 2, 3, 4, 5].flatMap((turn) => [
        calls(`c${String(turn)}`, `k${String(turn)}`),
        result(`r${String(turn)}`, `k${String(turn)}`),
      ]),
    ];
    const { messages, runningSummary } = await summarize(given);
    expect(idsOf(messages)).toContain('1');
    expect(idsOf(messages).slice(-2)).toEqual(['c5', 'r5']);
    expect(byLength(messages)).toBeLessThanOrEqual(6);
    expect(runningSummary?.summarized_message_ids).not.toContain('1');

    // In the next turn it is an older message like any other, and still there to be summarized.
    const more = [
      ...given,
      ai('7', 'Found'),
      human('8', 'Thanks'),
      ai('9', 'Welcome'),
      human('10', 'Bye'),
    ];
    const model = scriptedModel('Another summary.');
    const next = await summarizeMessages(more, { ...SIX, model, runningSummary });
    const known = [...(next.runningSummary?.summarized_message_ids ?? []), ...idsOf(next.messages)];
    expect(known).toContain('1');
    expect(idsOf(next.messages)).toContain('10');
  });

  test('include system messages at any place', async () => {
    const policy = new SystemMessage({ id: 's', content: 'Never give the PIN.' });
    const given = nineMessages();
    given.splice(3, 0, policy);
    const model = scriptedModel('A summary.');
    const { messages } = await summarize(given, { model });
    expect(messages.map(({ type }) => type)).toEqual(['system', 'system', 'human', 'ai', 'human']);
    expect(messages[0]).toBe(policy);
    expect(textsOf(model.asked[0] ?? [])).not.toContain('Never give the PIN.');
  });

  test('include a system message with more than the summary', async () => {
    const running = {
      summary: 'Ann lives in Bern.',
      summarized_message_ids: ['1', '2'],
      last_summarized_message_id: '2',
    };
    const both = new SystemMessage({ id: 's', content: 'Be kind. Ann lives in Bern.' });
    const { messages } = await summarizeMessages([both, human('3', 'Hi')], {
      ...SIX,
      model: scriptedModel(),
      runningSummary: running,
    });
    expect(messages[0]).toBe(both);
  });
});

describe('the limit', () => {
  test('a list exactly at the limit is not summarized', async () => {
    const model = scriptedModel();
    const given = nineMessages().slice(0, 6);
    const { messages } = await summarize(given, { model });
    expect(messages).toEqual(given);
    expect(model.asked).toEqual([]);
  });

  test('a threshold above the limit does not let the list exceed the limit', async () => {
    const { messages } = await summarize(nineMessages(), { maxTokensBeforeSummary: 50 });
    expect(byLength(messages)).toBeLessThanOrEqual(6);
    expect(messages.at(-1)?.text).toBe('Latest message');
  });

  test.each([
    {
      part: 'system messages',
      given: [new SystemMessage('policy '.repeat(100)), human('1', 'Hello')],
    },
    { part: 'newest user message', given: [ai('1', 'Hi'), human('2', 'word '.repeat(100))] },
    {
      part: 'last messages',
      given: [human('1', 'Read it'), calls('2', 'a'), result('3', 'a', 'word '.repeat(100))],
    },
  ])(
    'TOK-01: a required part that does not fit is refused, and the error names the $part',
    async ({ part, given }) => {
      const model = scriptedModel();
      const options = {
        tokenCounter: countTokensApproximately,
        maxTokens: 80,
        maxSummaryTokens: 20,
      };
      await expect(summarize(given, { ...options, model })).rejects.toMatchObject({
        code: 'CONTEXT_LIMIT_TOO_SMALL',
        details: { part, limit: 80 },
      });
      expect(model.asked).toEqual([]);
    },
  );

  test('TOK-02: a summary that is too long is cut at a sentence within its limit', async () => {
    const model = scriptedModel('Ann moved to Bern in May. '.repeat(40));
    const options = { tokenCounter: countTokensApproximately, maxTokens: 60, maxSummaryTokens: 30 };
    const { messages, runningSummary } = await summarize(nineMessages(), { ...options, model });
    expect(runningSummary?.summary).toMatch(/^(?:Ann moved to Bern in May\. ?){2,}$/u);
    expect(runningSummary?.summary.endsWith('.')).toBe(true);
    expect(countTokensApproximately(messages)).toBeLessThanOrEqual(60);
  });

  test('limits that leave no room are refused, including the default', async () => {
    const options = { model: scriptedModel(), maxTokens: 256 };
    await expect(summarizeMessages([], options)).rejects.toThrow(
      'maxSummaryTokens (256) leaves nothing of maxTokens (256)',
    );
  });
});

describe('a summary that fails', () => {
  test.each([
    ['fails', new Error('socket hang up'), 'PROVIDER_ERROR'],
    ['is empty', '  \n', 'MODEL_OUTPUT_INVALID'],
  ])(
    'because the answer %s is ignored if the list fits, and refused otherwise',
    async (_, answer, code) => {
      const model = scriptedModel(answer);
      const flushed: unknown[] = [];
      const memoryFlushHook = (event: unknown): unknown => flushed.push(event);
      const given = nineMessages();
      const running = {
        summary: 'Before.',
        summarized_message_ids: ['1'],
        last_summarized_message_id: '1',
      };
      const kept = await summarizeMessages(given, {
        ...SIX,
        model,
        memoryFlushHook,
        maxTokens: 20,
        maxTokensBeforeSummary: 3,
        runningSummary: running,
      });
      await kept.settled();
      expect(kept.runningSummary).toEqual(running);
      expect(idsOf(kept.messages).slice(1)).toEqual(idsOf(given.slice(1)));
      await expect(summarize(given, { model, memoryFlushHook })).rejects.toMatchObject({ code });
      expect(flushed).toEqual([]);
    },
  );

  test('because the call was aborted does not return the old list', async () => {
    const stop = new AbortController();
    const model = {
      invoke: () => {
        stop.abort(new Error('stopped'));
        return Promise.reject(new Error('stopped'));
      },
    };
    const options = { ...SIX, model, maxTokens: 20, maxTokensBeforeSummary: 3 };
    const config = { signal: stop.signal };
    await expect(summarizeMessages(nineMessages(), { ...options, config })).rejects.toThrow(
      'stopped',
    );
  });

  test('only the text of a block answer becomes the summary', async () => {
    const content = [
      { type: 'reasoning', reasoning: 'hmm', signature: 'x'.repeat(500) },
      { type: 'text', text: 'Ann lives in Bern.' },
    ];
    const { runningSummary } = await summarize(nineMessages(), {
      model: scriptedModel({ content }),
    });
    expect(runningSummary?.summary).toBe('Ann lives in Bern.');
  });
});

describe('more than the model takes at once', () => {
  const counted = { tokenCounter: countTokensApproximately, maxTokens: 120, maxSummaryTokens: 30 };

  test('TOK-04: goes to the model in parts, each with the summary so far', async () => {
    const answers = ['First.', 'Second.', 'Third.', 'Fourth.', 'Fifth.'];
    const model = scriptedModel(...answers);
    const given = Array.from({ length: 30 }, (_, at) =>
      at % 2 === 0
        ? human(String(at), `Fact number ${String(at)} is worth keeping.`)
        : ai(String(at), `Noted fact ${String(at)}.`),
    );
    const { summarizedMessages, runningSummary } = await summarize(given, { ...counted, model });
    const told = textsOf(model.asked.flat()).join('\n');
    for (const { text } of summarizedMessages) expect(told).toContain(text);
    expect(model.asked.length).toBeGreaterThan(2);
    for (const [at, asked] of model.asked.entries()) {
      expect(countTokensApproximately(asked.slice(0, -1))).toBeLessThanOrEqual(120);
      if (at > 0) expect(asked.at(-1)?.text).toContain('Extend this summary');
    }
    expect(runningSummary?.summary).toBe(answers[model.asked.length - 1]);
  });

  test.each([
    ['prose', 'The ship left the harbor at noon. '.repeat(60)],
    ['one run of 40,000 characters', '中'.repeat(40_000)],
    ['emoji', '😀'.repeat(2_000)],
  ])('in a single message of %s is split without losing a character', async (_, text) => {
    const model = scriptedModel('A summary.');
    const limits = { ...counted, maxTokens: 400 };
    await summarize([human('1', text), ai('2', 'I see.'), human('3', 'And?')], {
      ...limits,
      model,
    });
    const told = model.asked
      .flatMap((asked) => asked.slice(0, -1))
      .map((message) => message.text.replace(/^\[part \d+ of \d+\] /u, ''));
    expect(told.every((piece) => piece.isWellFormed())).toBe(true);
    expect(told.join('')).toContain(text);
  });

  test('with oversize trim, one call gets the newest part and no tool message without its call', async () => {
    const model = scriptedModel('A summary.');
    const given = [
      human('1', 'word '.repeat(300)),
      calls('2', 'a'),
      result('3', 'a', 'word '.repeat(300)),
      ai('4', 'Done'),
      human('5', 'And?'),
    ];
    await summarize(given, { ...counted, model, oversize: 'trim' });
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]?.map(({ type }) => type)).not.toContain('tool');
  });
});

describe('the contents of messages', () => {
  test('TOK-03: messages without ids are counted, summarized once and then named', async () => {
    const nameless = nineMessages().map((message) =>
      message.type === 'human' ? new HumanMessage(message.text) : new AIMessage(message.text),
    );
    const model = scriptedModel('A summary.');
    const first = await summarize(nameless, { model });
    expect(first.messages).toHaveLength(4);
    expect(nameless.every(({ id }) => id === undefined)).toBe(true);
    const { runningSummary } = first;
    expect(new Set(runningSummary?.summarized_message_ids).size).toBe(6);

    // The whole list again, and what the first call left with the same words said again.
    for (const next of [nameless, first.messages]) {
      const again = await summarizeMessages([...next, new HumanMessage('Message 1')], {
        ...SIX,
        model,
        runningSummary,
      });
      expect(textsOf(again.messages).slice(1)).toEqual([
        'Message 4',
        'Response 4',
        'Latest message',
        'Message 1',
      ]);
    }
    expect(model.asked).toHaveLength(1);
  });

  test('images count, and the summarizing model gets them without their bytes', async () => {
    const model = scriptedModel('A summary.');
    const data = `data:image/png;base64,${'A'.repeat(10_000)}`;
    const picture = (id: string, url: string): HumanMessage =>
      new HumanMessage({
        id,
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url } },
        ],
      });
    const given = [
      picture('1', data),
      ai('2', 'A cat.'),
      picture('3', 'https://example.com/a.png'),
      ai('4', 'A dog.'),
      human('5', 'And?'),
    ];
    const options = {
      tokenCounter: countTokensApproximately,
      maxTokens: 120,
      maxSummaryTokens: 20,
    };
    const { summarizedMessages } = await summarize(given, { ...options, model });
    expect(idsOf(summarizedMessages)).toEqual(['1', '2', '3']);
    const told = textsOf(model.asked.flat()).join('\n');
    expect(told).toContain('Look\n[image]');
    expect(told).toContain('[image https://example.com/a.png]');
    expect(told).not.toContain('AAAA');
  });

  test('braces, dollar signs and special tokens stay unchanged', async () => {
    const odd = 'Costs $$5 or $& {summary} {existing_summary} <|endoftext|>';
    const model = scriptedModel(odd);
    const given = nineMessages();
    given[0] = human('1', odd);
    const first = await summarize(given, { model });
    expect(first.messages[0]?.text).toBe(`Summary of the conversation so far: ${odd}`);
    const more = [...given, ...['a', 'b', 'c', 'd', 'e'].map((id) => human(id, id))];
    const { runningSummary } = first;
    await summarizeMessages(more, { ...SIX, model, runningSummary });
    expect(model.asked[0]?.[0]?.text).toBe(odd);
    expect(model.asked[1]?.at(-1)?.text).toContain(`\n\n${odd}\n\n`);
  });
});

describe('the state of the running summary', () => {
  const given = nineMessages();

  test('survives JSON and may contain a set, as from Python', async () => {
    const model = scriptedModel('A summary.');
    const { runningSummary } = await summarize(given, { model });
    const ids = runningSummary?.summarized_message_ids ?? [];
    const states: readonly unknown[] = [
      JSON.parse(JSON.stringify(runningSummary)),
      { ...runningSummary, summarized_message_ids: new Set(ids) },
      // What JSON leaves of a set: the last id still tells where the summary ends.
      { ...runningSummary, summarized_message_ids: {} },
    ];
    for (const state of states) {
      const runningState = state as typeof runningSummary;
      const again = await summarizeMessages(given, { ...SIX, model, runningSummary: runningState });
      expect(idsOf(again.messages).slice(1)).toEqual(['7', '8', '9']);
    }
    expect(model.asked).toHaveLength(1);
  });

  test('works if the last summarized message is gone', async () => {
    const model = scriptedModel('A summary.');
    const running = {
      summary: 'Before.',
      summarized_message_ids: ['0', '1', '2', '2b'],
      last_summarized_message_id: '2b',
    };
    const { messages } = await summarizeMessages(given.slice(0, 5), {
      ...SIX,
      model,
      runningSummary: running,
    });
    expect(idsOf(messages).slice(1)).toEqual(['3', '4', '5']);
  });

  test('ignores markers of removed messages', async () => {
    const model = scriptedModel('A summary.');
    const first = await summarize(given, { model });
    const marked = [new RemoveMessage({ id: '__remove_all__' }), ...first.messages];
    const { runningSummary } = first;
    const again = await summarizeMessages(marked, { ...SIX, model, runningSummary });
    expect(textsOf(again.messages)).toEqual(textsOf(first.messages));
  });

  test('is found in the list if the graph did not store it', async () => {
    const model = scriptedModel('Ann lives in Bern.');
    const { messages } = await summarize(given, { model });
    const again = await summarize(messages, { model });
    expect(again.runningSummary?.summary).toBe('Ann lives in Bern.');
    expect(textsOf(again.messages)).toEqual(textsOf(messages));
  });

  test('is refused if it has another shape', async () => {
    const runningSummary = { text: 'x' } as never;
    await expect(
      summarizeMessages(given, { ...SIX, model: scriptedModel(), runningSummary }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('names the counter that measured the summary message', async () => {
    const { messages } = await summarize(given);
    expect(messages[0]?.additional_kwargs['varve_tokens']).toEqual({
      counter: 'byLength',
      tokens: 1,
    });
  });
});
