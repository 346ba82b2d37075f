/** The suite of `DocumentRecords`: files of blocks, and files that are written whole. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { Document } from '#core/records/document.ts';
import { ARCHIVE_PATH, diaryPath, MEMORY_PATH } from '#core/memory-files/paths.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { ANN, blockOf, coreOf, DAILY, lineOf, subjectIdOf } from './document-samples.ts';
import { NOW } from './samples.ts';

const BOB = 'user/bob';
const RUNS = 20;
const TEST_MS_MAX = 180_000;
/** More than one batch of any adapter. */
const MANY = 1_200;
const PAGE = 100;

const placeOf = (tenant: string, path = DAILY, subject = ANN) => ({ tenant, subject, path });
const announcement = { subjectId: subjectIdOf(1) };

/** The whole file, page by page. */
async function fileOf(store: Store, place: ReturnType<typeof placeOf>, limit = PAGE) {
  const blocks: Document[] = [];
  for (;;) {
    const after = blocks.at(-1)?.version ?? 0;
    const page = await store.documents.list(place, { after, limit });
    if (page.length === 0) return blocks;
    // Each page ends later than the one before it, so that there is a last one.
    expect(page.at(-1)?.version).toBeGreaterThan(after);
    blocks.push(...page);
  }
}

export function documentSuite(open: Open): void {
  describe('documents: files of blocks', () => {
    blockSuite(open);
    writerSuite(open);
  });
  describe('documents: files that are replaced whole', () => {
    wholeSuite(open);
  });
  describe('documents: dreamed blocks', () => {
    dreamedSuite(open);
  });
}

function blockSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('TIER-03: the first block creates a file, and later ones are appended to it', async () => {
    const { store, tenant } = fixture();
    const place = placeOf(tenant);
    expect(await store.documents.latest(place)).toBeNull();
    expect(await store.documents.list(place, { after: 0, limit: 9 })).toEqual([]);
    const kept: Document[] = [];
    for (const n of [1, 2, 3]) {
      const { document, isNew } = await store.documents.append(blockOf(tenant, n), announcement);
      expect(isNew).toBe(true);
      expect(document).toEqual({ ...blockOf(tenant, n), version: n });
      kept.push(document);
    }
    expect(kept.map((each) => Document.parse(each))).toEqual(kept);
    expect(await store.documents.list(place, { after: 0, limit: 9 })).toEqual(kept);
    expect(await store.documents.list(place, { after: 1, limit: 1 })).toEqual([kept[1]]);
    expect(await store.documents.latest(place)).toEqual(kept[2]);
    expect(await store.documents.get({ ...place, version: 2 })).toEqual(kept[1]);
    expect(await store.documents.get({ ...place, version: 4 })).toBeNull();
  });

  it('a keyed block is appended once to a file, and the first one stays', async () => {
    const { store, tenant } = fixture();
    const append = (n: number, differing: Partial<Document>) =>
      store.documents.append(blockOf(tenant, n, differing), {
        subjectId: subjectIdOf(differing.subject === BOB ? 2 : 1),
      });
    const { document: first } = await append(1, { key: 'flush-1' });
    await append(2, { key: null });
    const again = await append(3, { key: 'flush-1', lines: [lineOf(99)] });
    expect(again).toEqual({ document: first, isNew: false });
    for (const other of [
      { key: 'flush-2' },
      { key: 'flush-1', path: 'memory/2026-11-02.md' },
      { key: 'flush-1', subject: BOB },
    ]) {
      expect(await append(4, other)).toMatchObject({ isNew: true });
    }
    const versions = (await fileOf(store, placeOf(tenant))).map(({ version, key }) => [
      version,
      key,
    ]);
    expect(versions).toEqual([
      [1, 'flush-1'],
      [2, null],
      [3, 'flush-2'],
    ]);
  });

  it('a daily block announces its subject, other blocks do not', async () => {
    const { store, tenant } = fixture();
    const append = (at: number, differing: Partial<Document> = {}) =>
      store.documents.append(blockOf(tenant, 1, { at, ...differing }), announcement);
    const state = () => store.subjects.get(tenant, ANN);
    await append(NOW, { path: ARCHIVE_PATH, kind: 'Archive' });
    await append(NOW, { path: diaryPath('2026-11-01'), kind: 'Diary' });
    expect(await state()).toBeNull();
    await append(NOW + 5, { key: 'a' });
    const first = await state();
    expect(first).toMatchObject({ subjectId: subjectIdOf(1), hasNew: true, announcedAt: NOW + 5 });
    expect(first).toMatchObject({ version: 1, last: null, tombstones: [], processedHash: null });
    // What is there already was announced then.
    await append(NOW + 9, { key: 'a' });
    expect(await state()).toEqual(first);
    const processed = { hasNew: false, processedHash: 'hash', tombstones: ['t'], version: 2 };
    if (first === null) throw new Error('The subject was announced.');
    expect(await store.subjects.put({ ...first, ...processed })).toBe(true);
    const other = { subjectId: subjectIdOf(2) };
    await store.documents.append(blockOf(tenant, 2, { at: NOW + 1 }), other);
    // Its own id, and a time that does not go back.
    const after = { ...first, ...processed, hasNew: true, version: 3 };
    expect(await state()).toEqual(after);
    // A block of long ago that is announced now.
    const now = { ...other, announcedAt: NOW + 20 };
    await store.documents.append(blockOf(tenant, 3, { at: 0 }), now);
    expect(await state()).toEqual({ ...after, announcedAt: NOW + 20, version: 4 });
  });

  it('a block with the subject id of another subject is refused', async () => {
    const { store, tenant } = fixture();
    await store.documents.append(blockOf(tenant, 1), announcement);
    const append = store.documents.append(blockOf(tenant, 1, { subject: BOB }), announcement);
    await expect(append).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.subjects.get(tenant, BOB)).toBeNull();
    expect(await fileOf(store, placeOf(tenant, DAILY, BOB))).toEqual([]);
  });

  it('the files of a subject are listed by path, page by page', async () => {
    const { store, tenant } = fixture();
    const paths = ['MEMORY.md', ARCHIVE_PATH, DAILY, 'memory/2026-11-02.md', 'memory/dreams/d.md'];
    await store.documents.put(coreOf(tenant, 1));
    await store.documents.put(coreOf(tenant, 2));
    for (const path of [...paths.slice(1), ...paths.slice(1)]) {
      await store.documents.append(blockOf(tenant, 1, { path }), announcement);
    }
    await store.documents.append(blockOf(tenant, 1, { path: 'other.md', subject: BOB }), {
      subjectId: subjectIdOf(2),
    });
    const sorted = paths.toSorted();
    const pathsOf = (after: string, limit: number) =>
      store.documents.paths({ tenant, subject: ANN }, { after, limit });
    expect(await pathsOf('', 10)).toEqual(sorted);
    expect(await pathsOf('', 2)).toEqual(sorted.slice(0, 2));
    expect(await pathsOf(sorted[1] ?? '', 2)).toEqual(sorted.slice(2, 4));
    expect(await pathsOf(sorted.at(-1) ?? '', 2)).toEqual([]);
  });

  it('the newest blocks of the files between two paths are listed backwards', async () => {
    const { store, tenant } = fixture();
    const days = ['2026-10-29', '2026-10-30', '2026-10-31', '2026-11-01'];
    for (const [n, day] of [...days, ...days].entries()) {
      const path = `memory/${day}.md`;
      await store.documents.append(blockOf(tenant, n, { path, lines: [lineOf(n)] }), announcement);
    }
    const subject = { tenant, subject: ANN };
    const between = { after: `memory/${days[0] ?? ''}.md`, before: `memory/${days[3] ?? ''}.md` };
    const blocks = async (limit: number) =>
      (await store.documents.between(subject, { ...between, limit })).map(
        ({ path, version }) => `${path} ${String(version)}`,
      );
    const found = ['10-31.md 2', '10-31.md 1', '10-30.md 2', '10-30.md 1'];
    expect(await blocks(9)).toEqual(found.map((each) => `memory/2026-${each}`));
    expect(await blocks(3)).toEqual(found.slice(0, 3).map((each) => `memory/2026-${each}`));
    const other = { tenant, subject: BOB };
    expect(await store.documents.between(other, { ...between, limit: 9 })).toEqual([]);
  });
}

/** What writers at the same time append: to which file, and by which key. */
const APPENDS = fc.array(
  fc.record({
    path: fc.constantFrom(DAILY, ARCHIVE_PATH),
    key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 3 }),
  }),
  { minLength: 1, maxLength: 24 },
);

