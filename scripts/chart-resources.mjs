/**
 * Puts the printed resource definitions into the chart, byte for byte: a chart can read no file
 * outside of its own folder.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const printed = path.join(root, 'crds');
const copies = path.join(root, 'charts', 'varve', 'resources');

rmSync(copies, { recursive: true, force: true });
mkdirSync(copies, { recursive: true });
for (const file of readdirSync(printed).filter((name) => name.endsWith('.yaml'))) {
  copyFileSync(path.join(printed, file), path.join(copies, file));
}
