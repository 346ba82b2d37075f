/**
 * Makes sure that node_modules matches package-lock.json. Plain JavaScript without any package,
 * since it runs before any is installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { takeInstallLock } from './install-lock.mjs';

/** `EX_UNAVAILABLE` of BSD's sysexits.h: something this program needs is missing. */
export const EXIT_UNAVAILABLE = 69;

const OUTPUT_LINES_MAX = 15;
const OUTPUT_CHARACTERS_MAX = 100_000;
const REDRAW_MS = 120;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Installs the packages when the lock file has changed since the last time or there are none.
 * Costs a few milliseconds otherwise. Ends the process with status 69 when npm fails.
 * @param {string} root folder of package.json
 */
export async function ensureInstalled(root) {
  const lockFile = path.join(root, 'package-lock.json');
  if (!existsSync(lockFile)) return;
  const wanted = fingerprint(lockFile);
  if (isInstalled(root, wanted)) return;
  const lock = await takeInstallLock(root, (pid) => {
    say(`process ${pid} is installing the packages; waiting for it`);
  });
  try {
    // Another process may have installed them while this one waited.
    if (isInstalled(root, wanted)) return;
    await install(root, lock);
    writeFileSync(stampFile(root), wanted);
  } finally {
    lock.release();
  }
}

/** Includes the platform, since a folder copied from another platform has the wrong binaries. */
function fingerprint(lockFile) {
  const hash = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  return `${hash} ${process.platform}-${process.arch}\n`;
}

function isInstalled(root, wanted) {
  if (existsSync(stampFile(root))) return readFileSync(stampFile(root), 'utf8') === wanted;
  if (!isInstalledByHand(root)) return false;
  writeFileSync(stampFile(root), wanted);
  return true;
}

/**
 * Whether somebody ran npm by hand: at its end npm writes what it installed to its own lock file.
 */
function isInstalledByHand(root) {
  const installedFile = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages ?? {};
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([name, entry]) =>
      name === '' || entry.optional === true || installed[name]?.version === entry.version,
  );
}

async function install(root, lock) {
  const startedAt = performance.now();
  const progress = showProgress('installing packages', startedAt);
  let outcome = await runNpm('ci', root, lock);
  // With a registry that lacks optional packages of some platforms, the lock file is one that `npm
  // ci` refuses everywhere. `npm install` takes the same locked versions; --no-save keeps the file.
  if (outcome.output.includes('EUSAGE')) outcome = await runNpm('install --no-save', root, lock);
  progress.end();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  if (outcome.failure === undefined) {
    say(`packages installed in ${seconds} s`);
    return;
  }
  say(`npm could not install the packages (${outcome.failure}):\n${reasonOf(outcome.output)}`);
  lock.release();
  process.exit(EXIT_UNAVAILABLE);
}

/** npm prints the reason first; other programs that it runs print it last. */
function reasonOf(output) {
  const lines = output.trimEnd().split('\n');
  const first = lines.findIndex((line) => line.startsWith('npm error'));
  const start = first === -1 ? -OUTPUT_LINES_MAX : first;
  return lines.slice(start).slice(0, OUTPUT_LINES_MAX).join('\n');
}

function runNpm(command, root, lock) {
  const flags = ['--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const args = [...command.split(' '), ...flags];
  const npm = npmCommand();
  return new Promise((resolve) => {
    const child = spawn(npm.program, [...npm.args, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Older npm runs the script of onnxruntime-node, which downloads GPU libraries.
      env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
      shell: npm.shell,
    });
    lock.alsoHeldBy(child.pid);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ failure: error.message, output }));
    child.once('close', (code, signal) => {
      resolve({ failure: code === 0 ? undefined : `status ${code ?? signal}`, output });
    });
  });
}

/** The npm that started this script, else the one on PATH. */
function npmCommand() {
  const script = process.env['npm_execpath'];
  if (script?.endsWith('npm-cli.js')) {
    return { program: process.execPath, args: [script], shell: false };
  }
  // On Windows npm is a batch file, which only a shell can run.
  return { program: 'npm', args: [], shell: process.platform === 'win32' };
}

function showProgress(label, startedAt) {
  if (!process.stderr.isTTY) {
    say(`${label} ...`);
    return { end: () => undefined };
  }
  let frame = 0;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    frame = (frame + 1) % SPINNER.length;
    process.stderr.write(`\r\u001B[Kvarve: ${SPINNER[frame]} ${label}, ${seconds} s`);
  }, REDRAW_MS);
  return {
    end() {
      clearInterval(timer);
      process.stderr.write('\r\u001B[K');
    },
  };
}

function stampFile(root) {
  return path.join(root, 'node_modules', '.varve-installed');
}

/** On standard error, so that a command's own output can be piped. */
function say(text) {
  process.stderr.write(`varve: ${text}\n`);
}