function writerSuite(open: Open): void {
  const fixture = sharedStore(open);

  it(
    'blocks of concurrent writers are numbered without gaps',
    { timeout: TEST_MS_MAX },
    async () => {
      const { store } = fixture();
      const property = fc.asyncProperty(APPENDS, async (appends) => {
        const tenant = newTenant();
        const ends = await Promise.all(
          appends.map(({ path, key }, n) =>
            store.documents.append(blockOf(tenant, n, { path, key }), announcement),
          ),
        );
        for (const path of [DAILY, ARCHIVE_PATH]) {
          const given = ends.filter(({ document }) => document.path === path);
          const fresh = given.filter(({ isNew }) => isNew).map(({ document }) => document);
          const file = fresh.toSorted((a, b) => a.version - b.version);
          // One of each key, and all that have none.
          const wanted = appends.filter((append) => append.path === path);
          const keys = new Set(wanted.flatMap(({ key }) => key ?? []));
          const unkeyed = wanted.filter(({ key }) => key === null);
          expect(file.map(({ version }) => version)).toEqual(
            Array.from({ length: keys.size + unkeyed.length }, (_, n) => n + 1),
          );
          // The file is these blocks one after another, however it is paged.
          expect(await fileOf(store, placeOf(tenant, path), 3)).toEqual(file);
          for (const { document } of given) expect(file).toContainEqual(document);
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    },
  );
}

function wholeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('one of two writers of the same version of MEMORY.md succeeds', async () => {
    const { store, tenant } = fixture();
    const place = placeOf(tenant, MEMORY_PATH);
    expect(await store.documents.put(coreOf(tenant, 1))).toBe(true);
    const late = coreOf(tenant, 1, { lines: [lineOf(7)], proposalId: 'other' });
    expect(await store.documents.put(late)).toBe(false);
    expect(await store.documents.latest(place)).toEqual(coreOf(tenant, 1));
    const both = await Promise.all(
      ['a', 'b'].map((proposalId) => store.documents.put(coreOf(tenant, 2, { proposalId }))),
    );
    expect(both.filter(Boolean)).toHaveLength(1);
    const written = coreOf(tenant, 2, { proposalId: both[0] === true ? 'a' : 'b' });
    expect(await store.documents.latest(place)).toEqual(written);
    // The version before it stays as it was.
    expect(await store.documents.get({ ...place, version: 1 })).toEqual(coreOf(tenant, 1));
    expect(await store.documents.list(place, { after: 0, limit: 9 })).toEqual([
      coreOf(tenant, 1),
      written,
    ]);
    // No announcement: a dream does not read what a dream wrote.
    expect(await store.subjects.get(tenant, ANN)).toBeNull();
  });
}

function dreamedSuite(open: Open): void {
  const fixture = sharedStore(open);
  const dreamedAt = async (store: Store, tenant: string, path = DAILY) =>
    (await fileOf(store, placeOf(tenant, path))).map((block) => block.dreamedAt);

  it('only the named daily blocks are marked as dreamed, once', async () => {
    const { store, tenant } = fixture();
    const diary = diaryPath('2026-11-01');
    for (const n of [1, 2, 3]) await store.documents.append(blockOf(tenant, n), announcement);
    const others = { path: diary, kind: 'Diary' } as const;
    await store.documents.append(blockOf(tenant, 1, others), announcement);
    const bob = { subjectId: subjectIdOf(2) };
    await store.documents.append(blockOf(tenant, 1, { subject: BOB }), bob);
    const mark = (at: number, ...blocks: [string, number][]) =>
      store.documents.markDreamed(
        { tenant, subject: ANN },
        blocks.map(([path, version]) => ({ path, version })),
        at,
      );
    await mark(NOW, [DAILY, 1], [DAILY, 9], [diary, 1], ['nowhere.md', 1]);
    await mark(NOW + 1, [DAILY, 1], [DAILY, 3]);
    await mark(NOW + 2);
    expect(await dreamedAt(store, tenant)).toEqual([NOW, null, NOW + 1]);
    expect(await dreamedAt(store, tenant, diary)).toEqual([null]);
    expect((await fileOf(store, placeOf(tenant, DAILY, BOB))).map((b) => b.dreamedAt)).toEqual([
      null,
    ]);
    expect((await fileOf(store, placeOf(tenant)))[0]).toEqual({
      ...blockOf(tenant, 1, { dreamedAt: NOW }),
      version: 1,
    });
  });

  it('a call can mark many blocks as dreamed', { timeout: TEST_MS_MAX }, async () => {
    const { store, tenant } = fixture();
    const write = (version: number) =>
      store.documents.put({ ...blockOf(tenant, version, { lines: [] }), version });
    for (let n = 1; n <= MANY; n += PAGE) {
      await Promise.all(Array.from({ length: PAGE }, (_, at) => write(n + at)));
    }
    const blocks = Array.from({ length: MANY }, (_, n) => ({ path: DAILY, version: n + 1 }));
    await store.documents.markDreamed({ tenant, subject: ANN }, blocks.slice(1), NOW);
    const marked = await dreamedAt(store, tenant);
    expect(marked).toEqual([null, ...blocks.slice(1).map(() => NOW)]);
  });
}
