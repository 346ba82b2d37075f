import { describe, expect, test } from 'vitest';
import type { Library } from '#api/library.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { checkedLibraryOf } from '#test/unit/library/checked-library.ts';
import { NOON, sharedTiers } from './memory-files-fixture.ts';

const fixture = sharedTiers();
const DANA = { userId: 'dana' } as const;

function library(principal: Principal = LOCAL_OPERATOR): Library {
  return checkedLibraryOf(fixture().ports, principal);
}

function said(content: string, id: string, at = NOON) {
  return { id, role: 'user' as const, content, at };
}

async function statesOf(varve: Library, tenant: string) {
  const { memories } = await varve.memory.list({ tenant, layers: ['user'], ...DANA_LIST });
  return memories.map(({ content, state }) => [content, state]);
}
const DANA_LIST = { identifiers: DANA, latestOnly: false, order: 'oldest' } as const;

describe('memory.addMessages', () => {
  test('takes a document of 200,000 characters beside other messages, and what follows it', async () => {
    const varve = library();
    const report = 'The weather was rather fine, and the bus was late. '.repeat(4_000);
    const { results } = await varve.memory.addMessages({
      tenant: 'long',
      identifiers: DANA,
      messages: [
        said(`Please summarize this report:\n\n${report}\n\nBy the way, I live in Lyon.`, 'm1'),
        said('I am allergic to nuts.', 'm2'),
      ],
    });
    expect(results.map(({ text, source }) => [text, source])).toEqual([
      ['I live in Lyon.', 'm1'],
      ['I am allergic to nuts.', 'm2'],
    ]);
  });

  test('stores the lasting statements of a message with source, time and layer', async () => {
    const varve = library();
    const { results } = await varve.memory.addMessages({
      tenant: 'kept',
      identifiers: DANA,
      messages: [said('Hi! I live in Lyon. How is the weather?', 'm1')],
    });
    expect(results).toMatchObject([
      { event: 'ADD', text: 'I live in Lyon.', layer: 'user', source: 'm1', supersedes: [] },
    ]);
    const memory = await varve.memory.get({ tenant: 'kept', id: results[0]?.id ?? '' });
    expect(memory).toMatchObject({
      content: 'I live in Lyon.',
      scopeId: 'dana',
      trust: 'stated',
      validFrom: NOON,
      origin: { channel: 'extraction', principal: LOCAL_OPERATOR.name, sources: ['m1'] },
    });
  });

  test('a correction in other words ends a memory that another call wrote', async () => {
    const varve = library();
    const of = { tenant: 'corrected', identifiers: DANA } as const;
    const { memory } = await varve.memory.add({
      ...of,
      layer: 'user',
      content: 'Dana lives in Lyon.',
      at: NOON - 1_000,
    });
    const { results } = await varve.memory.addMessages({
      ...of,
      messages: [said('By the way, I moved from Lyon to Berlin.', 'm1')],
    });
    expect(results).toMatchObject([{ event: 'SUPERSEDE', supersedes: [memory.id] }]);
    const ended = await varve.memory.get({ tenant: 'corrected', id: memory.id });
    expect(ended).toMatchObject({
      state: 'superseded',
      supersededBy: results[0]?.id,
      validTo: NOON,
    });
    const found = await varve.memory.search({ ...of, query: 'live in Lyon', threshold: 0 });
    expect(found.hits.map(({ text }) => text)).not.toContain('Dana lives in Lyon.');
    const history = await varve.memory.history({ tenant: 'corrected', id: memory.id });
    expect(history.changes.map(({ action }) => action)).toEqual(['Superseded', 'Added']);
  });

  test('adding the same messages again changes nothing and restores nothing deleted', async () => {
    const varve = library();
    const of = { tenant: 'again', identifiers: DANA };
    const messages = [
      said('I live in Lyon.', 'm1'),
      said('I moved from Lyon to Berlin.', 'm2', NOON + 1),
      said('I hate mushrooms.', 'm3', NOON + 2),
    ];
    const first = await varve.memory.addMessages({ ...of, messages });
    expect(first.results.map(({ event }) => event)).toEqual(['ADD', 'SUPERSEDE', 'ADD']);
    const before = await statesOf(varve, 'again');
    const again = await varve.memory.addMessages({ ...of, messages });
    expect(again.results.map(({ event }) => event)).toEqual(['NOOP', 'NOOP', 'NOOP']);
    expect(await statesOf(varve, 'again')).toEqual(before);
    await varve.memory.delete({ tenant: 'again', id: first.results[2]?.id ?? '' });
    const third = await varve.memory.addMessages({ ...of, messages });
    expect(third.results[2]).toMatchObject({ event: 'NOOP', id: null });
    expect(await statesOf(varve, 'again')).toEqual(before.slice(0, 2));
  });

  test('a change ends only memories of its speaker and is not stored by itself', async () => {
    const varve = library();
    const of = { tenant: 'changes', identifiers: DANA };
    const by = (speaker: string, content: string, id: string, at: number) => ({
      ...said(content, id, at),
      speaker,
    });
    const { results } = await varve.memory.addMessages({
      ...of,
      messages: [
        by('Dana', 'I have a dog.', 'm1', NOON),
        by('Bob', 'We sold the dog.', 'm2', NOON + 1),
        by('Dana', 'I sold the piano.', 'm3', NOON + 2),
        by('Dana', 'Our dog died in May.', 'm4', NOON + 3),
      ],
    });
    expect(results).toMatchObject([
      { event: 'ADD', source: 'm1' },
      { event: 'SUPERSEDE', source: 'm4', supersedes: [results[0]?.id] },
    ]);
  });

  test('an older message does not end a newer memory', async () => {
    const varve = library();
    const of = { tenant: 'older', identifiers: DANA };
    await varve.memory.addMessages({ ...of, messages: [said('I live in Berlin.', 'm2')] });
    const { results } = await varve.memory.addMessages({
      ...of,
      messages: [said('I live in Lyon.', 'm1', NOON - 1)],
    });
    expect(results).toMatchObject([{ event: 'NOOP', reason: 'Outdated' }]);
  });

  test('routes a decision to the named project and a lesson to the agent', async () => {
    const { results } = await library().memory.addMessages({
      tenant: 'routes',
      identifiers: { userId: 'dana', projectId: 'billing', agentId: 'helper' },
      messages: [
        said('We decided to use Postgres for the billing service.', 'm1'),
        { id: 'm2', role: 'assistant', content: 'Note to self: deploys need the VPN.', at: NOON },
        { id: 'm3', role: 'tool', content: 'I live in Rome.', at: NOON },
      ],
    });
    expect(results.map(({ layer, kind }) => [layer, kind])).toEqual([
      ['project', 'Decision'],
      ['agent', 'Lesson'],
    ]);
  });

  test('new memories get the metadata and the expiry that the caller names', async () => {
    const varve = library();
    const of = { tenant: 'fields', identifiers: DANA } as const;
    const messages = [said('I live in Lyon.', 'm1')];
    const asked = { ...of, messages, expiresAt: Date.parse('2130-01-31T00:00:00Z') };
    const { results } = await varve.memory.addMessages({ ...asked, metadata: { form: 7 } });
    const memory = await varve.memory.get({ tenant: 'fields', id: results[0]?.id ?? '' });
    expect(memory).toMatchObject({
      expiresAt: asked.expiresAt,
      metadata: { form: 7, source: 'm1', topic: 'residence' },
    });
    const past = { ...asked, messages: [said('I live in Bonn.', 'm2')], expiresAt: NOON - 1 };
    await expect(varve.memory.addMessages(past)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    for (const metadata of [{ source: 'form' }, { speaker: 'Ann' }]) {
      await expect(varve.memory.addMessages({ ...asked, metadata })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });

  test('a report by a pronoun ends the task that the turns before it are about', async () => {
    const varve = library();
    const of = { tenant: 'pronouns', identifiers: DANA };
    const task = said('I need to send the report to Eva by Friday.', 'm1');
    const { results } = await varve.memory.addMessages({ ...of, messages: [task] });
    const talk = 'Is the report to Eva still open?';
    const messages = [
      { id: 'm2', role: 'assistant' as const, content: talk, at: NOON + 1 },
      said('I sent it.', 'm3', NOON + 2),
    ];
    const ended = await varve.memory.addMessages({ ...of, messages });
    expect(ended.results).toMatchObject([
      { event: 'SUPERSEDE', source: 'm3', supersedes: [results[0]?.id] },
    ]);
    expect(await varve.memory.addMessages({ ...of, messages })).toMatchObject({ results: [] });
  });

  test('stores what a blank speaker says as what nobody named says', async () => {
    const varve = library();
    const messages = ['', '  '].map((speaker, at) => ({
      ...said(at === 0 ? 'I live in Lyon.' : 'I moved from Lyon to Bern.', `m${String(at)}`),
      speaker,
    }));
    const { results } = await varve.memory.addMessages({
      tenant: 'blank-speaker',
      identifiers: DANA,
      messages,
    });
    expect(results).toMatchObject([
      { event: 'ADD', text: 'I live in Lyon.' },
      { event: 'SUPERSEDE', supersedes: [results[0]?.id] },
    ]);
    const memory = await varve.memory.get({ tenant: 'blank-speaker', id: results[0]?.id ?? '' });
    expect(memory?.content).toBe('I live in Lyon.');
    expect(memory?.metadata).not.toHaveProperty('speaker');
  });

  test('stores what several speakers say of themselves side by side, with their names', async () => {
    const varve = library();
    const of = { tenant: 'group', identifiers: DANA } as const;
    const by = (speaker: string, content: string, id: string) => ({
      ...said(content, id),
      speaker,
    });
    const messages = [
      by('Ann', 'I am allergic to nuts.', 'm1'),
      by('Bob', 'I am not allergic to nuts.', 'm2'),
      by('Ann', 'I am no longer allergic to nuts.', 'm3'),
    ];
    const { results } = await varve.memory.addMessages({ ...of, messages });
    expect(results.map(({ event, text }) => [event, text])).toEqual([
      ['ADD', 'Ann: I am allergic to nuts.'],
      ['ADD', 'Bob: I am not allergic to nuts.'],
      ['SUPERSEDE', 'Ann: I am no longer allergic to nuts.'],
    ]);
  });

  test('refuses messages without identifiers and messages for another user', async () => {
    const messages = [said('I live in Lyon.', 'm1')];
    await expect(
      library().memory.addMessages({ tenant: 'nobody', messages }),
    ).rejects.toMatchObject({ code: 'MISSING_IDENTIFIER' });
    const eve: Principal = { ...LOCAL_OPERATOR, name: 'eve', bound: { userId: 'eve' } };
    await expect(
      library(eve).memory.addMessages({ tenant: 'nobody', identifiers: DANA, messages }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
