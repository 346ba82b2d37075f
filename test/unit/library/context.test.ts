import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Layer } from '#core/layer.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const tenant = newTenant();
const identifiers = { userId: 'ann', projectId: 'shop', sessionId: 'call' };
const query = 'When does the garden shop launch?';

beforeAll(async () => {
  const { varve } = library();
  const add = (layer: Layer, content: string) =>
    varve.memory.add({ tenant, layer, identifiers, content });
  await add('user', 'Ann wants short answers about the garden shop.');
  await add('project', 'The garden shop launches on June 1, 2026.');
  await add('company', 'Every launch needs a signed contract.');
  const bob = { tenant, layer: 'user', identifiers: { userId: 'bob' } } as const;
  await varve.memory.add({ ...bob, content: 'Bob knows when the garden shop launches.' });
  await varve.conversation.append({
    ...{ tenant, sessionId: 'call' },
    turns: Array.from({ length: 12 }, (_, n) => ({
      ...{ role: 'user' as const, speaker: 'Ann', id: `turn-${String(n)}` },
      content: `Number ${String(n)}: the shop launches with ${String(n + 2)} sorts of tulips.`,
    })),
  });
  await varve.refresh({ tenant });
});

describe('context.assemble', () => {
  test('ENG-03: has policy, session summary, eight turns, related entries and query', async () => {
    const { text, receipt } = await library().varve.context.assemble({
      tenant,
      identifiers,
      query,
    });
    expect(text.split('\n').filter((line) => line.startsWith('## '))).toEqual([
      ...['## Instructions', '## Summaries', '## Session so far', '## Latest turns'],
      ...['## Related', '## Question'],
    ]);
    // Only the session summary has what came before the latest turns.
    for (let n = 0; n < 12; n += 1) expect(text.split(`Number ${String(n)}:`)).toHaveLength(2);
    const turns = receipt.filter(({ kind }) => kind === 'hotTurn').map(({ id }) => id);
    expect(turns).toEqual([4, 5, 6, 7, 8, 9, 10, 11].map((n) => `turn-${String(n)}`));
    expect(text).toContain('The garden shop launches on June 1, 2026.');
    expect(text).not.toContain('Bob');
    expect(text.endsWith(query)).toBe(true);
  });

  test('a small scope is given whole: what is far from the question takes the room left', async () => {
    const { varve } = library();
    const about = { tenant: newTenant(), identifiers: { userId: 'mia' } };
    const facts = [
      'Mia collects enamel pins from railway stations.',
      'The pager changes hands on Wednesdays.',
      'Her printer needs magenta ink.',
      'Mia is reading a novel about glaciers.',
    ];
    for (const content of facts) await varve.memory.add({ ...about, layer: 'user', content });
    const asked = { ...about, query: 'Which pins does Mia collect from stations?' };
    const whole = await varve.context.assemble(asked);
    for (const fact of facts) expect(whole.text).toContain(fact);
    const reasons = (lines: typeof whole.receipt) =>
      lines.filter(({ kind }) => kind === 'relatedEntity').map(({ reason }) => reason);
    expect(reasons(whole.receipt)).toEqual(['Relevant', 'RoomLeft', 'RoomLeft', 'RoomLeft']);
    const small = await varve.context.assemble({ ...asked, maxTokens: 60 });
    expect(small.text).toContain('enamel pins');
    expect(reasons(small.receipt)).toContain('OverLimit');
  });

  test('a memory that a newer one replaces is marked and comes after it', async () => {
    const { varve } = library();
    const about = { tenant: newTenant(), identifiers: { projectId: 'fair' } };
    const add = async (content: string) => {
      const { memory } = await varve.memory.add({ ...about, layer: 'project', content });
      // The next one is newer.
      while (Date.now() <= memory.validFrom) await setImmediate();
    };
    await add('The fair is planned for May 3 in Ghent.');
    await add('The fair in Ghent moves from May 3 to May 24.');
    const { text } = await varve.context.assemble({
      ...about,
      query: 'When is the fair in Ghent?',
    });
    expect(text.split('## Related\n')[1]).toMatch(
      /^- project: The fair in Ghent moves .*\n- project: The fair is planned .* \(earlier\)\n/u,
    );
  });

  test('a memory is marked by a newer one that is too far from the question to be found', async () => {
    const { varve } = library();
    const layer = 'project';
    const about = { tenant: newTenant(), identifiers: { projectId: 'fair' } };
    const add = (content: string, at: string) => varve.memory.add({ ...about, layer, content, at });
    // Of the 25 memories that are found, the three best say nothing of the gate.
    for (let n = 0; n < 24; n += 1)
      await add(
        `Stand ${String(n)} of the garden fair in Ghent sells bulbs.`,
        '2026-09-01T09:00:00Z',
      );
    await add('The north gate at the garden closes at 18:00.', '2026-09-02T09:00:00Z');
    await add('The north gate closes at 20:00 from now on.', '2026-09-03T09:00:00Z');
    const query = 'Which stand of the garden fair in Ghent sells bulbs?';
    const { text } = await varve.context.assemble({ ...about, query });
    expect(text).toContain('The north gate closes at 20:00 from now on.');
    expect(text).toMatch(/north gate at the garden closes at 18:00\..* \(earlier\)\n/u);
  });

  test('the older value of two layers is marked until the newer one is deleted', async () => {
    const { varve } = library();
    const of = { tenant: newTenant(), identifiers: { projectId: 'shop' } };
    const november = 'The launch is on November 17.';
    const older = { ...of, layer: 'team', content: november, at: '2026-10-01T00:00:00Z' } as const;
    await varve.memory.add(older);
    await varve.memory.add({ ...older, content: 'Ben feeds the office cat on Fridays.' });
    const content = 'The launch is on December 1.';
    const newer = { ...of, layer: 'project', content, at: '2026-10-02T00:00:00Z' } as const;
    const { memory } = await varve.memory.add(newer);
    await varve.refresh({ tenant: of.tenant });
    const shown = async (asked: string) =>
      (await varve.context.assemble({ ...of, query: asked })).text.split('\n');
    const asked = 'When is the launch?';
    const marked = `- team: ${november} (2026-10-01) (earlier)`;
    expect(await shown(asked)).toEqual(
      expect.arrayContaining([`- project: ${content} (2026-10-02)`, marked]),
    );
    const ofSummaries = [`- project: ${content}`, `- team: ${november} (earlier)`];
    expect(await shown('Who feeds the office cat?')).toEqual(expect.arrayContaining(ofSummaries));
    await varve.memory.delete({ tenant: of.tenant, id: memory.id });
    expect(await shown(asked)).toContain(`- team: ${november} (2026-10-01)`);
    const since = { ...older, content: 'The launch is on December 8.', at: '2026-10-03T00:00:00Z' };
    await varve.memory.add({ ...newer, content: november });
    await varve.memory.add(since);
    expect((await shown(asked)).join('\n')).toContain(
      `- project (may be outdated): ${november} (newer: team)`,
    );
  });

  test.each([
    ['says nothing about the question', 'How tall is the Eiffel Tower?', 'RoomLeft', null],
    ['answers the question', 'Where does Ann take cello lessons?', 'Relevant', 1],
    ['was said at the time in question', 'What happened on May 4, 2026?', 'Relevant', 1],
  ])(
    'an earlier turn that %s is included with that reason',
    async (_, asked, reason, relevance) => {
      const { varve } = library();
      const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
      const content = 'Ann takes cello lessons in Porto on Mondays.';
      const at = Date.parse('2026-05-04T10:00:00Z');
      const turns = [{ id: 'cello', role: 'user' as const, content, at }];
      await varve.conversation.append({ ...of, sessionId: 'monday', turns });
      const { text, receipt } = await varve.context.assemble({ ...of, query: asked });
      expect(text).toContain(content);
      const line = receipt.find(({ id }) => id === 'cello');
      expect(line).toMatchObject({ included: true, reason, relevance });
    },
  );

  test('a memory that both a later turn and a later memory replace is marked once', async () => {
    const { varve } = library();
    const about = { tenant: newTenant(), identifiers: { projectId: 'fair' } };
    const content = 'The fair is planned for May 3 in Ghent.';
    const older = { ...about, layer: 'project' as const, content, at: Date.now() - 1_000 };
    await varve.memory.add(older);
    const newer = 'The fair in Ghent moves from May 3 to May 20.';
    const { memory } = await varve.memory.add({ ...about, layer: 'project', content: newer });
    const said = {
      role: 'user' as const,
      content: 'The fair in Ghent moves from May 3 to May 24.',
      at: memory.validFrom + 1,
    };
    await varve.conversation.append({ ...about, sessionId: 'later', turns: [said] });
    const query = 'When is the fair in Ghent?';
    const { text } = await varve.context.assemble({ ...about, query });
    expect(text).toMatch(/- project: The fair is planned for May 3 [^(]*\([\d-]+\) \(earlier\)$/mu);
    expect(text).toContain('user: The fair in Ghent moves from May 3 to May 24.');
  });

  test('a memory that states its own date is shown with one date', async () => {
    const { varve } = library();
    const about = { tenant: newTenant(), identifiers: { userId: 'eva' } };
    await varve.memory.add({
      ...about,
      layer: 'user',
      content: 'I moved to Berlin last month. (as of 2026-11-18)',
      at: '2026-11-18T10:00:00Z',
    });
    const { text } = await varve.context.assemble({ ...about, query: 'Where does Eva live?' });
    expect(text).toContain('- user: I moved to Berlin last month. (as of 2026-11-18)\n');
  });

  test('a memory that a turn only asks about is shown', async () => {
    const { varve } = library();
    const about = { tenant: newTenant(), identifiers: { userId: 'eve' } };
    await varve.memory.add({ ...about, layer: 'user', content: 'vegetarian' });
    const content = 'Is anybody vegetarian here?';
    const turns = [{ role: 'user' as const, content }];
    await varve.conversation.append({ ...about, sessionId: 'lunch', turns });
    const { text } = await varve.context.assemble({ ...about, query: 'Who is vegetarian?' });
    expect(text).toContain('- user: vegetarian (');
  });

  test('a stable layout counts the leading tokens that it shares with the last call', async () => {
    const { varve } = library();
    const asked = { tenant, identifiers: { ...identifiers, agentId: 'helper' }, query };
    const stable = { ...asked, layout: 'cacheStable' as const };
    expect((await varve.context.assemble(asked)).stablePrefixTokens).toBeNull();
    expect((await varve.context.assemble(stable)).stablePrefixTokens).toBe(0);
    const again = await varve.context.assemble(stable);
    expect(again.stablePrefixTokens).toBe(again.tokens);
    const other = await varve.context.assemble({ ...stable, query: 'How many sorts of tulips?' });
    const turns = other.text.split(/## (?:Related|Question)/u)[0] ?? '';
    const tokens = await loadTokenCounter({ log: SILENT_LOG });
    expect(other.stablePrefixTokens).toBeGreaterThanOrEqual(tokens.count(turns.trim()));
  });

  test('ENG-09: returns budget, receipt and text, with the sources of each part', async () => {
    const tokens = await loadTokenCounter({ log: SILENT_LOG });
    const asked = { tenant, identifiers, query, maxTokens: 250, layerSummaries: true };
    const answer = await library().varve.context.assemble(asked);
    expect(answer.budget).toEqual({
      requested: 250,
      applied: 250,
      estimatedUsed: tokens.count(answer.text),
    });
    expect(answer.budget.estimatedUsed).toBeLessThanOrEqual(250);
    for (const line of answer.receipt) {
      if (line.included && line.reason !== 'Always') expect(line.sources).not.toEqual([]);
    }
    const kinds = new Set(answer.receipt.map(({ kind }) => kind));
    expect(kinds.size).toBe(7);
  });

  test('ENG-09: writes nothing', async () => {
    const before = library().dump();
    const asked = { tenant, identifiers, query, layerSummaries: true };
    await library().varve.context.assemble(asked);
    await library().varve.summary.list({ tenant, identifiers });
    await failureOf(library().varve.context.assemble({ ...asked, maxTokens: 5 }));
    expect(library().dump()).toEqual(before);
  });

  test('ENG-05: 3,000 tokens are the default limit and the cap', async () => {
    const { budget } = await library().varve.context.assemble({ tenant, identifiers, query });
    expect(budget).toMatchObject({ requested: null, applied: 3_000 });
    const more = { tenant, identifiers, query, maxTokens: 9_000 };
    const { budget: capped } = await library().varve.context.assemble(more);
    expect(capped).toMatchObject({ requested: 9_000, applied: 3_000 });
    const own = newTenant();
    await library().declare(own, ({ context }) => ({ context: { ...context, maxTokens: 99 } }));
    const asked = { tenant: own, identifiers, query };
    expect((await library().varve.context.assemble(asked)).budget.applied).toBe(99);
  });

  test('ENG-06: the same question gives the same result', async () => {
    const asked = { tenant, identifiers, query, layerSummaries: true, maxTokens: 400 };
    const first = await library().varve.context.assemble(asked);
    expect(await library().varve.context.assemble(asked)).toEqual(first);
  });

  test('ENG-10: a limit smaller than policy and query is refused', async () => {
    const asked = { tenant, identifiers, query, maxTokens: 20 };
    const error = await failureOf(library().varve.context.assemble(asked));
    expect(error).toMatchObject({ code: 'CONTEXT_LIMIT_TOO_SMALL', details: { limit: 20 } });
  });

  test('a summary that is not made yet is in the receipt, with the reason', async () => {
    const own = newTenant();
    const { varve } = library();
    const ann = { tenant: own, identifiers: { userId: 'ann' } };
    await varve.memory.add({ ...ann, layer: 'user', content: 'Ann grows tulips.' });
    const asked = { ...ann, query: 'tulips', layerSummaries: true };
    const { receipt, text } = await varve.context.assemble(asked);
    const lines = receipt.filter(({ kind }) => kind === 'layerSummary');
    expect(lines).toMatchObject([
      {
        ...{ layer: 'user', included: false, reason: 'NoText', tokens: 0, personalized: false },
        freshness: { stale: true, reason: 'NeverGenerated', needsRegeneration: true },
      },
    ]);
    expect(text).not.toContain('## Summaries');
  });

  test('without a session, the context has neither its turns nor its summary', async () => {
    const asked = { tenant, identifiers: { userId: 'ann' }, query };
    const { receipt } = await library().varve.context.assemble(asked);
    const kinds = new Set(receipt.map(({ kind }) => kind));
    expect([...kinds]).toEqual(['instructions', 'layerSummary', 'relatedEntity', 'query']);
  });
});

test('a memory kept from a past turn leaves its room to the turn, and the receipt says so', async () => {
  const { varve } = library();
  const of = { tenant: newTenant(), identifiers: { userId: 'ann' } };
  const turns = [
    { role: 'user' as const, content: 'I live in Lyon.', at: Date.now() - 86_400_000 },
  ];
  await varve.conversation.append({ ...of, sessionId: 'one', turns });
  await varve.conversation.flush({ tenant: of.tenant, sessionId: 'one' });
  const { text, receipt } = await varve.context.assemble({ ...of, query: 'Where do I live?' });
  expect(text.match(/Lyon/gu)).toHaveLength(1);
  const memories = receipt.filter(({ kind }) => kind === 'relatedEntity');
  expect(memories).toMatchObject([{ included: false, reason: 'Duplicate' }]);
  await varve.conversation.delete({ tenant: of.tenant, sessionId: 'one' });
  const after = await varve.context.assemble({ ...of, query: 'Where do I live?' });
  expect(after.text).not.toContain('Lyon');
});

/** A pasted text of some 9,000 tokens, longer than any limit below. */
const pasted = Array.from(
  { length: 900 },
  (_, n) => `Shelf ${String(n)} holds item ${String(n * 7)}.`,
);

describe('a context of a session whose latest turn is longer than the limit', () => {
  test.each([
    { asked: 'Where do I live?', maxTokens: 300, said: 'I live in Rome' },
    { asked: 'Where do I live?', maxTokens: 3_000, said: 'I live in Rome' },
    { asked: 'What is the code of the safe?', maxTokens: 300, said: '8841' },
  ])('has what answers "$asked" within $maxTokens tokens', async ({ asked, maxTokens, said }) => {
    const { varve } = library();
    const session = { tenant: newTenant(), identifiers: { userId: 'ann', sessionId: 'paste' } };
    await varve.conversation.append({
      ...{ ...session, sessionId: 'paste' },
      turns: [
        { role: 'user', content: 'I live in Rome. My dog is Rex.' },
        { role: 'assistant', content: 'Nice.' },
        { role: 'user', content: `${pasted.join(' ')} The code of the safe is 8841.` },
      ],
    });
    const context = await varve.context.assemble({ ...session, query: asked, maxTokens });
    expect(context.text).toContain(said);
    expect(context.tokens).toBeLessThanOrEqual(maxTokens);
  });

  test('brings back a trimmed turn of the session that answers the question', async () => {
    const { varve } = library();
    const session = { tenant: newTenant(), identifiers: { userId: 'ann', sessionId: 'talk' } };
    const filler = pasted.slice(0, 12).join(' ');
    await varve.conversation.append({
      ...{ ...session, sessionId: 'talk' },
      turns: [
        { role: 'user', content: 'I live in Rome.' },
        ...Array.from({ length: 5 }, () => ({ role: 'user' as const, content: filler })),
      ],
    });
    const query = 'Where do I live?';
    const context = await varve.context.assemble({ ...session, query, maxTokens: 300 });
    expect(context.text).toContain('I live in Rome');
  });
});
