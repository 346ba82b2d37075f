/** What is new to a dream: each block that no dream has read, whatever its time and day. */
import { describe, expect, test } from 'vitest';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import { DREAM_BLOCKS_MAX } from '#core/dreams/dream-call-size.ts';
import { readBlocks, materialAt, askedDream } from '#activities/dreams/read-dream-material.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import { ANN } from '#test/conformance/document-samples.ts';
import { dreamPolicy, OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { DAY_MS } from '#test/conformance/samples.ts';
import { ANN_ID, inputOf, openDreamFixture, TENANT, type DreamFixture } from './dream-fixture.ts';

/** A block of the day that lies so many days away, behind what its file has; announced now. */
async function appendOn(fixture: DreamFixture, days: number, text: string): Promise<void> {
  const announcement = { subjectId: ANN_ID, announcedAt: fixture.now() };
  fixture.advance(days * DAY_MS);
  await fixture.append([text], { subject: ANN, ...announcement });
  fixture.advance(-days * DAY_MS);
}

/** The text of the new blocks that each dream read. */
const readBy = ({ questions }: DreamFixture): readonly (readonly string[])[] =>
  questions.map(({ daily, readBefore }) =>
    daily.filter(({ id }) => !readBefore.has(id)).map(({ text }) => text),
  );

async function approveWaiting({ opened, activities }: DreamFixture): Promise<void> {
  const { proposals } = opened.store;
  for (const waiting of await proposals.list(TENANT, { state: 'Waiting', limit: 9 })) {
    await proposals.put({ ...waiting, state: 'Approved', version: waiting.version + 1 });
    await activities().applyProposal({ tenant: TENANT, proposalId: waiting.id });
  }
}

describe('what is new to a dream', () => {
  test('days before the first dream of a subject are read by it', async () => {
    await using fixture = await openDreamFixture();
    await appendOn(fixture, -1, TEA);
    await fixture.append([OSLO]);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(readBy(fixture)).toEqual([[TEA, OSLO]]);
    expect(await fixture.dream()).toMatchObject({ outcome: 'NothingNew' });
  });

  test('a day whose proposal was replaced by the next one is included in that one', async () => {
    await using fixture = await openDreamFixture();
    await fixture.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    for (const text of [TEA, OSLO]) {
      fixture.advance(DAY_MS);
      await fixture.append([text]);
      expect(await fixture.dream()).toMatchObject({ outcome: 'Waiting' });
    }
    await approveWaiting(fixture);
    expect(await fixture.memory()).toEqual([TEA, OSLO]);
  });

  test('a first dream reads one month before its look-back, and no more', async () => {
    await using fixture = await openDreamFixture();
    for (let day = 33; day >= 0; day -= 1) await appendOn(fixture, -day, `${OSLO} ${String(day)}`);
    await fixture.dream();
    const [first = []] = readBy(fixture);
    expect([first.length, first[0]]).toEqual([32, `${OSLO} 31`]);
  });

  test('a block for a day before one already dreamed is new', async () => {
    await using fixture = await openDreamFixture();
    for (const day of [-3, -2, -1]) await appendOn(fixture, day, `${TEA} ${String(-day)}`);
    await fixture.dream();
    await appendOn(fixture, -3, ROSES);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(readBy(fixture)[1]).toEqual([ROSES]);
  });

  test.each(['nothing else', 'today as well'])(
    'a block dated tomorrow waits for its day, with %s',
    async (also) => {
      await using fixture = await openDreamFixture();
      if (also !== 'nothing else') await fixture.append([TEA]);
      await appendOn(fixture, 1, OSLO);
      const outcome = also === 'nothing else' ? 'NothingNew' : 'Dreamed';
      expect(await fixture.dream()).toMatchObject({ outcome });
      expect(await fixture.subject()).toMatchObject({ hasNew: true });
      fixture.advance(DAY_MS);
      expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed' });
      expect(await fixture.memory()).toContain(OSLO);
      fixture.advance(DAY_MS);
      expect(await fixture.dream()).toMatchObject({ outcome: 'NothingNew' });
      expect(await fixture.subject()).toMatchObject({ hasNew: false });
    },
  );

  test('a block dated tomorrow is still new while a proposal waits', async () => {
    await using fixture = await openDreamFixture();
    await fixture.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    await fixture.append([TEA]);
    await appendOn(fixture, 1, OSLO);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Waiting' });
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
  });
});

describe('a dream reading its files', () => {
  const HUGE = 'x'.repeat(4_000);

  async function fixtureOf(blocks: number, lines: readonly string[]): Promise<DreamFixture> {
    const fixture = await openDreamFixture();
    const { version: _, ...first } = await fixture.append([...lines, TEA]);
    // Put, not appended: an append looks at all that is there.
    const { documents } = fixture.opened.store;
    const put = (version: number) =>
      documents.put({ ...first, id: `block-${String(version)}`, version });
    await Promise.all(Array.from({ length: blocks - 1 }, (_unset, at) => put(at + 2)));
    return fixture;
  }

  const ofAnn = ({ ports: { store, platform } }: DreamFixture) => ({
    store,
    platform,
    record: { tenant: TENANT, subject: ANN },
  });
  const whole = (path: string) => ({ window: [{ path, blocks: 9_999 }], earlier: [] });
  const FILE = 'memory/2026-11-01.md';

  test('reads a limited number of new blocks, the oldest first', async () => {
    await using fixture = await fixtureOf(DREAM_BLOCKS_MAX + 1, []);
    const { fresh, isMore } = await readBlocks(ofAnn(fixture), whole(FILE));
    expect([fresh.length, fresh[0]?.version, isMore]).toEqual([DREAM_BLOCKS_MAX, 1, true]);
  });

  test('reads no more text than the model takes: oldest new or newest known blocks', async () => {
    await using fixture = await fixtureOf(
      12,
      Array.from({ length: 100 }, () => HUGE),
    );
    const unread = await readBlocks(ofAnn(fixture), whole(FILE));
    expect(unread.fresh.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([unread.isMore, unread.known]).toEqual([true, []]);
    const place = { tenant: TENANT, subject: ANN };
    const all = Array.from({ length: 12 }, (_, index) => ({ path: FILE, version: index + 1 }));
    await fixture.opened.store.documents.markDreamed(place, all.slice(0, 1), SET_ASIDE_AT);
    await fixture.opened.store.documents.markDreamed(place, all, fixture.now());
    const read = await readBlocks(ofAnn(fixture), whole(FILE));
    expect(read.known.map(({ version }) => version)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect([read.isMore, read.fresh]).toEqual([false, []]);
  });

  test('counts the blocks that are left in its question to the model', async () => {
    await using fixture = await openDreamFixture();
    await fixture.append([TEA]);
    const { ports } = fixture;
    const { cut } = await gathered(fixture);
    const material = await materialAt(ofAnn(fixture), cut);
    if (material === null) throw new Error('MEMORY.md is gone.');
    const model = ports.models.extractiveDreamer;
    const leftOf = (isMore: boolean) =>
      askedDream(ports, { ...material, isMore }, model).leftBlocks;
    expect([leftOf(false), leftOf(true)]).toEqual([0, 1]);
  });

  test('skips blocks that came after the cut, and files without new blocks', async () => {
    await using fixture = await openDreamFixture();
    await appendOn(fixture, -2, TEA);
    await fixture.dream();
    await appendOn(fixture, -1, OSLO);
    await fixture.append([ROSES]);
    const { cut } = await gathered(fixture);
    expect(cut).toMatchObject({
      window: [{ path: FILE, blocks: 1 }],
      earlier: [{ path: 'memory/2026-10-31.md', blocks: 1 }],
      oldest: { path: 'memory/2026-10-31.md', version: 1 },
    });
    await fixture.append([TEA]);
    await appendOn(fixture, -1, TEA);
    const material = await materialAt(ofAnn(fixture), cut);
    expect(material?.fresh.map(({ lines }) => lines[0]?.text)).toEqual([OSLO, ROSES]);
  });

  async function gathered(fixture: DreamFixture): Promise<{ kind: 'Ready'; cut: DreamCut }> {
    const input = { ...inputOf('dream-1'), subjectId: ANN_ID };
    const reading = await fixture.activities().gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    return reading;
  }
});
