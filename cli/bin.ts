#!/usr/bin/env node
/** The `varve` command of the package. From a clone, scripts/varve.mjs runs cli/main.ts instead. */
import { nodeVersionProblem } from './check-node-version.ts';

/** `EX_UNAVAILABLE` of BSD's sysexits.h: something this program needs is missing. */
const EXIT_UNAVAILABLE = 69;

const problem = nodeVersionProblem(process.versions.node);
if (problem === null) await import('./main.ts');
else {
  process.stderr.write(`varve: UNAVAILABLE: ${problem}\n`);
  process.exitCode = EXIT_UNAVAILABLE;
}
