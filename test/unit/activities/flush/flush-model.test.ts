/** Flushes that ask a model, in a process without workflows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

type Answer = (batch: ModelBatch) => string;

const DANA = { userId: 'dana' } as const;
const LASTING = 'I live in Lyon.';
const TALK = 'Well, the new place in Berlin is finally ours, so goodbye Lyon.';
const PRICE = { inputMicroDollarsPerMillion: 1_000, outputMicroDollarsPerMillion: 1_000 };

const stub: { answer: Answer; calls: ModelBatch[] } = { answer: () => '', calls: [] };
const held = new AsyncDisposableStack();
let parts: Parts;
let varve: Library;
let asked = 0;

beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const model = (extractive: SummaryModel): SummaryModel => ({
    ...extractive,
    name: 'stub',
    price: PRICE,
    answer: (batch) => {
      stub.calls.push(batch);
      const text = stub.answer(batch);
      return Promise.resolve({ text, usage: { inputTokens: 50, outputTokens: 10 } });
    },
  });
  parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG, model }));
  varve = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
});
afterAll(() => held.disposeAsync());

/** A session of a tenant that has a model read it; answers how its flush ended. */
async function flushed(
  tenant: string,
  answer: Answer,
  differing: Partial<TenantPolicy> = {},
): Promise<Awaited<ReturnType<Library['conversation']['flush']>>> {
  stub.answer = answer;
  stub.calls = [];
  const extraction = { modelClass: 'economy' } as const;
  const policy = { ...defaultPolicy(tenant), extraction, ...differing };
  await parts.store.policies.put(ownerOf('test'), policy, { hash: tenant, now: NOW });
  await varve.memory.addMessages({
    tenant,
    identifiers: DANA,
    messages: [{ id: 'm0', role: 'user', content: LASTING }],
    extractBy: 'Rules',
  });
  const session = { tenant, sessionId: 's1' };
  const turns = [
    { id: 't1', role: 'user' as const, content: TALK },
    { id: 't2', role: 'user' as const, content: "I'm allergic to peanuts." },
  ];
  await varve.conversation.append({ ...session, identifiers: DANA, turns });
  return varve.conversation.flush(session);
}

function answerOf(facts: readonly object[]): string {
  return JSON.stringify({ items: [{ item: 'i1', facts }] });
}

/** The states of known memories after a model said that one statement of a user ends them all. */
async function statesAfter(known: readonly string[], said: string): Promise<readonly string[]> {
  asked += 1;
  const tenant = `ends-${String(asked)}`;
  const extraction = { modelClass: 'economy' } as const;
  const policy = { ...defaultPolicy(tenant), extraction };
  await parts.store.policies.put(ownerOf('test'), policy, { hash: tenant, now: NOW });
  const scope = { tenant, identifiers: DANA } as const;
  for (const content of known) await varve.memory.add({ ...scope, layer: 'user', content });
  stub.answer = ({ items: [item] }) => {
    const replaces = item?.sources.filter(({ text }) => known.includes(text)).map(({ id }) => id);
    return answerOf([{ text: said, sources: ['t1'], quote: said, kind: 'Self', replaces }]);
  };
  const turns = [{ id: 't1', role: 'user' as const, content: said }];
  await varve.conversation.append({ ...scope, sessionId: 's1', turns });
  const { results } = await varve.conversation.flush({ tenant, sessionId: 's1' });
  expect(results).toHaveLength(1);
  const listed = await varve.memory.list({ ...scope, latestOnly: false });
  const states = new Map(listed.memories.map(({ content, state }) => [content, state]));
  return known.map((content) => states.get(content) ?? 'missing');
}

