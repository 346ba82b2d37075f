/** A text in the editor of whoever runs the command, and what became of it there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

/** Edited text, and the file that it lies in until it is no longer needed. */
export interface EditedText {
  readonly text: string;
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * Opens the editor that `VISUAL` or `EDITOR` names on a copy that only its owner can read.
 * @throws VarveError INVALID_INPUT where there is none, CANCELLED where it ends with a failure
 */
export async function editText(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EditedText> {
  const editor = [environment['VISUAL'], environment['EDITOR']].find(Boolean);
  if (editor === undefined) {
    const message = 'No editor is set. Set EDITOR, or give the new text with --file FILE.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-edit-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = path.join(folder, 'MEMORY.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    await runEditor(editor, file);
    return { text: await readFile(file, 'utf8'), file, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The variable may hold arguments, as git and others read it: the shell takes them apart. */
async function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return;
  throw new VarveError('CANCELLED', 'The editor ended with a failure; nothing was changed.');
}
