/** Dependencies of the project: each has a reason, is pinned, and installs from any registry. */
import { z } from 'zod';
import type { Finding, SourceFile } from '../source-file.ts';
import { lineAt } from '../syntax.ts';

const Versions = z.record(z.string(), z.string()).default({});
const Manifest = z.object({
  license: z.string().optional(),
  dependencies: Versions,
  devDependencies: Versions,
});

/** A row of the table in docs/decisions/dependencies.md begins with the name of a package. */
const ROW = /^\| `([^`]+)` *\|(.*)\|$/gmu;
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/u;

/** Every dependency has exactly one row of reason, and no row is left over. */
export function reasonsOfPackages(manifest: SourceFile, reasons: SourceFile): readonly Finding[] {
  const names = Object.keys(versionsOf(manifest));
  const rows = [...reasons.text.matchAll(ROW)].map(({ 1: name = '', index }) => ({ name, index }));
  const missing = names
    .filter((name) => !rows.some((row) => row.name === name))
    .map((name) => found(manifest, `"${name}"`, `${name} needs a row in ${reasons.path}`));
  const tooMany = rows
    .filter(({ name }, at) => {
      const first = rows.findIndex((row) => row.name === name);
      return !names.includes(name) || first < at;
    })
    .map(({ name, index }) => ({
      path: reasons.path,
      line: lineAt(reasons.text, index),
      problem: `${name} is no dependency, or stands here twice; remove the row`,
    }));
  return [...missing, ...tooMany];
}

/** A range would install something else tomorrow. */
export function pinnedVersions(manifest: SourceFile): readonly Finding[] {
  return Object.entries(versionsOf(manifest))
    .filter(([, version]) => !EXACT.test(version))
    .map(([name]) => found(manifest, `"${name}"`, `${name} has a range; write one version`));
}

/** A lock file with addresses installs from one registry only. */
export function lockWithoutAddresses(lock: SourceFile): readonly Finding[] {
  return [...lock.text.matchAll(/"resolved"/gu)].map(({ index }) => ({
    path: lock.path,
    line: lineAt(lock.text, index),
    problem: 'has an address; leave "resolved" out, npm asks the registry that is set',
  }));
}

const Lock = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: Versions })),
});

/** `npm ci` refuses a lock file without the native parts of another platform, everywhere. */
export function lockedPlatforms(lock: SourceFile): readonly Finding[] {
  const { packages } = Lock.parse(JSON.parse(lock.text));
  const locked = new Set(Object.keys(packages).map((place) => place.split('node_modules/').at(-1)));
  return Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies)
      .filter((name) => !locked.has(name))
      .map((name) => found(lock, `"${name}"`, `${name} is not locked; npm run lock adds it`)),
  );
}

export function licensed(manifest: SourceFile, license: SourceFile): readonly Finding[] {
  const declared = Manifest.parse(JSON.parse(manifest.text)).license === 'Apache-2.0';
  const whole =
    license.text.includes('Apache License') &&
    license.text.includes('Version 2.0, January 2004') &&
    license.text.includes('END OF TERMS AND CONDITIONS');
  return [
    ...(declared ? [] : [found(manifest, '"license"', 'the license is Apache-2.0')]),
    ...(whole ? [] : [found(license, '', 'holds the whole text of the Apache License 2.0')]),
  ];
}

function versionsOf(manifest: SourceFile): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = Manifest.parse(JSON.parse(manifest.text));
  return { ...dependencies, ...devDependencies };
}

function found({ path, text }: SourceFile, word: string, problem: string): Finding {
  return { path, line: lineAt(text, Math.max(0, text.indexOf(word))), problem };
}
