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
 * @throws VarveError INVALID_INPUT where there is no editor, or no text that can be read; CANCELLED
 * where the editor ends with a failure; what `use` throws
 */
export async function editText<Answer>(
  text: string,
  { environment, use, tellKept }: Editing<Answer>,
): Promise<Answer> {
  const editor = [environment['VISUAL'], environment['EDITOR']].find(Boolean);
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

/** The variable may hold arguments, as git and others read it: the shell takes them apart. */
async function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return;
  throw new VarveError('CANCELLED', 'The editor ended with a failure; nothing was changed.');
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
