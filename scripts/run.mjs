/** Runs a TypeScript file of this project: node scripts/run.mjs FILE [ARGUMENT...] */
import { launch } from './launch-with-node.mjs';

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('varve: INVALID_INPUT: usage: node scripts/run.mjs FILE [ARGUMENT...]\n');
  process.exit(2);
}
await launch(file, args);
