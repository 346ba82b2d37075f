import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCK_LENGTH_MAX } from '#api/operations/daily.ts';
import type { AskedBlock } from '#api/schemas/documents.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';
import { ANN, BOB, NOON, sharedTiers, type TiersFixture } from './memory-files-fixture.ts';

const fixture = sharedTiers();

/** Ann lives in Auckland, 13 hours ahead of UTC in November. */
const FAR = dreamPolicy({
  name: 'far',
  agents: [],
  users: ['ann'],
  timeZone: 'Pacific/Auckland',
});

const OBSERVED = {
  layer: 'user',
  scopeId: 'ann',
  kind: 'memory',
  content: 'Ann grows tulips.',
  key: null,
  deduplicate: null,
  tags: [],
  metadata: {},
  origin: { channel: 'extraction', principal: 'test', sources: [] },
  trust: 'observed',
  validFrom: null,
  expiresAt: null,
} as const satisfies Parameters<TiersFixture['ports']['provider']['add']>[1];

describe('the daily file', () => {
  test('TIER-03: the first block creates the file, and later blocks are appended', async () => {
    const tenant = newTenant();
    const { daily, document } = fixture().tiers();
    const of = { tenant, subject: ANN };
    expect(await daily.get(of)).toBeNull();
    expect(await document.list(of)).toEqual({ paths: [] });

    const first = await daily.append({ ...of, text: 'Ann grows tulips.' });
    const path = 'memory/2026-11-21.md';
    expect(first).toMatchObject({ path, day: '2026-11-21', version: 1, lines: 1, added: true });
    expect((await daily.get(of))?.text).toMatch(/^# Daily Memory: 2026-11-21\n/u);
    const before = await daily.get(of);

    fixture().clock.now += HOUR_MS;
    const second = await daily.append({ ...of, text: 'Bob cooks.' });
    expect(second).toMatchObject({ path, version: 2 });
    const file = await daily.get(of);
    expect(file?.text.startsWith(before?.text.trimEnd() ?? '?')).toBe(true);
    expect(file?.lines.map(({ text }) => text)).toEqual(['Ann grows tulips.', 'Bob cooks.']);
    expect(await document.list(of)).toEqual({ paths: [path] });
  });

  test('TIER-02: a block starts with its heading and the local time of the subject', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    await fixture().declare(tenant, [FAR]);
    const heading = 'Trimmed Context';
    const inUtc = await daily.append({ tenant, subject: BOB, heading, text: 'Bob cooks.' });
    const far = await daily.append({ tenant, subject: ANN, heading, text: 'Ann sleeps.' });
    expect([inUtc.day, far.day]).toEqual(['2026-11-21', '2026-11-22']);
    const file = await daily.get({ tenant, subject: ANN, day: '2026-11-22' });
    expect(file?.text).toBe(
      '# Daily Memory: 2026-11-22\n\n## Trimmed Context (03:30)\n\n- Ann sleeps.\n',
    );
    expect((await daily.get({ tenant, subject: BOB }))?.text).toContain(
      '## Trimmed Context (14:30)',
    );
  });

  test('an earlier statement goes to the file of its own day', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const of = { tenant, subject: ANN };
    const at = '2026-11-03T09:05:00+02:00';
    const { path } = await daily.append({ ...of, at, text: 'Ann was in Riga.' });
    expect(path).toBe('memory/2026-11-03.md');
    const file = await daily.get({ ...of, day: '2026-11-03' });
    expect(file?.text).toContain('## Notes (07:05)');
    expect(file?.lines[0]?.at).toBe(Date.parse(at));
    const ahead = { ...of, text: 'x', at: NOON + 25 * HOUR_MS };
    expect(await failureOf(daily.append(ahead))).toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('an append announces the subject to dreams', async () => {
    const tenant = newTenant();
    await fixture().tiers().daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
    const record = await fixture().ports.store.subjects.get(tenant, 'user/ann');
    expect(record).toMatchObject({ hasNew: true, announcedAt: NOON });
    expect(record?.subjectId).not.toContain('ann');
  });

  test('lines keep their own sources, and the text of a block gets those of the call', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    await daily.append({
      tenant,
      subject: ANN,
      sources: ['turn-1'],
      lines: [{ text: '- Ann grows tulips.' }, { text: 'Bob cooks.', sources: ['turn-2'] }],
    });
    const lines = (await daily.get({ tenant, subject: ANN }))?.lines;
    expect(lines?.map(({ text, sources }) => [text, sources])).toEqual([
      ['Ann grows tulips.', ['turn-1']],
      ['Bob cooks.', ['turn-2']],
    ]);
    expect(new Set(lines?.map(({ id }) => id)).size).toBe(2);
  });

  test('a line gets no more trust than its sources, whoever appends it', async () => {
    const tenant = newTenant();
    const { ports } = fixture();
    const by = { by: 'test', idempotencyKey: null };
    const { memory: kept } = await ports.provider.add(tenant, OBSERVED, by);
    const appended = async (of: string, id: string) => {
      const { daily } = fixture().tiers();
      await daily.append({ tenant: of, subject: ANN, text: 'Ann grows tulips.', sources: [id] });
      return (await daily.get({ tenant: of, subject: ANN }))?.lines.at(-1)?.trust;
    };
    expect(await appended(tenant, kept.id)).toBe('observed');
    expect(await appended(tenant, 'a-turn-of-a-session')).toBe('stated');
    // To another tenant it is an id like any other that is nowhere.
    expect(await appended(newTenant(), kept.id)).toBe('stated');
  });
});

