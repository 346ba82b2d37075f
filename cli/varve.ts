#!/usr/bin/env node
/** The `varve` command of the package. From a clone, scripts/varve.mjs runs cli/main.ts instead. */

/** `engines` of package.json: from here on node:sqlite needs no flag and has what is used of it. */
const NODE_VERSION_MIN = [22, 16] as const;
/** `EX_UNAVAILABLE` of BSD's sysexits.h: something this program needs is missing. */
const EXIT_UNAVAILABLE = 69;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [majorMin, minorMin] = NODE_VERSION_MIN;
if (major > majorMin || (major === majorMin && minor >= minorMin)) await import('./main.ts');
else {
  const wanted = NODE_VERSION_MIN.join('.');
  process.stderr.write(
    `varve: UNAVAILABLE: this is Node ${process.versions.node}; Varve needs ${wanted} or newer. ` +
      'Install it from https://nodejs.org.\n',
  );
  process.exitCode = EXIT_UNAVAILABLE;
}
