import { describe, expect, test } from 'vitest';
import { MEMORY_MD_LENGTH_MAX } from '#api/operations/documents.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';
import {
  ANN,
  lineOf,
  memoryFile,
  NOON,
  sharedTiers,
  subjectRecordOf,
} from './memory-files-fixture.ts';

const fixture = sharedTiers();

const TEXT = `## Garden

- Ann grows tulips.
- Ann likes tea.
`;

/** Version 1, as a dream wrote it: two lines on sources. */
async function dreamed(tenant: string): Promise<void> {
  const { store } = fixture().ports;
  await store.subjects.put(subjectRecordOf(tenant));
  const lines = ['Ann grows tulips.', 'Ann likes tea.'].map((text) =>
    lineOf(text, { heading: 'Garden', sources: [`block of ${text}`] }),
  );
  await store.documents.put(memoryFile(tenant, lines));
}

async function tombstonesOf(tenant: string): Promise<readonly string[]> {
  const record = await fixture().ports.store.subjects.get(tenant, 'user/ann');
  return record?.tombstones ?? [];
}

function call<Answer>(
  operation: {
    call(ports: ApiPorts, principal: typeof LOCAL_OPERATOR, input: unknown): Promise<Answer>;
  },
  input: object,
): Promise<Answer> {
  return operation.call(fixture().ports, LOCAL_OPERATOR, input);
}

