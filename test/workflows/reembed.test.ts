/** A change of the embedding model, from its first tenant to the last vector of the old one. */
import { describe, expect, it } from 'vitest';
import { TENANTS_PER_PAGE } from '#core/embedding/reembed-contract.ts';
import { eventually } from './fixture.ts';
import { openReembed } from './reembed-fixture.ts';
import {
  ALL,
  closed,
  countsOf,
  DAY_MS,
  notes,
  searching,
  settled,
  stateOf,
  UNHURRIED,
  untilPhase,
} from './reembed-observation.ts';

describe('a change of model', () => {
  it('REEMBED-10: embeds everything, cuts over and drops the old vectors', async () => {
    await using stack = await openReembed();
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(50));
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    expect(await settled(stack)).toMatchObject({
      lastError: null,
      totals: { embedded: 50, cutOver: 1, dropped: 50, refused: 0 },
    });
    expect(await stateOf(stack, tenant)).toMatchObject({
      phase: 'Steady',
      active: stack.new.generation,
      target: null,
      dropping: null,
    });
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 50, missing: 0 });
    expect(await countsOf(stack, tenant, stack.old.generation)).toEqual({ done: 0, missing: 50 });
    const [note = ''] = notes(1);
    const { hits } = await stack.search(tenant, note);
    expect(hits[0]?.memory).toMatchObject({ content: note, version: 1 });
    for (const texts of stack.new.calls) expect(texts.length).toBeLessThanOrEqual(16);
  });

  it('REEMBED-11: loses no memory from any search during writes and updates', async () => {
    await using stack = await openReembed({ textsMax: 4, settings: UNHURRIED });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(60);
    await stack.addMany(tenant, known);
    const changing = await stack.add(tenant, 'The kettle stands on the blue stove.');
    const stop = [searching(stack, tenant, known), searching(stack, tenant, known.toReversed())];

    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    const late: string[] = [];
    for (let n = 0; (await stateOf(stack, tenant))?.phase !== 'Steady' || n === 0; n += 1) {
      const [content = ''] = notes(1, 1_000 + n);
      await stack.add(tenant, content);
      late.push(content);
      const changed = `The kettle moved to shelf${String(n)} beside jar${String(n)}.`;
      const patch = { content: changed };
      const key = { tenant, id: changing.id };
      await stack.provider.update(key, patch, { by: 'test', idempotencyKey: null });
      for (const query of [content, changed]) {
        const { hits } = await stack.search(tenant, query);
        expect(hits[0]?.memory.content).toBe(query);
      }
    }
    await settled(stack);
    for (const end of stop) {
      const { searches, lost } = await end();
      expect(lost).toEqual([]);
      expect(searches).toBeGreaterThan(0);
    }
    const all = known.length + late.length + 1;
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: all, missing: 0 });
    for (const content of [...known, ...late]) {
      const { hits } = await stack.search(tenant, content);
      expect(hits[0]?.memory.content).toBe(content);
    }
  });

  it('REEMBED-12: keeps the old model active until the last memory has its vector', async () => {
    await using stack = await openReembed({ textsMax: 10 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(30);
    await stack.addMany(tenant, known);
    const held = closed(stack, 3);
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    await eventually('the third call', async () => stack.new.calls.length === 3);
    expect(await stateOf(stack, tenant)).toMatchObject({
      phase: 'Filling',
      active: stack.old.generation,
      target: stack.new.generation,
    });
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 20, missing: 10 });
    for (const content of known) {
      const { hits } = await stack.search(tenant, content);
      expect(hits[0]?.memory.content).toBe(content);
    }
    held.open();
    await settled(stack);
    expect(await stateOf(stack, tenant)).toMatchObject({ active: stack.new.generation });
  });

  it('REEMBED-13: embeds equal texts only once', async () => {
    await using stack = await openReembed();
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const contents = notes(20).flatMap((note) => [note, note]);
    await stack.addMany(tenant, contents);
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    const { totals } = await settled(stack);
    expect(new Set(stack.new.calls.flat()).size).toBe(stack.new.calls.flat().length);
    expect(totals.embedded).toBe(20);
    expect(await countsOf(stack, tenant, stack.new.generation)).toEqual({ done: 40, missing: 0 });
  });

  it('REEMBED-14: takes turns between tenants, however large one of them is', async () => {
    await using stack = await openReembed({ textsMax: 2 });
    await using _worker = await stack.startWorker();
    const large = `${stack.tenant}-a`;
    const small = Array.from({ length: 6 }, (_, n) => `${stack.tenant}-b${String(n)}`);
    await stack.addMany(large, notes(200));
    for (const tenant of small) await stack.addMany(tenant, notes(2));
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    await eventually('every small tenant has changed', async () => {
      const states = await Promise.all(small.map((tenant) => stateOf(stack, tenant)));
      if (!states.every((state) => state?.active === stack.new.generation)) return false;
      expect(await stateOf(stack, large)).toMatchObject({ active: stack.old.generation });
      return true;
    });
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: 7 } });
  });

  it('REEMBED-14: handles more tenants than a page, or only some of them', async () => {
    await using stack = await openReembed();
    await using _worker = await stack.startWorker();
    const tenants = Array.from(
      { length: TENANTS_PER_PAGE + 5 },
      (_, n) => `${stack.tenant.slice(0, 40)}-${String(n)}`,
    );
    for (const tenant of tenants) await stack.add(tenant, `Only ${tenant} knows this.`);
    const [first = '', second = '', ...others] = tenants;
    const some = { tenants: [first, second], keepOldMs: 0 };
    await stack.temporal.reembed.begin(stack.new.generation, some);
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: 2 } });
    for (const tenant of others) {
      expect(await stateOf(stack, tenant)).toMatchObject({ active: stack.old.generation });
    }
    await stack.temporal.reembed.begin(stack.new.generation, ALL);
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: others.length } });
    for (const tenant of tenants) {
      expect(await stateOf(stack, tenant)).toMatchObject({
        active: stack.new.generation,
        phase: 'Steady',
      });
    }
  });
});

