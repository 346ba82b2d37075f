/** A text from an editor is used, or kept in a file that the message names. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { editText, refuseWithoutTerminal } from '#cli/commands/core-memory-md.ts';
import { VarveError } from '#core/errors.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/library/open-library.ts';

const GIVEN = '- Ann likes tea.\n';
const OTHER = '- Ann likes coffee.\n';

let held: Awaited<ReturnType<typeof temporaryFolder>> | null = null;

/** A folder of one test; copies for editors are made in `copies` of it. */
function home(): string {
  if (held === null) throw new Error('The folder is made before each test.');
  return held.folder;
}

const copies = () => path.join(home(), 'copies');

beforeEach(async () => {
  held = await temporaryFolder();
  await mkdir(copies());
  vi.stubEnv('TMPDIR', copies());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await held?.[Symbol.asyncDispose]();
});

interface Edited {
  readonly answer: Promise<string>;
  /** Files that were told to be kept. */
  readonly kept: string[];
}

function edited(editor: string, use = async (text: string): Promise<string> => text): Edited {
  const kept: string[] = [];
  const onKept = (file: string) => kept.push(file);
  const environment = { VISUAL: '', EDITOR: editor };
  return { answer: editText(GIVEN, { environment, use, onKept }), kept };
}

/** An editor of these commands, for which `$1` is the file. */
async function editorOf(commands: string): Promise<string> {
  const script = path.join(home(), 'editor.sh');
  await writeFile(script, commands);
  return `sh ${script}`;
}

describe('an editor', () => {
  test('with arguments changes a copy, which is deleted after use', async () => {
    const { answer, kept } = edited("sed -i 's/tea/coffee/'");
    expect(await answer).toBe(OTHER);
    expect(kept).toEqual([]);
    expect(await readdir(copies())).toEqual([]);
  });

  test('works on a file that only its owner can read', async () => {
    const file = await editorOf('ls -l "$1" | cut -c 1-10 > "$1.mode"; mv "$1.mode" "$1"');
    expect(await edited(file).answer).toBe('-rw-------\n');
    const folder = await editorOf('ls -ld "${1%/*}" | cut -c 1-10 > "$1"');
    expect(await edited(folder).answer).toBe('drwx------\n');
  });

  const refused = async (): Promise<string> => {
    throw new VarveError('CONFLICT', 'Another wrote first.');
  };
  const WRITE = `printf '%s\\n' '- Ann likes coffee.' > "$1"`;

  test.each<[what: string, commands: string, code: string, use?: () => Promise<string>]>([
    ['that fails after a change', `${WRITE}; exit 1`, 'INVALID_INPUT'],
    ['whose text is refused', WRITE, 'CONFLICT', refused],
  ])('keeps the text of an editor %s, and reports the file', async (_, commands, code, use) => {
    const { answer, kept } = edited(await editorOf(commands), use);
    const error = await failureOf(answer);
    expect(error).toMatchObject({ code });
    expect(kept).toHaveLength(1);
    const [file = ''] = kept;
    expect(await readFile(file, 'utf8')).toBe(OTHER);
    expect(error.message).not.toContain(file);
  });

  test('keeps a text that is not UTF-8, byte for byte', async () => {
    const { answer, kept } = edited(await editorOf(`printf 'caf\\351' > "$1"`));
    expect(await failureOf(answer)).toMatchObject({ code: 'INVALID_INPUT' });
    expect([...(await readFile(kept[0] ?? ''))]).toEqual([...Buffer.from('caf'), 0xe9]);
  });

  test('keeps what replaced the file if it cannot be read', async () => {
    const { answer, kept } = edited(await editorOf('rm "$1"; mkdir "$1"; echo x > "$1/work"'));
    expect(await failureOf(answer)).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await readdir(kept[0] ?? '')).toEqual(['work']);
  });

  test.each<[what: string, commands: string, code: string, use?: () => Promise<string>]>([
    ['that fails', 'exit 1', 'INVALID_INPUT'],
    ['that removes the file', 'rm "$1"', 'INVALID_INPUT'],
    ['whose unchanged text is refused', ':', 'CONFLICT', refused],
  ])('keeps nothing of an editor %s, since nothing is new', async (_, commands, code, use) => {
    const { answer, kept } = edited(await editorOf(commands), use);
    expect(await failureOf(answer)).toMatchObject({ code });
    expect(kept).toEqual([]);
    expect(await readdir(copies())).toEqual([]);
  });

  test('is required: without one, the error names EDITOR', async () => {
    const onKept = () => undefined;
    const answer = editText('', { environment: {}, use: async (text) => text, onKept });
    const error = await failureOf(answer);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error.message).toContain('EDITOR');
  });

  test('that fails is INVALID_INPUT, and the error suggests --file', async () => {
    const error = await failureOf(edited(await editorOf('exit 1')).answer);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error.message).toMatch(/EDITOR.*--file FILE/u);
  });

  test.each<[editor: string, isTTY: boolean, isRefused: boolean]>([
    ['vi', false, true],
    ['/usr/bin/vim -n', false, true],
    ['nano', true, false],
    ['vitrine --wait', false, false],
    ["sed -i 's/tea/coffee/'", false, false],
    ['', false, false],
  ])('%j with a terminal: %j, refused: %j', (EDITOR, isTTY, isRefused) => {
    const call = () => {
      refuseWithoutTerminal({ EDITOR }, { isTTY });
    };
    if (isRefused) expect(call).toThrow(/--file FILE/u);
    else expect(call).not.toThrow();
  });
});
