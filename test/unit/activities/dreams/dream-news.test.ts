/** What is new to a dream: each block that none has read, whenever it came, whatever its day. */
import { describe, expect, test } from 'vitest';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import { DREAM_BLOCKS_MAX } from '#core/dreams/dream-fit.ts';
import { readBlocks } from '#activities/dreams/dream-blocks.ts';
import { materialAt } from '#activities/dreams/dream-material.ts';
import { askedDream } from '#activities/dreams/dream-question.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import { ANN } from '#test/conformance/document-samples.ts';
import { dreamPolicy, OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { DAY_MS } from '#test/conformance/samples.ts';
import {
  ANN_ID,
  inputOf,
  openDreamStand,
  SETTLED_MS,
  TENANT,
  type DreamStand,
} from './dream-stand.ts';

/** A block of the day that lies so many days away, behind what its file has; announced now. */
async function appendOn(stand: DreamStand, days: number, text: string): Promise<void> {
  const announcement = { subjectId: ANN_ID, announcedAt: stand.now() };
  stand.advance(days * DAY_MS);
  await stand.append([text], { subject: ANN, ...announcement });
  stand.advance(-days * DAY_MS);
}

/** The text of the new blocks that each dream read. */
const readBy = ({ questions }: DreamStand): readonly (readonly string[])[] =>
  questions.map(({ daily, readBefore }) =>
    daily.filter(({ id }) => !readBefore.has(id)).map(({ text }) => text),
  );

async function approveWaiting({ opened, activities }: DreamStand): Promise<void> {
  const { proposals } = opened.store;
  for (const waiting of await proposals.list(TENANT, { state: 'Waiting', limit: 9 })) {
    await proposals.put({ ...waiting, state: 'Approved', version: waiting.version + 1 });
    await activities().applyProposal({ tenant: TENANT, proposalId: waiting.id });
  }
}

describe('what is new to a dream', () => {
  test('days before the first dream of a subject are read with it', async () => {
    await using stand = await openDreamStand();
    await appendOn(stand, -1, TEA);
    await stand.append([OSLO]);
    stand.advance(SETTLED_MS);
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(readBy(stand)).toEqual([[TEA, OSLO]]);
    expect(await stand.dream()).toMatchObject({ outcome: 'NothingNew' });
  });

  test('a day whose proposal the next one took the place of is in that one', async () => {
    await using stand = await openDreamStand();
    await stand.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    for (const text of [TEA, OSLO]) {
      stand.advance(DAY_MS);
      await stand.append([text]);
      expect(await stand.dream()).toMatchObject({ outcome: 'Waiting' });
    }
    await approveWaiting(stand);
    expect(await stand.memory()).toEqual([TEA, OSLO]);
  });

  test('of a subject that never dreamed the last month before the look-back', async () => {
    await using stand = await openDreamStand();
    for (let day = 33; day >= 0; day -= 1) await appendOn(stand, -day, `${OSLO} ${String(day)}`);
    await stand.dream();
    const [first = []] = readBy(stand);
    expect([first.length, first[0]]).toEqual([32, `${OSLO} 31`]);
  });

  test('a block of a day before one that was dreamed', async () => {
    await using stand = await openDreamStand();
    for (const day of [-3, -2, -1]) await appendOn(stand, day, `${TEA} ${String(-day)}`);
    await stand.dream();
    await appendOn(stand, -3, ROSES);
    expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
    expect(readBy(stand)[1]).toEqual([ROSES]);
  });

  test.each(['nothing else', 'today as well'])(
    'a block of tomorrow waits for its day, with %s',
    async (also) => {
      await using stand = await openDreamStand();
      if (also !== 'nothing else') await stand.append([TEA]);
      await appendOn(stand, 1, OSLO);
      stand.advance(SETTLED_MS);
      const outcome = also === 'nothing else' ? 'NothingNew' : 'Dreamed';
      expect(await stand.dream()).toMatchObject({ outcome });
      expect(await stand.subject()).toMatchObject({ hasNew: true });
      stand.advance(DAY_MS);
      expect(await stand.dream()).toMatchObject({ outcome: 'Dreamed' });
      expect(await stand.memory()).toContain(OSLO);
      stand.advance(DAY_MS);
      expect(await stand.dream()).toMatchObject({ outcome: 'NothingNew' });
      expect(await stand.subject()).toMatchObject({ hasNew: false });
    },
  );

  test('a block of tomorrow is not forgotten while a proposal waits', async () => {
    await using stand = await openDreamStand();
    await stand.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    await stand.append([TEA]);
    await appendOn(stand, 1, OSLO);
    stand.advance(SETTLED_MS);
    expect(await stand.dream()).toMatchObject({ outcome: 'Waiting' });
    expect(await stand.subject()).toMatchObject({ hasNew: true });
  });
});

describe('what a dream holds of its files', () => {
  const HUGE = 'x'.repeat(4_000);

  async function standOf(blocks: number, lines: readonly string[]): Promise<DreamStand> {
    const stand = await openDreamStand();
    const { version: _, ...first } = await stand.append([...lines, TEA]);
    // Put, not appended: an append looks at all that is there.
    const { documents } = stand.opened.store;
    const put = (version: number) =>
      documents.put({ ...first, id: `block-${String(version)}`, version });
    await Promise.all(Array.from({ length: blocks - 1 }, (_unset, at) => put(at + 2)));
    return stand;
  }

  const ofAnn = ({ opened }: DreamStand) => ({
    documents: opened.store.documents,
    record: { tenant: TENANT, subject: ANN },
  });
  const whole = (path: string) => ({ window: [{ path, blocks: 9_999 }], earlier: [] });
  const FILE = 'memory/2026-11-01.md';

  test('no more new ones than a dream reads, the oldest first', async () => {
    await using stand = await standOf(DREAM_BLOCKS_MAX + 1, []);
    const { fresh, isMore } = await readBlocks(ofAnn(stand), whole(FILE));
    expect([fresh.length, fresh[0]?.version, isMore]).toEqual([DREAM_BLOCKS_MAX, 1, true]);
  });

  test('no more text than a model reads: oldest new ones, newest known ones', async () => {
    await using stand = await standOf(
      12,
      Array.from({ length: 100 }, () => HUGE),
    );
    const unread = await readBlocks(ofAnn(stand), whole(FILE));
    expect(unread.fresh.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([unread.isMore, unread.known]).toEqual([true, []]);
    const place = { tenant: TENANT, subject: ANN };
    const all = Array.from({ length: 12 }, (_, index) => ({ path: FILE, version: index + 1 }));
    await stand.opened.store.documents.markDreamed(place, all.slice(0, 1), SET_ASIDE_AT);
    await stand.opened.store.documents.markDreamed(place, all, stand.now());
    const read = await readBlocks(ofAnn(stand), whole(FILE));
    expect(read.known.map(({ version }) => version)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect([read.isMore, read.fresh]).toEqual([false, []]);
  });

  test('that there are more is known to who asks the model', async () => {
    await using stand = await openDreamStand();
    await stand.append([TEA]);
    const { ports } = stand;
    const { cut } = await gathered(stand);
    const material = await materialAt(ofAnn(stand), cut);
    if (material === null) throw new Error('MEMORY.md is gone.');
    const model = ports.models.extractiveDreamer;
    const leftOf = (isMore: boolean) =>
      askedDream(ports, { ...material, isMore }, model).leftBlocks;
    expect([leftOf(false), leftOf(true)]).toEqual([0, 1]);
  });

  test('what came after the cut is not in it, and files without news are not either', async () => {
    await using stand = await openDreamStand();
    await appendOn(stand, -2, TEA);
    await stand.dream();
    await appendOn(stand, -1, OSLO);
    await stand.append([ROSES]);
    const { cut } = await gathered(stand);
    expect(cut).toMatchObject({
      window: [{ path: FILE, blocks: 1 }],
      earlier: [{ path: 'memory/2026-10-31.md', blocks: 1 }],
      oldest: { path: 'memory/2026-10-31.md', version: 1 },
    });
    await stand.append([TEA]);
    await appendOn(stand, -1, TEA);
    const material = await materialAt(ofAnn(stand), cut);
    expect(material?.fresh.map(({ lines }) => lines[0]?.text)).toEqual([OSLO, ROSES]);
  });

  async function gathered(stand: DreamStand): Promise<{ kind: 'Ready'; cut: DreamCut }> {
    const input = { ...inputOf('dream-1'), subjectId: ANN_ID };
    const reading = await stand.activities().gatherDream(input);
    if (reading.kind !== 'Ready') throw new Error('There is nothing to dream of.');
    return reading;
  }
});
