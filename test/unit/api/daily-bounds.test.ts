/** The limits of a daily block, empty blocks, and how much an append reads. */
import { describe, expect, test } from 'vitest';
import { lastBlockOfKey } from '#api/operations/daily.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { SOURCES_PER_BLOCK_MAX } from '#api/operations/daily.ts';
import type { AskedBlock } from '#api/schemas/documents.ts';
import { LINE_SOURCES_MAX, LINES_PER_DOCUMENT_MAX } from '#core/records/document.ts';
import { blockOf } from '#test/conformance/document-samples.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { OPENING } from '#test/conformance/sqlite-adapter.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';
import { ANN, NOON, sharedTiers } from './memory-files-fixture.ts';

const fixture = sharedTiers();
const PATH = 'memory/2026-11-21.md';

const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => `- ${row}`).join('\n');

/** Lines of the longest lists of sources that name so many different ones together. */
function linesOnSources(count: number): NonNullable<AskedBlock['lines']> {
  return Array.from({ length: Math.ceil(count / LINE_SOURCES_MAX) }, (_, line) => ({
    text: `line ${line}`,
    sources: Array.from(
      { length: Math.min(LINE_SOURCES_MAX, count - line * LINE_SOURCES_MAX) },
      (__, source) => `turn-${line * LINE_SOURCES_MAX + source}`,
    ),
  }));
}

describe('a daily block', () => {
  test.each<[what: string, given: Partial<AskedBlock>, details: object]>([
    [
      'lines in several texts',
      { lines: [{ text: rowsOf(1_500) }, { text: rowsOf(LINES_PER_DOCUMENT_MAX - 1_499) }] },
      { linesMax: LINES_PER_DOCUMENT_MAX, lines: LINES_PER_DOCUMENT_MAX + 1 },
    ],
    [
      'sources',
      { lines: linesOnSources(SOURCES_PER_BLOCK_MAX + 1) },
      { sourcesMax: SOURCES_PER_BLOCK_MAX, sources: SOURCES_PER_BLOCK_MAX + 1 },
    ],
  ])('with too many %s is refused with the maximum and not stored', async (_, given, details) => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const error = await failureOf(daily.append({ tenant, subject: ANN, ...given }));
    expect(error).toMatchObject({ code: 'CONTENT_TOO_LONG', details });
    expect(await daily.get({ tenant, subject: ANN })).toBeNull();
  });

  test('with the most lines and sources is stored', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const of = { tenant, subject: ANN };
    const halves = [{ text: rowsOf(1_500) }, { text: rowsOf(LINES_PER_DOCUMENT_MAX - 1_500) }];
    expect(await daily.append({ ...of, lines: halves })).toMatchObject({
      lines: LINES_PER_DOCUMENT_MAX,
    });
    const lines = linesOnSources(SOURCES_PER_BLOCK_MAX);
    await daily.append({ ...of, lines });
    const kept = (await daily.get({ ...of, after: 1 }))?.lines;
    expect(kept?.map(({ sources }) => sources)).toEqual(lines.map(({ sources }) => sources));
  });

  test.each(['-', '---', '* * *', '#', '# ## #', '-\n\n---\n* '])(
    'of Markdown marks alone is refused: %j',
    async (text) => {
      const tenant = newTenant();
      const { daily, document } = fixture().tiers();
      const error = await failureOf(daily.append({ tenant, subject: ANN, text }));
      expect(error).toMatchObject({ code: 'INVALID_INPUT' });
      expect(error.message).toContain('contains only Markdown markup');
      expect(await document.list({ tenant, subject: ANN })).toEqual({ paths: [] });
    },
  );

  test.each<[text: string, lines: readonly string[]]>([
    ['# Only a heading', ['Only a heading']],
    ['## Plans\n\n### Friday: the *boat*\n', ['Plans', 'Friday: the *boat*']],
    [' # - Ann sings', ['Ann sings']],
  ])('of headings alone has their words as its lines: %j', async (text, lines) => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const asked = { tenant, subject: ANN, key: 'k', text };
    await daily.append(asked);
    const file = await daily.get({ tenant, subject: ANN });
    expect(file?.lines.map((line) => line.text)).toEqual(lines);
    expect(await daily.append(asked)).toMatchObject({ added: false });
  });
});

/** The ports, and the calls of two of their functions with the most that ran at once. */
function counted(ports: ApiPorts) {
  const seen = { reads: new Map<string, number>(), atOnce: 0, atOnceMax: 0, listed: 0 };
  const { memories, documents } = ports.store;
  const counting: ApiPorts = {
    ...ports,
    store: {
      ...ports.store,
      memories: {
        ...memories,
        get: async (tenant, id) => {
          seen.reads.set(id, (seen.reads.get(id) ?? 0) + 1);
          seen.atOnce += 1;
          seen.atOnceMax = Math.max(seen.atOnceMax, seen.atOnce);
          const memory = await memories.get(tenant, id);
          seen.atOnce -= 1;
          return memory;
        },
      },
      documents: {
        ...documents,
        list: async (place, page) => {
          const blocks = await documents.list(place, page);
          seen.listed += blocks.length;
          return blocks;
        },
      },
    },
  };
  return { ports: counting, seen };
}

describe('reading for a daily block', () => {
  test('reads each source once and few of them at the same time', async () => {
    const tenant = newTenant();
    const { ports, seen } = counted(fixture().ports);
    const lines = linesOnSources(100);
    const asked = { tenant, subject: ANN, lines: [...lines, ...lines] };
    await OPERATIONS.daily.append.call(ports, LOCAL_OPERATOR, asked);
    expect([...seen.reads.values()]).toEqual(Array.from({ length: 100 }, () => 1));
    expect(seen.atOnceMax).toBeGreaterThan(1);
    expect(seen.atOnceMax).toBeLessThanOrEqual(16);
  });

  test('finds a key from the end of the file, within a limit', async () => {
    const tenant = newTenant();
    const place = { tenant, subject: 'user/ann', path: PATH };
    await using store = await openSqliteStore({ file: IN_MEMORY, ...OPENING });
    const { ports, seen } = counted({ ...fixture().ports, store });
    for (let n = 1; n <= 1_150; n += 1) {
      await ports.store.documents.append(
        blockOf(tenant, n, { ...place, lines: [], key: `key-${n}`, at: NOON }),
        { subjectId: `subject of ${tenant}` },
      );
    }
    const cases: readonly [key: string, version: number | null, read: number][] = [
      ['key-1150', 1_150, 0],
      ['key-1149', 1_149, 100],
      ['key-1049', 1_049, 200],
      ['key-150', 150, 1_000],
      ['key-149', null, 1_000],
      ['none', null, 1_000],
    ];
    for (const [key, version, read] of cases) {
      seen.listed = 0;
      const found = await lastBlockOfKey(ports, place, key);
      expect([key, found?.version ?? null, seen.listed]).toEqual([key, version, read]);
    }
  });

  test('finds a key anywhere in a short file, and none without a file', async () => {
    const tenant = newTenant();
    const { ports } = fixture();
    const place = { tenant, subject: 'user/ann', path: PATH };
    expect(await lastBlockOfKey(ports, place, 'a')).toBeNull();
    for (const key of ['a', 'b', 'c']) {
      await fixture().tiers().daily.append({ tenant, subject: ANN, key, text: 'Ann sings.' });
    }
    const found = async (key: string) => (await lastBlockOfKey(ports, place, key))?.version ?? null;
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(found))).toEqual([1, 2, 3, null]);
  });
});
