/** Daily files, MEMORY.md and dreams on the command line, without a server. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ROOT, runVarve, temporaryFolder, type Ended } from './varve-process.ts';

const LAUNCH = 'The new checkout launches on December 1, 2026.';
const OWNER = 'Piotr owns the fallback of the new checkout.';
const MAIN = path.join(ROOT, 'cli', 'main.ts');
/** Before every existing id. */
const NO_DREAM = '00000000-0000-7000-8000-000000000000';
const OF = ['--subject', 'user/dana'];

interface CommandLine extends AsyncDisposable {
  readonly folder: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

async function newCommandLine(): Promise<CommandLine> {
  const folder = await temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  return {
    folder: folder.path,
    run: (args, env = {}) => runVarve([...args, '--data-dir', dataDir], { env }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe.concurrent('the Markdown tiers on the command line', () => {
  test('TIER-02: varve daily appends to the file of today and shows it', async () => {
    await using commandLine = await newCommandLine();
    const { run } = commandLine;
    const append = ['daily', 'append', ...OF, '--heading', 'Session', '--key', 'k', LAUNCH];
    const first = await run(append);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Appended 1 line as block 1 of memory\/\d{4}-\d\d-\d\d\.md\.$/mu);
    expect((await run(append)).stdout).toMatch(/nothing was added/u);
    const shown = await run(['daily', 'show', ...OF]);
    expect(shown.stdout).toMatch(
      /^# Daily Memory: [\d-]+\n\n## Session \(\d\d:\d\d\)\n\n- The new/u,
    );
    const days = await run(['daily', 'list', ...OF]);
    expect(days.stdout).toMatch(/^\d{4}-\d\d-\d\d\n$/u);
    const none = await run(['daily', 'show', ...OF, '--day', '2020-01-01']);
    expect(none.stdout).toBe('Nothing was written on that day.\n');
  });

  test('TIER-04: varve core edits MEMORY.md with a file or an editor, and restores a version', async () => {
    await using commandLine = await newCommandLine();
    const { run, folder } = commandLine;
    const core = (...args: string[]) => run(['core', ...args, ...OF]);
    const file = path.join(folder, 'new.md');
    await writeFile(file, `- ${LAUNCH}\n- ${OWNER}\n`);
    expect((await core('edit', '-f', file)).stdout).toMatch(/version 1: 2 lines added, 0 removed/u);
    const env = { EDITOR: 'sed -i /Piotr/d' };
    const edited = await run(['core', 'edit', ...OF], env);
    expect(edited.stdout).toMatch(/version 2: 0 lines added, 1 removed/u);
    expect((await core('show')).stdout).toBe(`- ${LAUNCH}\n`);
    expect((await core('show', '1', '--sources')).stdout).toContain(`  ${OWNER} [stated]\n`);
    const versions = await core('versions');
    expect(versions.stdout).toMatch(/^ {2}2 +\S+Z +a person +1 +\+0 -1/mu);
    expect((await core('restore', '1')).stdout).toMatch(/version 3: 1 line added/u);
    const newest = await core('versions', '--limit', '2');
    expect(newest.stdout).toMatch(/^There are older ones: the same with --before 2$/mu);
    const oldest = await core('versions', '--limit', '2', '--before', '2');
    expect(oldest.stdout).toMatch(/^ {2}1 +\S+Z +a person +2 +\+2 -0/mu);
    expect(oldest.stdout).not.toContain('older');
    expect(newest.stdout).toMatch(/core restore VERSION --subject user\/dana --data-dir \S+$/mu);
    const bytes = '- Kiel\u001B[2K\n';
    await writeFile(file, bytes);
    await core('edit', '-f', file);
    expect((await core('show')).stdout).toBe(bytes);
    await writeFile(file, bytes.replace('Kiel', 'KIEL'));
    expect((await core('edit', '-f', file)).stdout).toMatch(
      /no line was added or removed. 1 line changed/u,
    );
    await writeFile(file, '');
    await core('edit', '-f', file);
    const empty = await core('show');
    expect(empty).toMatchObject({ stdout: '', stderr: 'varve: MEMORY.md is empty.\n' });
    const none = await core('versions', '--before', '1');
    expect(none.stdout).toBe('There is no version before that one.\n');
    const late = await core('restore', '2', '--expected-version', '2');
    expect(late).toMatchObject({ status: 5, stdout: '' });
    expect(late.stderr).toMatch(/CONFLICT: MEMORY.md is at version 6 now/u);
  });

  test('varve daily append reads its text from standard input for -', async () => {
    await using commandLine = await newCommandLine();
    const { run } = commandLine;
    const empty = await run(['daily', 'append', '-', ...OF]);
    expect(empty).toMatchObject({ status: 2, stdout: '' });
    expect(empty.stderr).toMatch(/text: expected some text/u);
    const main = [process.execPath, MAIN].map((part) => `"${part}"`).join(' ');
    const { folder } = commandLine;
    const piped = `echo '# Only a heading' | ${main} daily append - ${OF.join(' ')}`;
    const shell = `${piped} --data-dir "${path.join(folder, 'data')}"`;
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell]);
    expect(stdout).toMatch(/^Appended 1 line as block 1/u);
    expect((await run(['daily', 'show', ...OF])).stdout).toMatch(/^- Only a heading$/mu);
    const cited = ['daily', 'append', ...OF, '--source', 'a', '--source', 'b', 'Ann sings.'];
    expect((await run(cited)).stdout).toMatch(/^Appended 1 line as block 2/u);
    const sources = await run(['daily', 'show', ...OF, '--sources']);
    expect(sources.stdout).toContain('  Ann sings. [a b]\n');
    const marks = await run(['daily', 'append', ...OF, '***']);
    expect(marks).toMatchObject({ status: 2, stdout: '' });
    expect(marks.stderr).toMatch(/contains only Markdown markup/u);
  });

  test('varve core edit keeps the text of an editor if another edit came first', async () => {
    await using commandLine = await newCommandLine();
    const { run, folder } = commandLine;
    const at = (name: string) => path.join(folder, name);
    await writeFile(at('quicker.md'), '- Somebody was quicker.\n');
    await writeFile(at('own.md'), `- ${OWNER}\n`);
    const quicker = ['core', 'edit', '-f', at('quicker.md'), ...OF, '--data-dir', at('data')];
    // While it is open, another edit comes and is written.
    const another = `"${process.execPath}" "${MAIN}" ${quicker.join(' ')}`;
    await writeFile(at('editor.sh'), `${another} && cp "${at('own.md')}" "$1"`);
    const lost = await run(['core', 'edit', ...OF], { EDITOR: `sh ${at('editor.sh')}` });
    expect(lost.status).toBe(5);
    const [, kept = ''] = /your text is kept in (\S+)/u.exec(lost.stderr) ?? [];
    expect(await readFile(kept, 'utf8')).toBe(`- ${OWNER}\n`);
    expect(await readdir(path.dirname(kept))).toEqual(['MEMORY.md']);
    await rm(path.dirname(kept), { recursive: true });
  });

  test('varve dream run shows its outcome, and varve core show the source of each line', async () => {
    await using commandLine = await newCommandLine();
    const { run } = commandLine;
    const dream = (...args: string[]) => run(['dream', ...args]);
    await run(['daily', 'append', ...OF, LAUNCH]);
    const nothing = await dream('run', '--subject', 'user/nobody');
    expect(nothing).toMatchObject({ status: 0 });
    expect(nothing.stdout).toMatch(/^Nothing was ever written/u);
    const first = await dream('run', ...OF, '--lookback-days', '2');
    expect(first.status).toBe(0);
    expect(first.stderr).toBe('varve: a dream is reading MEMORY.md and the last daily files\n');
    expect(first.stdout).toBe(`1 line added of 1 read, 0 removed, 0 kept.\n  + ${LAUNCH}\n`);
    expect((await run(['core', 'show', '--sources', ...OF])).stdout).toMatch(/2026\. \[…\w{8}\]/u);
    const again = await dream('run', ...OF, '--json');
    expect(again.stderr).toBe('');
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'NothingNew', dream: null });
    const status = await dream('status', ...OF);
    expect(status.stdout).toMatch(/^\S+Z {2}The daily files of the look-back contain nothing new/u);

    const list = await dream('list');
    const [, id = ''] =
      /^ {2}(\S+) +user\/dana +Applied +\S+Z +\+1 -0 +1$/mu.exec(list.stdout) ?? [];
    const shown = await dream('show', id);
    expect(shown.stdout).toMatch(new RegExp(`^${id} {2}Applied\nmade at .*from no MEMORY.md`, 'u'));
    expect(shown.stdout).toContain(`  + ${LAUNCH}`);
    expect((await dream('list', '--waiting')).stdout).toBe('No dream is in that state.\n');
    const late = await dream('reject', id, '--reason', 'why');
    expect(late).toMatchObject({ status: 5, stdout: '' });
    expect((await dream('diary', ...OF)).stdout).toMatch(/^# Dream Diary: /u);
    expect((await dream('schedules')).stdout).toMatch(/^No DeepDream is declared/u);
    const older = await dream('list', '--before', NO_DREAM);
    expect(older.stdout).toBe('No dream before that one proposed anything.\n');
  });

  test.each<[what: string, args: readonly string[], said: RegExp, env?: { EDITOR: string }]>([
    ['no subject', ['daily', 'show'], /required option '--subject/],
    ['an invalid subject', ['daily', 'show', '--subject', 'ann'], /--subject takes user\/ID/],
    ['an invalid day', ['daily', 'show', ...OF, '--day', 'monday'], /--day takes a day/],
    ['a diary of an invalid day', ['dream', 'diary', ...OF, '--day', 'bad'], /--day takes a day/],
    ['an invalid dream id', ['dream', 'list', '--before', 'nope'], /--before takes the id/],
    ['a limit that is too high', ['core', 'versions', ...OF, '--limit', '51'], /from 1 to 50/],
    ['an invalid time', ['daily', 'append', ...OF, '--at', 'now', LAUNCH], /--at takes a date/],
    ['a text like an option', ['daily', 'append', ...OF, '- Ann sings'], /put -- before it/],
    ['an editor that fails', ['core', 'edit', ...OF], /--file FILE/, { EDITOR: 'false' }],
    ['no terminal', ['core', 'edit', ...OF], /There is no terminal/, { EDITOR: 'vi' }],
    ['no text', ['daily', 'append', ...OF], /text: expected some text/],
    ['an invalid version', ['core', 'restore', 'x', ...OF], /takes a whole number from 1/],
    ['a missing file', ['core', 'edit', ...OF, '-f', 'none'], /There is no such file/],
    ['no editor', ['core', 'edit', ...OF], /No editor is set/],
    [
      'an invalid number of days',
      ['dream', 'run', ...OF, '--lookback-days', '0'],
      /--lookback-days takes/,
    ],
    ['an unknown state', ['dream', 'list', '--state', 'Open'], /--state takes one of Waiting,/],
    ['two states', ['dream', 'list', '--waiting', '--state', 'Applied'], /give one of them/],
    ['a rejection without a reason', ['dream', 'reject', 'x'], /required option '--reason/],
  ])(
    'CLI-3: %s ends with status 2 and an error that says what is valid',
    async (_, args, said, env) => {
      await using commandLine = await newCommandLine();
      const { run } = commandLine;
      const { status, stdout, stderr } = await run(args, { EDITOR: '', VISUAL: '', ...env });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(said);
      expect(stderr).not.toMatch(/^\s+at /mu);
    },
  );
});
