/** `trace.why`: from an id, or from words, to what they rest on. */
import { describe, expect, test } from 'vitest';
import type { Principal } from '#api/principal.ts';
import { withAuditAndCallLimits } from '#cli/composition-root.ts';
import { subjectKey } from '#core/subject.ts';
import { coreOf, lineOf } from '#test/conformance/document-samples.ts';
import { failureOf, newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const DANA = { userId: 'dana' } as const;
const SAID = 'I am allergic to peanuts.';

/** One session of which a memory was kept, and a summary of that. */
async function told() {
  const tenant = newTenant();
  const varve = await library().open({ settings: withAuditAndCallLimits({}) });
  const turns = [
    { id: 'turn-1', role: 'user' as const, speaker: 'Dana', content: SAID },
    { id: 'turn-2', role: 'user' as const, content: 'The boat is painted in a bright red.' },
  ];
  const session = { tenant, sessionId: 'monday' };
  await varve.conversation.append({ ...session, identifiers: DANA, turns });
  const { results } = await varve.conversation.flush(session);
  await varve.refresh({ tenant });
  const { summaries } = await varve.summary.list({ tenant, identifiers: DANA });
  const summary = summaries.find(({ scope }) => scope.layer === 'user')?.summary;
  const why = (ref: string) => varve.trace.why({ tenant, ref, identifiers: DANA });
  const dispose = () => varve[Symbol.asyncDispose]();
  const ids = { memory: results[0]?.id ?? '', summary: summary?.id ?? '' };
  return { varve, tenant, why, ...ids, [Symbol.asyncDispose]: dispose };
}

/** A line of Dana's MEMORY.md. */
async function lineResting(tenant: string, sources: string[]): Promise<string> {
  const sample = coreOf(tenant, 1);
  const text = 'Never put peanuts into anything for Dana.';
  const lines = [lineOf(1, { id: 'line-1', text, sources, at: Date.now() })];
  const subject = subjectKey({ kind: 'user', id: 'dana' });
  await library().store.documents.put({ ...sample, subject, lines });
  return text;
}

const TURN = {
  id: 'turn-1',
  kind: 'turn',
  state: 'Current',
  text: SAID,
  scopeId: 'monday',
  by: 'Dana',
};

describe('trace.why', () => {
  test('a memory: who stored it, the turn it came from, and the summaries that cite it', async () => {
    await using known = await told();
    const { why, memory, summary } = known;
    expect(await why(memory)).toMatchObject({
      kind: 'memory',
      text: SAID,
      state: 'Current',
      by: 'local',
      channel: 'extraction',
      made: null,
      sources: [TURN],
      changes: [{ version: 1, action: 'Added', by: 'local' }],
      citedBy: [{ summaryId: summary, layer: 'user', scopeId: 'dana' }],
      writes: [{ principal: 'local', operation: 'conversation.flush', outcome: 'Done' }],
    });
  });

  test('a summary, by id or layer: what made it, its cost, and its sources', async () => {
    await using known = await told();
    const { why, memory, summary } = known;
    for (const ref of [summary, 'user']) {
      expect(await why(ref)).toMatchObject({
        kind: 'summary',
        id: summary,
        state: 'Current',
        made: { model: 'extractive', priceMicroDollars: 0, inputTokens: expect.any(Number) },
        facts: [{ sources: [memory] }],
        sources: [{ id: memory, kind: 'memory', text: SAID, restsOn: ['turn-1'] }, TURN],
      });
    }
  });

  test('words of a context: the fact of a summary, or the turn that says them', async () => {
    await using known = await told();
    const { varve, tenant, why, memory, summary } = known;
    expect(await why(`- ${SAID.toUpperCase()}`)).toMatchObject({
      kind: 'fact',
      id: summary,
      facts: [{ sources: [memory] }],
      sources: [{ id: memory }, TURN],
    });
    const turn = { kind: 'turn', id: 'turn-2', scopeId: 'monday', state: 'Current' };
    expect(await why('the boat is painted in a bright  red.')).toMatchObject(turn);
    const question = { tenant, identifiers: DANA, query: 'Which colour has the boat?' };
    const { text, receipt } = await varve.context.assemble(question);
    const line = text.split('\n').find((each) => each.includes('bright red')) ?? '';
    expect(await why(line)).toMatchObject({
      kind: 'line',
      sources: [{ kind: 'turn', at: expect.any(Number) as number }],
    });
    const part = receipt.find(({ kind, included }) => kind === 'pastTurn' && included);
    expect(await why(part?.id ?? '')).toMatchObject({ id: part?.id });
  });

  test('a line of MEMORY.md, by id or words: the file and its sources', async () => {
    await using known = await told();
    const { tenant, why, memory } = known;
    const text = await lineResting(tenant, [memory, 'block-9']);
    for (const ref of ['line-1', text]) {
      expect(await why(ref)).toMatchObject({
        kind: 'line',
        id: 'line-1',
        layer: 'user',
        scopeId: 'dana',
        by: 'MEMORY.md',
        sources: [
          { id: memory, kind: 'memory', text: SAID },
          { id: 'block-9', kind: 'unknown', state: null, text: null },
          TURN,
        ],
      });
    }
  });

  test('a deleted record: when and by whom it was deleted, and none of its words', async () => {
    await using known = await told();
    const { varve, tenant, why, memory } = known;
    await varve.memory.delete({ tenant, id: memory });
    const deleted = await why(memory);
    expect(deleted).toMatchObject({
      kind: 'memory',
      state: 'Deleted',
      text: null,
      by: 'local',
      changes: [{ action: 'Deleted', by: 'local' }, { action: 'Added' }],
      writes: [{ operation: 'conversation.flush' }, { operation: 'memory.delete' }],
    });
    expect(JSON.stringify(deleted)).not.toContain('peanuts');
    await varve.conversation.delete({ tenant, sessionId: 'monday', turnIds: ['turn-2'] });
    expect(await why('turn-2')).toMatchObject({ kind: 'turn', state: 'TextGone', text: null });
  });

  test('an erased record: when and by whom, for admins only', async () => {
    await using known = await told();
    const { varve, tenant, why, memory } = known;
    await varve.memory.erase({ tenant, target: { kind: 'Memory', id: memory } });
    await lineResting(tenant, [memory]);
    expect(await why('line-1')).toMatchObject({
      sources: [{ id: memory, kind: 'memory', state: 'Erased', text: null, by: 'local' }],
    });
    const failure = await failureOf(varve.trace.why({ tenant, ref: memory }));
    expect(failure).toMatchObject({ code: 'NOT_FOUND' });
    expect(failure.message).toMatch(/^That memory was erased at .* by local;/u);
    const reader: Principal = { name: 'key:r', tenants: [tenant], bound: {}, role: 'read' };
    await using read = await library().open({ principal: reader });
    const unknown = await failureOf(read.trace.why({ tenant, ref: memory }));
    expect(unknown.message).toMatch(/^Nothing that is open/u);
  });

  test('a superseded record: its text and its successor', async () => {
    await using known = await told();
    const { varve, tenant, why } = known;
    const of = { tenant, identifiers: DANA };
    const add = (content: string) =>
      varve.memory.addMessages({ ...of, messages: [{ role: 'user', content }] });
    const { results: old } = await add('I live in Lyon.');
    const { results: now } = await add('I moved from Lyon to Berlin.');
    expect(await why(old[0]?.id ?? '')).toMatchObject({
      state: 'Superseded',
      text: 'I live in Lyon.',
      supersededBy: now[0]?.id,
    });
  });

  test('answers NOT_FOUND in the same words for records of others and for nothing', async () => {
    await using known = await told();
    const { tenant, memory } = known;
    const eve: Principal = {
      name: 'key:eve',
      tenants: [tenant],
      bound: { userId: 'eve' },
      role: 'read',
    };
    await using hers = await library().open({ principal: eve });
    const failures = await Promise.all(
      [memory, 'turn-1', SAID, 'nothing-of-that-id'].map((ref) =>
        failureOf(hers.trace.why({ tenant, ref })),
      ),
    );
    expect(failures.map(({ code }) => code)).toEqual(Array(4).fill('NOT_FOUND'));
    expect(new Set(failures.map(({ message }) => message)).size).toBe(1);
    await expect(hers.trace.why({ tenant, ref: memory, identifiers: DANA })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('leaves out the audit for a caller without the admin role', async () => {
    await using known = await told();
    const { tenant, memory } = known;
    const reader: Principal = { name: 'key:r', tenants: [tenant], bound: {}, role: 'read' };
    await using read = await library().open({ principal: reader });
    const answer = await read.trace.why({ tenant, ref: memory });
    expect(answer).toMatchObject({ writes: null, sources: [{ id: 'turn-1', text: SAID }] });
  });
});
