/** A text in the editor of whoever runs the command, and what became of it there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

export interface Editing<Answer> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What is done with the text that somebody wrote. */
  readonly use: (text: string) => Promise<Answer>;
  /** Told which file the text is left in, where it could not be used. */
  readonly tellKept: (file: string) => void;
}

/**
 * Opens the editor that `VISUAL` or `EDITOR` names on a copy that only its owner can read. The copy
 * goes once its text is used; what somebody wrote is never lost with a failure.
 * @throws VarveError INVALID_INPUT where there is no editor, it ends with a failure or leaves no
 * text that can be read; what `use` throws
 */
export async function editText<Answer>(
  text: string,
  { environment, use, tellKept }: Editing<Answer>,
): Promise<Answer> {
  const editor = editorOf(environment);
  if (editor === undefined) {
    const message = 'No editor is set. Set EDITOR, or give the new text with --file FILE.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-edit-'));
  const file = path.join(folder, 'MEMORY.md');
  let isKept = false;
  try {
    await writeFile(file, text, { mode: 0o600 });
    await runEditor(editor, file);
    return await use(await readEdited(file));
  } catch (error) {
    isKept = await holdsOther(file, text);
    if (isKept) tellKept(file);
    throw error;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

function editorOf(environment: Editing<unknown>['environment']): string | undefined {
  return [environment['VISUAL'], environment['EDITOR']].find(Boolean);
}

/** Others open a window of their own, or are programs that change the file by themselves. */
const IN_TERMINAL = /^(?:\S*\/)?(?:vi|vim|nvim|view|nano|pico|emacs|joe|micro|helix|hx)(?=\s|$)/u;

/** @throws VarveError INVALID_INPUT for an editor that would wait for keys that nobody presses */
export function refuseWithoutTerminal(
  environment: Editing<unknown>['environment'],
  input: { readonly isTTY?: boolean },
): void {
  if (input.isTTY === true || !IN_TERMINAL.test(editorOf(environment) ?? '')) return;
  const message =
    'There is no terminal for the editor. Give the new text with --file FILE, or - for standard ' +
    'input.';
  throw new VarveError('INVALID_INPUT', message);
}

/** The variable may hold arguments, as git and others read it: the shell takes them apart. */
async function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return;
  const message =
    'The editor ended with a failure; nothing was changed. Set EDITOR to one that runs here, or ' +
    'give the new text with --file FILE.';
  throw new VarveError('INVALID_INPUT', message);
}

async function readEdited(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (cause) {
    const message = 'What the editor left cannot be read as UTF-8; nothing was changed.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

/** What is there and cannot be read may be somebody's work as well. */
async function holdsOther(file: string, text: string): Promise<boolean> {
  try {
    return !(await readFile(file)).equals(Buffer.from(text));
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