describe('a memory that a model calls ended', () => {
  test.each([
    ['Dana is allergic to peanuts.', 'I bought a blue bike yesterday.'],
    ['Dana lives in Lyon.', 'The weather has changed since Monday.'],
    ['My sister Lena lives in Lyon.', 'I moved to Nantes.'],
    ['Dana is allergic to peanuts and lives in Lyon.', 'I moved to Nantes.'],
    ['Dana works at Netflix.', 'I moved to Nantes.'],
    ['Dana pays 900 euros of rent.', 'I now pay 80 euros for parking.'],
    ['Dana ist allergisch gegen Nüsse.', 'Ich habe gestern ein blaues Fahrrad gekauft.'],
    ['Meine Schwester Lena wohnt in Köln.', 'Ich bin nach Bonn gezogen.'],
    ['Dana ist allergisch gegen Nüsse und wohnt in Köln.', 'Ich bin nach Bonn gezogen.'],
    ['Soy alérgica a los cacahuetes.', 'Ayer compré una bicicleta azul.'],
    ['Mi hermana Lena vive en Madrid.', 'Me mudé a Sevilla.'],
    ['Dana es alérgica al polen y vive en Madrid.', 'Me mudé a Sevilla.'],
    ['我对花生过敏。', '我昨天买了一辆蓝色自行车。'],
    ['我妹妹住在杭州。', '我搬到上海了。'],
    ['我住在杭州，对花生过敏。', '我搬到上海了。'],
  ])('holds if the statement is about something else or a part: %j, %j', async (known, said) => {
    expect(await statesAfter([known], said)).toEqual(['active']);
  });

  test.each([
    ['Billing uses Stripe.', 'We switched billing from Stripe to Adyen.'],
    ['My boss is Tom.', 'Tom left, Priya is in charge now.'],
    ['Dana prefers dark mode.', 'I prefer light mode now.'],
    ['Ich wohne in Köln.', 'Ich bin nach Bonn gezogen.'],
    ['Vivo en Madrid.', 'Me mudé a Sevilla.'],
    ['我住在杭州。', '我搬到上海了。'],
  ])(
    'is superseded if a rule finds that it likely or certainly ended: %j, %j',
    async (known, said) => {
      const other = 'Dana is allergic to peanuts.';
      expect(await statesAfter([known, other], said)).toEqual(['superseded', 'active']);
    },
  );
});

describe('what a model finds in the words of others', () => {
  const said = 'I moved to Oslo.';
  test.each<[string, readonly { role: 'user' | 'assistant'; content: string }[], string]>([
    [
      'of a pasted mail',
      [{ role: 'user', content: `Here is the mail of my boss:\n${said}` }],
      `- user: “${said}”\n`,
    ],
    [
      'to translate',
      [{ role: 'user', content: `Translate to German: "${said}"` }],
      `- user: “${said}”\n`,
    ],
    [
      'of the assistant',
      [
        { role: 'assistant', content: `Tom tells me: ${said}` },
        { role: 'user', content: 'Well, that is news to me.' },
      ],
      `- assistant: ${said}\n`,
    ],
  ])('stands as theirs in the daily file and is not remembered: %s', async (_, turns, line) => {
    asked += 1;
    const tenant = `others-${String(asked)}`;
    const extraction = { modelClass: 'economy' } as const;
    const policy = { ...defaultPolicy(tenant), extraction };
    await parts.store.policies.put(ownerOf('test'), policy, { hash: tenant, now: NOW });
    const scope = { tenant, identifiers: DANA } as const;
    await varve.memory.add({ ...scope, layer: 'user', content: 'Dana lives in Lyon.' });
    stub.answer = ({ items: [item] }) => {
      const labels = item?.sources.map(({ id }) => id) ?? [];
      const sources = labels.filter((id) => id === 't0');
      const replaces = labels.filter((id) => id.startsWith('known:'));
      return answerOf([{ text: said, sources, quote: said, kind: 'Self', replaces }]);
    };
    const named = turns.map((turn, at) => ({ ...turn, id: `t${String(at)}` }));
    await varve.conversation.append({ ...scope, sessionId: 's1', turns: named });
    const { results, daily } = await varve.conversation.flush({ tenant, sessionId: 's1' });
    expect(daily).toContain(line);
    expect(results).toEqual([]);
    const { memories } = await varve.memory.list({ ...scope, latestOnly: false });
    expect(memories.map(({ content, state }) => [content, state])).toEqual([
      ['Dana lives in Lyon.', 'active'],
    ]);
  });
});