describe('a repeated append', () => {
  const block = (tenant: string): AskedBlock => ({
    tenant,
    subject: ANN,
    key: 'session-1',
    heading: 'Trimmed Context',
    text: 'Ann grows tulips.\nBob cooks.',
    sources: ['turn-1'],
  });

  test('with the same key and block appends once, even after midnight', async () => {
    const tenant = newTenant();
    const { clock } = fixture();
    const { daily, document } = fixture().tiers();
    clock.now = Date.parse('2026-11-21T23:59:30Z');
    const first = await daily.append(block(tenant));
    for (const later of [0, 1, HOUR_MS / 2]) {
      clock.now += later;
      expect(await daily.append(block(tenant))).toEqual({ ...first, added: false });
    }
    expect(await document.list({ tenant, subject: ANN })).toEqual({ paths: [first.path] });
    // Much later it is another day's, as callers who count by day expect.
    clock.now += 2 * HOUR_MS;
    expect(await daily.append(block(tenant))).toMatchObject({ day: '2026-11-22', added: true });
  });

  test.each<[what: string, other: Partial<AskedBlock>]>([
    ['a different text', { text: 'Ann grows roses.' }],
    ['a different heading', { heading: 'Session End' }],
    ['different sources', { sources: ['turn-2'] }],
    ['one line fewer', { text: 'Ann grows tulips.' }],
  ])('with the same key and %s is CONFLICT and appends nothing', async (_, other) => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    await daily.append(block(tenant));
    const before = await daily.get({ tenant, subject: ANN });
    const error = await failureOf(daily.append({ ...block(tenant), ...other }));
    expect(error).toMatchObject({ code: 'CONFLICT', retryable: false });
    expect(await daily.get({ tenant, subject: ANN })).toEqual(before);
  });
});

describe('limits of a block', () => {
  test('the longest block is accepted, and a longer one is refused with the maximum', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const words = 'tulips '.repeat(BLOCK_LENGTH_MAX / 7 + 1);
    const longest = words.slice(0, BLOCK_LENGTH_MAX);
    const { lines } = await daily.append({ tenant, subject: ANN, text: longest });
    expect(lines).toBe(9);
    const file = await daily.get({ tenant, subject: ANN });
    expect(file?.lines.map(({ text }) => text).join(' ')).toBe(longest.trim());
    const error = await failureOf(
      daily.append({ tenant, subject: ANN, text: words.slice(0, BLOCK_LENGTH_MAX + 1) }),
    );
    const details = { lengthMax: BLOCK_LENGTH_MAX, length: BLOCK_LENGTH_MAX + 1 };
    expect(error).toMatchObject({ code: 'CONTENT_TOO_LONG', details });
    expect(await daily.get({ tenant, subject: ANN })).toEqual(file);
  });

  test('any text is stored word for word, and repeating the append adds nothing', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const word = fc.stringMatching(/^[\p{L}\p{N}#>*_`.)+-]{1,12}$/u);
    const rows = fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 5,
    });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(rows, async (words) => {
        const lines = words.map((row) => ({ text: `- said: ${row.join(' ')}` }));
        made += 1;
        const asked = { tenant, subject: ANN, key: String(made), lines };
        const { version } = await daily.append(asked);
        const file = await daily.get({ tenant, subject: ANN, after: version - 1 });
        expect(file?.lines.map(({ text }) => text)).toEqual(
          words.map((row) => `said: ${row.join(' ')}`),
        );
        expect(await daily.append(asked)).toMatchObject({ version, added: false });
      }),
      { numRuns: 25 },
    );
  });

  test('a long file is read in parts that do not overlap', async () => {
    const tenant = newTenant();
    const { daily } = fixture().tiers();
    const text = 'tulips '.repeat(4_600);
    const blocks = 40;
    for (let n = 0; n < blocks; n += 1) {
      await daily.append({ tenant, subject: ANN, text: `${String(n)} ${text}` });
    }
    const seen: number[] = [];
    let parts = 0;
    for (let after = 0; ; parts += 1) {
      const part = await daily.get({ tenant, subject: ANN, after });
      const firsts = part?.lines.flatMap((line) => /^(\d+) /u.exec(line.text)?.[1] ?? []);
      seen.push(...(firsts ?? []).map(Number));
      expect(part?.text.length).toBeLessThan(1_100_000);
      if (part?.nextAfter == null) break;
      after = part.nextAfter;
    }
    expect(parts).toBeGreaterThan(0);
    expect(seen).toEqual(Array.from({ length: blocks }, (_, n) => n));
  });
});

test('a released tenant can be read but not appended to', async () => {
  const tenant = newTenant();
  const { daily } = fixture().tiers();
  await daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
  await fixture().release(tenant);
  const error = await failureOf(daily.append({ tenant, subject: ANN, text: 'Bob cooks.' }));
  expect(error).toMatchObject({ code: 'FORBIDDEN' });
  expect((await daily.get({ tenant, subject: ANN }))?.lines).toHaveLength(1);
});
