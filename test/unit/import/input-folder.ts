/** Files for tests of imports, in a folder that is deleted when the test ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readInput } from '#cli/import/read-input.ts';
import type { ImportItem, ReadOptions } from '#cli/import/import-item.ts';

export const END_TIME = Date.UTC(2026, 0, 1);

/** Writes the files under a new folder and answers its path. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** Writes one file into a folder `in`, by which its session is named too, and returns its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  return join(folderOf({ [`in/${name}`]: content }), 'in', name);
}

/** Every item that a path gives. */
export async function imported(
  path: string,
  options: Partial<ReadOptions> = {},
): Promise<readonly ImportItem[]> {
  const items: ImportItem[] = [];
  for await (const item of readInput(path, { endTime: END_TIME, ...options })) items.push(item);
  return items;
}

/** Objects as JSON Lines. */
export function jsonLines(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