describe('a flush of a session with a model', () => {
  test('stores the grounded facts of the model, beside a memory that no rule finds ended', async () => {
    const moved = 'The new place in Berlin is finally ours.';
    const { results, daily } = await flushed('reads', ({ items: [item] }) => {
      const known = item?.sources.find(({ text }) => text === LASTING)?.id ?? 'none';
      return answerOf([
        { text: moved, sources: ['t1'], quote: moved, kind: 'Self', replaces: [known] },
        { text: 'Dana hates Berlin.', sources: ['t1'], quote: null, kind: 'Preference' },
      ]);
    });
    expect(stub.calls.map(({ items }) => items.map(({ task }) => task))).toEqual([['Remember']]);
    expect(results).toMatchObject([{ event: 'ADD', text: moved, layer: 'user' }]);
    expect(daily).toContain(`- ${moved}\n`);
    expect(daily).not.toContain('hates');
    const all = { tenant: 'reads', identifiers: DANA, latestOnly: false, order: 'oldest' } as const;
    const { memories } = await varve.memory.list(all);
    expect(memories.map(({ content, state }) => [content, state])).toEqual([
      [LASTING, 'active'],
      [moved, 'active'],
    ]);
    expect(await varve.conversation.flush({ tenant: 'reads', sessionId: 's1' })).toMatchObject({
      turns: 0,
    });
    expect(stub.calls).toHaveLength(1);
  });

  test.each([
    ['confirms', true],
    ['rejects', false],
  ])('stores a doubtful fact only when confirmed: a verifier %s it', async (_, isConfirmed) => {
    const reworded = 'The new flat in Berlin is finally ours.';
    const answer: Answer = ({ items }) => {
      const [item] = items;
      if (item?.task !== 'Verify')
        return answerOf([{ text: reworded, sources: ['t1'], quote: TALK, kind: 'Self' }]);
      const kept = isConfirmed ? item.sources.slice(-1).map(({ id }) => id) : [];
      return JSON.stringify({ items: [{ item: item.item, kept }] });
    };
    const tenant = `verified-${String(isConfirmed)}`;
    const { results, daily } = await flushed(tenant, answer, { grounding: { verify: 'economy' } });
    expect(stub.calls.map(({ items }) => items[0]?.task)).toEqual(['Remember', 'Verify']);
    expect(daily?.includes(reworded)).toBe(isConfirmed);
    expect(results?.some(({ text }) => text === reworded)).toBe(isConfirmed);
    const entries = await parts.store.accounts.entries(tenant, { limit: 9 });
    expect(entries.map(({ purpose }) => purpose).toSorted()).toEqual([
      'extraction',
      'verification',
    ]);
  });

  test.each<[string, Answer, Partial<TenantPolicy>, number]>([
    [
      'is unavailable',
      () => {
        throw new VarveError('PROVIDER_ERROR', 'Not now.');
      },
      {},
      1,
    ],
    ['answers with something else', () => 'Sure! Here is what I found.', {}, 1],
    [
      'invents all that it says',
      () => answerOf([{ text: 'Dana hates Berlin.', sources: ['t1'], kind: 'Preference' }]),
      {},
      1,
    ],
    [
      'would cost more than the budget has',
      () => answerOf([]),
      { budget: { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Reject' } },
      0,
    ],
  ])('falls back to rules if the model %s', async (why, answer, differing, calls) => {
    const tenant = `rules-${String(calls)}-${why.replaceAll(/[^a-z]/gu, '')}`.slice(0, 60);
    const { results, daily } = await flushed(tenant, answer, differing);
    expect(results).toMatchObject([
      { event: 'ADD', text: 'the new place in Berlin is finally ours, so goodbye Lyon.' },
      { event: 'ADD', text: "I'm allergic to peanuts." },
    ]);
    expect(daily).toContain('peanuts');
    expect(stub.calls).toHaveLength(calls);
  });
});
