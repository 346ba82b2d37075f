/** `varve core`: the MEMORY.md of a subject, its earlier versions, and edits by a person. */
import path from 'node:path';
import { OPERATIONS } from '#api/operations/table.ts';
import type { DocumentAnswer, EditAnswer, VersionsAnswer } from '#api/schemas/documents.ts';
import { codeOf, VarveError } from '#core/errors.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { renderTable, count } from '../terminal-text.ts';
import {
  commandLine,
  olderHint,
  print,
  printFile,
  printNote,
  type SubjectOptions,
  readText,
} from '../memory-files/memory-file-options.ts';
import { linesWithSources } from '../memory-files/lines-with-sources.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { answerTo, commandOf, inputFromOptions, numberFor } from '../operation-input.ts';

const NONE = 'There is no MEMORY.md yet. A dream or varve core edit writes it.';
const EMPTY = 'MEMORY.md is empty.';

interface RestoreOptions extends SubjectOptions {
  readonly expectedVersion?: string;
}

/** @throws VarveError NOT_FOUND for a version that does not exist */
export async function showCoreCommand(
  config: Config,
  named: string | undefined,
  options: SubjectOptions & { readonly sources?: boolean },
): Promise<void> {
  const { json, sources } = options;
  const asked = inputFromOptions(OPERATIONS.document.get, options, {
    version: named === undefined ? undefined : versionOf(named),
  });
  const answer = await answerTo(config, OPERATIONS.document.get, asked);
  if (answer === null && named !== undefined) {
    throw new VarveError('NOT_FOUND', `There is no version ${named}; see varve core versions.`);
  }
  if (json === true || answer === null) print(answer, json === true ? null : NONE);
  else if (answer.text.trim() === '') printNote(answer, EMPTY);
  else
    printFile(answer, (sources === true ? linesWithSources(answer.lines) : answer.text).trimEnd());
}

/** @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG, CONFLICT; nothing is written then */
export async function editCommand(
  config: Config,
  options: RestoreOptions & { readonly file?: string },
): Promise<void> {
  const { file, json } = options;
  const { environment } = config;
  const { tenant, subject } = inputFromOptions(OPERATIONS.document.get, options);
  const expected = expectedOf(options);
  if (file === undefined) refuseWithoutTerminal(environment, process.stdin);
  await using ordering = await openLibraryForCommand(config, { begins: true });
  const before = await ordering.varve.document.get({ tenant, subject });
  const expectedVersion = expected ?? before?.version ?? 0;
  const edit = (text: string) =>
    ordering.varve.document.edit({ tenant, subject, text, expectedVersion });
  const answer =
    file === undefined
      ? await editText(before?.text ?? '', { environment, use: edit, onKept })
      : await edit(await readText(file, process.stdin));
  if (json === true || answer.version === (before?.version ?? 0)) {
    print(answer, json === true ? null : `${changeText(answer)} Nothing was written.`);
    return;
  }
  const after = await ordering.varve.document.get({ tenant, subject, version: answer.version });
  print(answer, editedText(answer, before?.lines ?? [], after?.lines ?? []));
}

export const versionsCommand = commandOf(OPERATIONS.document.versions, versionsText);

/** @throws VarveError NOT_FOUND, CONFLICT; nothing is written then */
export async function restoreCommand(
  config: Config,
  version: string,
  options: RestoreOptions,
): Promise<void> {
  const asked = inputFromOptions(OPERATIONS.document.restore, options, {
    version: versionOf(version),
    expectedVersion: expectedOf(options),
  });
  const answer = await answerTo(config, OPERATIONS.document.restore, asked);
  print(answer, options.json === true ? null : changeText(answer));
}

function onKept(file: string): void {
  process.stderr.write(`varve: your text is kept in ${file}\n`);
}

function expectedOf({ expectedVersion }: RestoreOptions): number | undefined {
  if (expectedVersion === undefined) return undefined;
  return numberFor(OPERATIONS.document.edit, 'expectedVersion', expectedVersion);
}

function versionOf(text: string): number {
  return numberFor(OPERATIONS.document.get, 'version', text, 'The version');
}

function changeText({ version, added, removed }: EditAnswer): string {
  const at = `MEMORY.md is at version ${String(version)}`;
  if (added + removed === 0) return `${at}; no line was added or removed.`;
  return `${at}: ${count(added, 'line')} added, ${String(removed)} removed.`;
}

/** Describes an edit. A line that is kept may have changed its punctuation or its heading. */
function editedText(
  answer: EditAnswer,
  before: DocumentAnswer['lines'],
  after: DocumentAnswer['lines'],
): string {
  const old = new Map(before.map((line) => [line.id, line]));
  const changed = after.filter(({ id, heading, text }) => {
    const known = old.get(id);
    return known !== undefined && (known.text !== text || known.heading !== heading);
  });
  const said = changed.length === 0 ? '' : ` ${count(changed.length, 'line')} changed.`;
  return `${changeText(answer)}${said}`;
}

function versionsText(
  { versions, nextBefore }: VersionsAnswer,
  { subject, before, ...place }: SubjectOptions & { readonly before?: string },
): string {
  if (versions.length === 0) {
    return before === undefined ? NONE : 'There is no version before that one.';
  }
  const rows = versions.map(({ version, at, author, dreamId, lines, added, removed }) => [
    String(version),
    new Date(at).toISOString(),
    author === 'dream' ? 'a dream' : 'a person',
    String(lines),
    `+${String(added)} -${String(removed)}`,
    dreamId ?? '',
  ]);
  const table = renderTable(['version', 'written', 'by', 'lines', 'changes', 'dream'], rows);
  const restore = commandLine(['core', 'restore', 'VERSION', '--subject', subject], place);
  const hint = `To restore a version: ${restore}`;
  return [table, hint, ...olderHint(nextBefore)].join('\n');
}

interface Editing<Answer> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Handles the edited text. */
  readonly use: (text: string) => Promise<Answer>;
  /** Called with the path of the copy, which keeps the text, if it could not be used. */
  readonly onKept: (file: string) => void;
}

/**
 * Opens a copy that only its owner can read in the editor that `VISUAL` or `EDITOR` names. The copy
 * is deleted once its text is used, so a failure never loses an edit.
 * @throws VarveError INVALID_INPUT if there is no editor, or it fails or leaves no readable text;
 * errors of `use`
 */
export async function editText<Answer>(
  text: string,
  { environment, use, onKept }: Editing<Answer>,
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
    if (isKept) onKept(file);
    throw error;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

function editorOf(environment: Editing<unknown>['environment']): string | undefined {
  return [environment['VISUAL'], environment['EDITOR']].find(Boolean);
}

/** Other editors open their own window, or are programs that change the file without a person. */
const IN_TERMINAL = /^(?:\S*\/)?(?:vi|vim|nvim|view|nano|pico|emacs|joe|micro|helix|hx)(?=\s|$)/u;

/** @throws VarveError INVALID_INPUT for an editor without a terminal */
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

/** The variable may hold arguments, as in git and other programs, so the shell parses it. */
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
    const message = 'The edited file is not valid UTF-8; nothing was changed.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

/** Whether the file may hold a person's work. An unreadable file may hold some too. */
async function holdsOther(file: string, text: string): Promise<boolean> {
  try {
    return !(await readFile(file)).equals(Buffer.from(text));
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}
