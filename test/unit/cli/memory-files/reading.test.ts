/** What commands on memory files read: options, files, long answers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { parseInput } from '#api/parse-input.ts';
import type { DocumentAnswer } from '#api/schemas/documents.ts';
import { inOptionWords } from '#cli/main.ts';
import {
  readText,
  wholeFile,
  dayOption,
  dreamIdOf,
  olderHint,
  subjectFromOption,
  commandLine,
  type CommandPlace,
} from '#cli/memory-files/memory-file-options.ts';
import { linesWithSources } from '#cli/memory-files/lines-with-sources.ts';
import { VarveError } from '#core/errors.ts';
import { failureOf } from '../../library/open-library.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-reading-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const chunks = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

describe('options', () => {
  test('a subject is a kind and an id, whatever the id looks like', () => {
    expect(subjectFromOption('user/ann')).toEqual({ kind: 'user', id: 'ann' });
    expect(subjectFromOption('agent/a/b')).toEqual({ kind: 'agent', id: 'a/b' });
    for (const wrong of ['', 'ann', 'user/', 'team/x', 'User/ann']) {
      expect(() => subjectFromOption(wrong)).toThrow(/--subject takes/u);
    }
  });

  test('a day is a valid calendar day', () => {
    expect(dayOption('2028-02-29')).toBe('2028-02-29');
    for (const wrong of ['bad', '', '2026-02-29', '2026-1-1', '../x']) {
      expect(() => dayOption(wrong)).toThrow(/^--day takes a day, YYYY-MM-DD/u);
    }
  });

  test('a dream is given by its id', () => {
    const id = '01a2031c-7368-746f-8193-ccf22d574cd8';
    expect(dreamIdOf('--before', id)).toBe(id);
    for (const wrong of ['nope', '', `${id}0`]) {
      expect(() => dreamIdOf('--before', wrong)).toThrow(/^--before takes the id of a dream/u);
    }
  });

  test('a list with older entries says how to see them', () => {
    expect(olderHint(null)).toEqual([]);
    expect(olderHint(7)).toEqual(['There are older ones: the same with --before 7']);
  });
});

describe('texts', () => {
  test('a file or standard input is read unchanged', async () => {
    const file = path.join(await newFolder(), 'memory.md');
    await writeFile(file, '- Kiel → Malmö\n');
    expect(await readText(file, chunks())).toBe('- Kiel → Malmö\n');
    expect(await readText('-', chunks('- Kiel', ' → Malmö'))).toBe('- Kiel → Malmö');
  });

  test('input that is too long, not UTF-8 or missing is refused', async () => {
    const folder = await newFolder();
    const long = path.join(folder, 'long.md');
    await writeFile(long, 'x'.repeat(1_048_577));
    const cases: readonly [() => Promise<unknown>, string][] = [
      [() => readText(long, chunks()), 'CONTENT_TOO_LONG'],
      [() => readText('-', chunks('x'.repeat(1_048_576), 'x')), 'CONTENT_TOO_LONG'],
      [() => readText('-', Readable.from([Buffer.from([0xff])])), 'INVALID_INPUT'],
      [() => readText(path.join(folder, 'none'), chunks()), 'INVALID_INPUT'],
      [() => readText(folder, chunks()), 'INVALID_INPUT'],
    ];
    for (const [call, code] of cases) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code });
      expect(error.message).not.toContain(folder);
    }
  });
});

describe('answers', () => {
  const line = (id: string) => ({
    ...{ id, heading: null, text: id, sources: [], trust: 'stated' as const },
    ...{ at: 0, blockId: 'b' },
  });
  const part = (id: string, nextAfter: number | null): DocumentAnswer => ({
    path: 'memory/2026-11-21.md',
    kind: 'Daily',
    version: nextAfter ?? 9,
    text: `# Daily Memory: 2026-11-21\n\n## Notes (14:30)\n\n- ${id}\n`,
    lines: [line(id)],
    outdatedLines: 1,
    author: 'caller',
    dreamId: null,
    at: 0,
    nextAfter,
  });

  test('a file of several answers is joined under one title', async () => {
    const parts = new Map([
      [0, part('a', 4)],
      [4, part('b', null)],
    ]);
    const whole = await wholeFile(async (after) => parts.get(after) ?? null);
    expect(whole?.text).toBe(
      '# Daily Memory: 2026-11-21\n\n## Notes (14:30)\n\n- a\n\n## Notes (14:30)\n\n- b\n',
    );
    expect(whole?.lines.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(whole).toMatchObject({ version: 9, nextAfter: null, outdatedLines: 2 });
    expect(await wholeFile(async () => null)).toBeNull();
  });

  test('lines are shown under their headings, with their sources', () => {
    const sources = ['0123456789abcdef', 'b', 'c', 'd', 'e'];
    const lines = [
      { heading: null, text: 'Ann sings.', sources: [] },
      { heading: 'Work', text: 'Bob cooks.', sources },
      { heading: 'Work', text: 'Bob waits.', sources: ['b'] },
    ];
    expect(linesWithSources(lines)).toBe(
      '  Ann sings. [stated]\nWork\n  Bob cooks. […89abcdef b c +2]\n  Bob waits. [b]',
    );
  });
});

test.each<[CommandPlace, string]>([
  [{ tenant: 'default' }, 'varve dream show a1'],
  [{ tenant: 'acme' }, 'varve dream show a1 --tenant acme'],
  [{ tenant: 'default', dataDir: './data' }, 'varve dream show a1 --data-dir ./data'],
  [
    { tenant: 'acme', dataDir: "Ann's data" },
    String.raw`varve dream show a1 --tenant acme --data-dir 'Ann'\''s data'`,
  ],
])('the command for %j can be pasted', (place, expected) => {
  expect(commandLine(['dream', 'show', 'a1'], place)).toBe(expected);
});

describe('errors about options', () => {
  const append = {
    tenant: 'acme',
    subject: { kind: 'user', id: 'ann' },
    text: 'Ann sings.',
  };
  const long = 'x'.repeat(2_000);

  test.each<[differing: object, said: RegExp]>([
    [{ at: 'yesterday' }, /^--at takes a date and a time .* 2026-11-21T14:30:00\+01:00\.$/u],
    [{ tenant: 'A' }, /^--tenant takes 1 to 63/u],
    [{ heading: long }, /^--heading takes one line of 1 to 200 characters\.$/u],
    [{ key: long }, /^--key takes 1 to 256/u],
    [{ sources: [long] }, /^--source takes an id/u],
    [{ subject: { kind: 'team', id: 'x' } }, /^--subject takes user\/ID/u],
    [{ text: ' ' }, /^text: expected some text$/u],
  ])('%j is refused by the name of the option', async (differing, said) => {
    const call = async () => parseInput(OPERATIONS.daily.append.input, { ...append, ...differing });
    const error = await failureOf(inOptionWords(call));
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error.message).toMatch(said);
  });

  test('a reason without words is refused by the name of the option', async () => {
    const call = async () =>
      parseInput(OPERATIONS.dream.reject.input, { tenant: 'a', id: 'b', reason: ' ' });
    expect((await failureOf(inOptionWords(call))).message).toMatch(/^--reason takes some words/u);
  });

  test('a refused option shows its value, unless that is long', async () => {
    const call = async () => parseInput(OPERATIONS.daily.append.input, { ...append, tenant: 'A' });
    const saying = async (value: string) =>
      (await failureOf(inOptionWords(call, ['daily', 'append', '--tenant', value]))).message;
    expect(await saying('A')).toMatch(/^--tenant takes 1 to 63 .* and -, not "A"\.$/u);
    expect(await saying(long)).toMatch(/ and -\.$/u);
  });

  test('an answer and any other failure stay unchanged', async () => {
    expect(await inOptionWords(async () => 7)).toBe(7);
    const failure = new VarveError('CONFLICT', 'Another wrote first.');
    const call = async () => {
      throw failure;
    };
    expect(await failureOf(inOptionWords(call))).toBe(failure);
  });
});
