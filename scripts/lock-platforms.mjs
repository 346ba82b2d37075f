/**
 * Completes package-lock.json: `npm install` leaves out packages that the registry lacks, and `npm
 * ci` then refuses the file everywhere else. The missing packages are native parts for other
 * platforms, which their parents require in one exact version.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.join(path.dirname(import.meta.dirname), 'package-lock.json');
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/u;
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const missing = missingOf(lock.packages);
Object.assign(lock.packages, Object.fromEntries(missing));
const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
if (missing.length > 0) writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(
  `package-lock.json: ${missing.length} native parts of other platforms added\n`,
);

function missingOf(packages) {
  return Object.entries(packages).flatMap(([holder, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]) => {
      const found = lockedFor(packages, holder, name);
      if (found !== undefined && (found === version || !EXACT.test(version))) return [];
      const folder = found === undefined ? '' : `${holder}/`;
      return [[`${folder}node_modules/${name}`, entryOf(holder, name, version, dev)]];
    }),
  );
}

/** Finds the version that Node would load: beside the holder, then in each folder above. */
function lockedFor(packages, holder, name) {
  const parts = holder === '' ? [] : holder.split('/node_modules/');
  for (let count = parts.length; count >= 0; count -= 1) {
    const folder = parts.slice(0, count).join('/node_modules/');
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found !== undefined) return found.version;
  }
  return undefined;
}

function entryOf(holder, name, version, dev) {
  const words = name.split(/[/-]/u);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((each) => words.includes(each));
  if (!EXACT.test(version) || cpu.length !== 1 || (os.length !== 1 && cpu[0] !== 'wasm32')) {
    throw new Error(
      `${holder} asks for ${name}@${version}, whose platform its name does not tell.`,
    );
  }
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : ['glibc'];
  return {
    version,
    cpu,
    ...(dev === true ? { dev } : {}),
    ...(os[0] === 'linux' && words.some((word) => /^(?:gnu|musl)/u.test(word)) ? { libc } : {}),
    optional: true,
    ...(os.length === 0 ? {} : { os }),
  };
}