describe('pausing and rolling back', () => {
  it('REEMBED-15: a paused change makes no calls, keeps search complete, and resumes', async () => {
    await using stack = await openReembed({ textsMax: 2 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(60);
    await stack.addMany(tenant, known);
    const held = closed(stack, 2);
    const { reembed } = stack.temporal;
    await reembed.begin(stack.new.generation, ALL);
    await eventually('the second call', async () => stack.new.calls.length === 2);
    await reembed.order(stack.new.generation, 'Pause');
    held.open();
    await untilPhase(stack, tenant, 'Paused');
    await eventually('the run says so', async () => {
      return (await reembed.status(stack.new.generation))?.phase === 'Paused';
    });
    const calls = stack.new.calls.length;
    const { missing } = await countsOf(stack, tenant, stack.new.generation);
    expect(missing).toBeGreaterThan(0);
    const content = 'Written while the change is paused.';
    await stack.add(tenant, content);
    for (const each of [...known, content]) {
      const { hits } = await stack.search(tenant, each);
      expect(hits[0]?.memory.content).toBe(each);
    }
    // The write embeds with both models; the change itself asks for nothing.
    expect(stack.new.calls.slice(calls)).toEqual([[content]]);

    await reembed.order(stack.new.generation, 'Resume');
    expect(await settled(stack)).toMatchObject({ totals: { cutOver: 1 } });
    expect(await stateOf(stack, tenant)).toMatchObject({ active: stack.new.generation });
  });

  it('REEMBED-16: a rollback before the cut-over leaves only the old vectors', async () => {
    await using stack = await openReembed({ textsMax: 2 });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(40);
    await stack.addMany(tenant, known);
    const held = closed(stack, 3);
    const { reembed } = stack.temporal;
    await reembed.begin(stack.new.generation, ALL);
    await eventually('the third call', async () => stack.new.calls.length === 3);
    await reembed.order(stack.new.generation, 'RollBack');
    held.open();
    await settled(stack);
    expect(await stateOf(stack, tenant)).toMatchObject({
      phase: 'Steady',
      active: stack.old.generation,
      target: null,
    });
    expect(await countsOf(stack, tenant, stack.new.generation)).toMatchObject({ done: 0 });
    for (const content of known) {
      const { hits } = await stack.search(tenant, content);
      expect(hits[0]?.memory.content).toBe(content);
    }
  });

  it('REEMBED-17: a rollback after the cut-over keeps later memories searchable', async () => {
    await using stack = await openReembed({ settings: UNHURRIED });
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    const known = notes(40);
    await stack.addMany(tenant, known);
    const { reembed } = stack.temporal;
    await reembed.begin(stack.new.generation, { tenants: null, keepOldMs: DAY_MS });
    await eventually('old vectors are kept', async () => {
      const state = await stateOf(stack, tenant);
      return state?.active === stack.new.generation && state.startedAt === null;
    });
    const content = 'Written after the cut-over, with the new model alone.';
    await stack.add(tenant, content);
    expect(await countsOf(stack, tenant, stack.old.generation)).toEqual({ done: 40, missing: 1 });
    const stop = searching(stack, tenant, [...known, content]);
    const calls = stack.old.calls.length;
    await reembed.order(stack.new.generation, 'RollBack');
    await settled(stack);
    expect(await stop()).toMatchObject({ lost: [] });
    expect(await stateOf(stack, tenant)).toMatchObject({
      phase: 'Steady',
      active: stack.old.generation,
    });
    expect(stack.old.calls.slice(calls)).toEqual([[content]]);
    expect(await countsOf(stack, tenant, stack.new.generation)).toMatchObject({ done: 0 });
  });

  it('REEMBED-18: kept old vectors are dropped at the end of their time or on Finish', async () => {
    await using stack = await openReembed();
    const { tenant } = stack;
    await using _worker = await stack.startWorker();
    await stack.addMany(tenant, notes(10));
    const { reembed } = stack.temporal;
    await reembed.begin(stack.new.generation, { tenants: null, keepOldMs: DAY_MS });
    await eventually('the run waits', async () => {
      return (await reembed.status(stack.new.generation))?.phase === 'Waiting';
    });
    expect(await countsOf(stack, tenant, stack.old.generation)).toEqual({ done: 10, missing: 0 });
    await reembed.order(stack.new.generation, 'Finish');
    await settled(stack);
    expect(await countsOf(stack, tenant, stack.old.generation)).toEqual({ done: 0, missing: 10 });

    const other = `${tenant}-other`;
    await stack.addMany(other, notes(5));
    stack.configure(stack.new);
    await reembed.begin(stack.new.generation, { tenants: [other], keepOldMs: 1_000 });
    await settled(stack);
    expect(await countsOf(stack, other, stack.old.generation)).toMatchObject({ done: 0 });
  });
});