describe('MEMORY.md', () => {
  test('TIER-04: it is Markdown with bullets under headings, and each line has its sources', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const file = await fixture().tiers().document.get({ tenant, subject: ANN });
    const written = { path: MEMORY_PATH, kind: 'Core', version: 1, author: 'dream', at: NOON };
    expect(file).toMatchObject({ ...written, text: TEXT, dreamId: 'dream-1', nextAfter: null });
    expect(file?.lines.map(({ sources }) => sources)).toEqual([
      ['block of Ann grows tulips.'],
      ['block of Ann likes tea.'],
    ]);
  });

  test.each([
    {
      how: 'deleted, and leaves earlier versions as well',
      end: (tenant: string, id: string) => call(OPERATIONS.memory.delete, { tenant, id }),
      history: '- Ann likes tea.\n',
    },
    {
      how: 'changed, and stays in earlier versions',
      end: (tenant: string, id: string) =>
        call(OPERATIONS.memory.update, { tenant, id, content: 'Ann lives in Braga.' }),
      history: '- Ann lives in Porto.\n- Ann likes tea.\n',
    },
  ])('a line leaves when a memory that it rests on is $how', async ({ end, history }) => {
    const tenant = newTenant();
    const about = { tenant, layer: 'user', identifiers: { userId: 'ann' } };
    const added = await call(OPERATIONS.memory.add, { ...about, content: 'Ann lives in Porto.' });
    const { id } = added.memory;
    const { daily, document } = fixture().tiers();
    const of = { tenant, subject: ANN };
    const lines = [{ text: 'Porto.', sources: [id] }, { text: 'Tea.' }];
    await daily.append({ ...of, lines });
    await daily.append({ ...of, text: 'Porto again.', sources: [id] });
    await fixture().ports.store.subjects.put(subjectRecordOf(tenant));
    const core = [lineOf('Ann lives in Porto.', { sources: [id] }), lineOf('Ann likes tea.')];
    await fixture().ports.store.documents.put(memoryFile(tenant, core));
    expect((await document.get(of))?.outdatedLines).toBe(0);
    await end(tenant, id);
    const file = await document.get(of);
    expect(file).toMatchObject({ text: '- Ann likes tea.\n', outdatedLines: 1 });
    const day = await daily.get(of);
    expect(day?.text).not.toContain('Porto');
    expect(day).toMatchObject({ outdatedLines: 2, lines: [{ text: 'Tea.' }] });
    expect((await document.get({ ...of, version: 1 }))?.text).toBe(history);
    const { version } = await document.restore({ ...of, version: 1 });
    const written = await fixture().ports.store.documents.latest({
      tenant,
      subject: 'user/ann',
      path: 'MEMORY.md',
    });
    expect({ version, says: JSON.stringify(written).includes('Porto') }).toEqual({
      version,
      says: history.includes('Porto'),
    });
    expect(await tombstonesOf(tenant)).toEqual([]);
    const text = '- Ann likes coffee.\n';
    const edit = await document.edit({ ...of, text, expectedVersion: version });
    expect(edit).toMatchObject({ added: 1, removed: 1 });
    expect((await document.get(of))?.text).toBe(text);
    // What a person never saw is not what that person deleted.
    expect(await tombstonesOf(tenant)).toHaveLength(1);
  });

  test('a line written after its memory changed stays, even if tags change later', async () => {
    const tenant = newTenant();
    const about = { tenant, layer: 'user', identifiers: { userId: 'ann' } };
    const added = await call(OPERATIONS.memory.add, { ...about, content: 'Ann lives in Porto.' });
    const { id } = added.memory;
    await call(OPERATIONS.memory.update, { tenant, id, content: 'Ann lives in Braga.' });
    const { daily } = fixture().tiers();
    const of = { tenant, subject: ANN };
    // The provider's own clock told when the memory was changed.
    fixture().clock.now = Date.now() + 1;
    const { day } = await daily.append({ ...of, text: 'Braga.', sources: [id] });
    await call(OPERATIONS.memory.update, { tenant, id, tags: ['home'] });
    expect(await daily.get({ ...of, day })).toMatchObject({
      outdatedLines: 0,
      lines: [{ text: 'Braga.' }],
    });
  });

  test("a bound caller's line stays if it cites a memory that the caller may not read", async () => {
    const tenant = newTenant();
    const bobs = { tenant, layer: 'user', identifiers: { userId: 'bob' } };
    const { memory } = await call(OPERATIONS.memory.add, {
      ...bobs,
      content: 'Bob lives in Porto.',
    });
    const principal = { name: 'ann', tenants: [tenant], bound: { userId: 'ann' } };
    const { daily } = fixture().tiers(principal);
    const of = { tenant, subject: ANN };
    await daily.append({ ...of, text: 'Porto.', sources: [memory.id] });
    await call(OPERATIONS.memory.delete, { tenant, id: memory.id });
    expect(await daily.get(of)).toMatchObject({ outdatedLines: 0, lines: [{ text: 'Porto.' }] });
  });

  test('is absent at any version if the subject has none', async () => {
    const tenant = newTenant();
    const { document } = fixture().tiers();
    expect(await document.get({ tenant, subject: ANN })).toBeNull();
    expect(await document.get({ tenant, subject: ANN, version: 1 })).toBeNull();
    expect(await document.get({ tenant, subject: ANN, path: 'memory/archive.md' })).toBeNull();
    expect(await document.versions({ tenant, subject: ANN })).toEqual({
      versions: [],
      nextBefore: null,
    });
    const restore = document.restore({ tenant, subject: ANN, version: 1 });
    expect(await failureOf(restore)).toMatchObject({
      code: 'NOT_FOUND',
      message: 'MEMORY.md has no version 1; see varve core versions, or document.versions.',
    });
  });

  test('the diary and the archive are read by path, as Markdown', async () => {
    const tenant = newTenant();
    const { store } = fixture().ports;
    const diary = { path: 'memory/dreams/2026-11-21.md', kind: 'Diary' } as const;
    const archive = { path: 'memory/archive.md', kind: 'Archive' } as const;
    for (const place of [diary, archive]) {
      const { version: _, ...file } = memoryFile(tenant, [lineOf('Ann slept.')]);
      const block = { ...file, ...place, id: place.path, heading: 'Deep Dream' };
      await store.documents.append(block, { subjectId: 'subject-of-ann' });
    }
    const { document } = fixture().tiers();
    const text = async (path: string) => (await document.get({ tenant, subject: ANN, path }))?.text;
    expect(await text(diary.path)).toBe(
      '# Dream Diary: 2026-11-21\n\n## Deep Dream (14:30)\n\n- Ann slept.\n',
    );
    expect(await text(archive.path)).toContain('## Deep Dream (2026-11-21)\n\n- Ann slept.\n');
    const { paths } = await document.list({ tenant, subject: ANN });
    expect(paths).toEqual([archive.path, diary.path]);
    expect(await document.list({ tenant, subject: ANN, limit: 1 })).toEqual({
      paths: [archive.path],
    });
    const versioned = document.get({ tenant, subject: ANN, path: diary.path, version: 1 });
    expect(await failureOf(versioned)).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe("a person's edit of MEMORY.md", () => {
  test('kept lines keep their sources, new lines are stated, and deleted lines stay away', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    const text = '- Bob cooks.\n\n## Garden\n- Ann grows tulips.\n';
    const edited = await document.edit({ tenant, subject: ANN, text, expectedVersion: 1 });
    expect(edited).toEqual({ version: 2, added: 1, removed: 1 });
    const file = await document.get({ tenant, subject: ANN });
    expect(file).toMatchObject({ version: 2, author: 'caller', dreamId: null });
    expect(file?.lines).toMatchObject([
      { text: 'Bob cooks.', heading: null, sources: [], trust: 'stated', at: NOON },
      {
        id: 'line-Ann grows tulips.',
        heading: 'Garden',
        sources: ['block of Ann grows tulips.'],
        trust: 'observed',
      },
    ]);
    expect(await tombstonesOf(tenant)).toHaveLength(1);
    // What was there before is there still.
    expect((await document.get({ tenant, subject: ANN, version: 1 }))?.text).toBe(TEXT);
  });

  test('restoring a deleted line by hand removes its tombstone', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    const edit = (text: string, expectedVersion: number) =>
      document.edit({ tenant, subject: ANN, text, expectedVersion });
    await edit('- Ann grows tulips.', 1);
    expect(await tombstonesOf(tenant)).toHaveLength(1);
    await edit(TEXT, 2);
    expect(await tombstonesOf(tenant)).toEqual([]);
  });

  test('an edit of another version is CONFLICT, and the error names the current version', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    for (const expectedVersion of [0, 2, 7]) {
      const edit = document.edit({ tenant, subject: ANN, text: '- x', expectedVersion });
      const error = await failureOf(edit);
      expect(error).toMatchObject({ code: 'CONFLICT', details: { version: 1 } });
    }
    expect((await document.get({ tenant, subject: ANN }))?.text).toBe(TEXT);
    expect(await tombstonesOf(tenant)).toEqual([]);
  });

  test('of several edits at the same time, one is written and the others are CONFLICT', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    const edits = ['Bob cooks.', 'Ann sings.', 'Dana waits.'].map((text) =>
      document.edit({ tenant, subject: ANN, text, expectedVersion: 1 }),
    );
    const ends = await Promise.allSettled(edits);
    const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect(lost).toHaveLength(2);
    for (const error of lost) expect(error).toMatchObject({ code: 'CONFLICT' });
    const { versions } = await document.versions({ tenant, subject: ANN });
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
  });

  test('an edit that changes nothing writes nothing', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    const edited = await document.edit({ tenant, subject: ANN, text: TEXT, expectedVersion: 1 });
    expect(edited).toEqual({ version: 1, added: 0, removed: 0 });
    expect((await document.versions({ tenant, subject: ANN })).versions).toHaveLength(1);
  });

  test('may create MEMORY.md or empty it', async () => {
    const tenant = newTenant();
    const { document } = fixture().tiers();
    const edit = (text: string, expectedVersion: number) =>
      document.edit({ tenant, subject: ANN, text, expectedVersion });
    expect(await edit('- Ann sings.', 0)).toEqual({ version: 1, added: 1, removed: 0 });
    expect(await edit('', 1)).toEqual({ version: 2, added: 0, removed: 1 });
    expect((await document.get({ tenant, subject: ANN }))?.text).toBe('');
  });

  test('a text that is too long is refused, and the error names the maximum', async () => {
    const tenant = newTenant();
    const { document } = fixture().tiers();
    const row = `- ${'tulips '.repeat(500).trim()}\n`;
    const text = row.repeat(MEMORY_MD_LENGTH_MAX / row.length + 1);
    const error = await failureOf(
      document.edit({ tenant, subject: ANN, text, expectedVersion: 0 }),
    );
    const details = { lengthMax: MEMORY_MD_LENGTH_MAX, length: text.length };
    expect(error).toMatchObject({ code: 'CONTENT_TOO_LONG', details });
    expect(await document.get({ tenant, subject: ANN })).toBeNull();
  });
});

describe('versions of MEMORY.md', () => {
  test('are listed newest first, with added and removed lines, page by page', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    const edit = (text: string, expectedVersion: number) =>
      document.edit({ tenant, subject: ANN, text, expectedVersion });
    await edit('- Ann grows tulips.', 1);
    await edit('- Ann grows tulips.\n- Bob cooks.\n- Dana waits.', 2);
    const { versions } = await document.versions({ tenant, subject: ANN });
    expect(versions).toMatchObject([
      { version: 3, author: 'caller', dreamId: null, lines: 3, added: 2, removed: 0 },
      { version: 2, author: 'caller', dreamId: null, lines: 1, added: 0, removed: 1 },
      { version: 1, author: 'dream', dreamId: 'dream-1', lines: 2, added: 2, removed: 0 },
    ]);
    const pages = [];
    let before: { before?: number } = {};
    for (const next of [3, 2, null]) {
      const page = await document.versions({ tenant, subject: ANN, limit: 1, ...before });
      pages.push(...page.versions);
      expect(page.nextBefore).toBe(next);
      before = next === null ? {} : { before: next };
    }
    expect(pages).toEqual(versions);
    const none = await document.versions({ tenant, subject: ANN, before: 1 });
    expect(none).toEqual({ versions: [], nextBefore: null });
  });

  test('restoring a version creates a new one with the same text and sources', async () => {
    const tenant = newTenant();
    await dreamed(tenant);
    const { document } = fixture().tiers();
    await document.edit({ tenant, subject: ANN, text: '- Bob cooks.', expectedVersion: 1 });
    const first = await document.get({ tenant, subject: ANN, version: 1 });
    const asked = { tenant, subject: ANN, version: 1 };
    const old = await failureOf(document.restore({ ...asked, expectedVersion: 1 }));
    expect(old).toMatchObject({ code: 'CONFLICT', details: { version: 2 } });
    const restored = await document.restore({ ...asked, expectedVersion: 2 });
    expect(restored).toEqual({ version: 3, added: 2, removed: 1 });
    const file = await document.get({ tenant, subject: ANN });
    expect(file).toMatchObject({ version: 3, author: 'caller', text: first?.text });
    expect(file?.lines).toEqual(first?.lines);
    // What was deleted stands again, and what went with the way back stays away.
    expect(await tombstonesOf(tenant)).toHaveLength(1);
    expect(await document.restore(asked)).toEqual({ version: 3, added: 0, removed: 0 });
  });
});

test('a released tenant is read but not written to', async () => {
  const tenant = newTenant();
  await dreamed(tenant);
  await fixture().release(tenant);
  const { document } = fixture().tiers();
  const edit = document.edit({ tenant, subject: ANN, text: '- x', expectedVersion: 1 });
  expect(await failureOf(edit)).toMatchObject({ code: 'FORBIDDEN' });
  const restore = document.restore({ tenant, subject: ANN, version: 1 });
  expect(await failureOf(restore)).toMatchObject({ code: 'FORBIDDEN' });
  expect((await document.get({ tenant, subject: ANN }))?.text).toBe(TEXT);
});
