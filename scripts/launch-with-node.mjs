/**
 * Runs a TypeScript file of this project with a suitable Node: the current one if it is new enough,
 * otherwise the one that npm installed.
 *
 * The child gets an IPC channel, so that it can tell when this process dies, SIGKILL included:
 *   process.on('disconnect', shutDown);
 *   process.channel?.unref();   // the channel alone must not keep the child running
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXIT_UNAVAILABLE, ensureInstalled } from './install.mjs';

/** Node 24 strips types; Node 26 has a `Temporal` global that reads the clock inside workflows. */
const NODE_VERSION_MIN = [24, 15];
const NODE_MAJOR_BELOW = 26;
/** How often to check whether npm has ended, in milliseconds. */
const PARENT_LOOK_MS = 500;
/** Added to a signal's number for the exit status, as in shells. */
const EXIT_SIGNAL_BASE = 128;

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Node's compile cache: a command, and what it starts, start in two thirds of the time. */
const COMPILE_CACHE = path.join(ROOT, 'node_modules', '.cache', 'compiled');

/**
 * Installs what is missing, runs the file and ends with its exit status.
 * @param {string} file relative to the project's folder
 * @param {string[]} args
 */
export async function launch(file, args) {
  await ensureInstalled(ROOT);
  const node = chooseNode();
  if (node === undefined) {
    const wanted = `Node ${NODE_VERSION_MIN.join('.')} or newer, below ${NODE_MAJOR_BELOW}`;
    process.stderr.write(
      `varve: UNAVAILABLE: this is Node ${process.versions.node}; Varve needs ${wanted}.\n` +
        'npm did not install its own copy, as with --ignore-scripts. Either install that Node, ' +
        'or run: npm rebuild node\n',
    );
    process.exit(EXIT_UNAVAILABLE);
  }
  const child = spawn(node, [path.resolve(ROOT, file), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
  });
  passSignals(child);
  endWithNpm(child);
  child.once('error', (error) => {
    process.stderr.write(`varve: UNAVAILABLE: ${node} can't be started: ${error.message}\n`);
    process.exit(EXIT_UNAVAILABLE);
  });
  child.once('exit', (code, signal) => {
    process.exit(code ?? EXIT_SIGNAL_BASE + (constants.signals[signal] ?? 0));
  });
}

function chooseNode() {
  if (isFit(process.versions.node)) return process.execPath;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = path.join(ROOT, 'node_modules', 'node', 'bin', name);
  return existsSync(own) ? own : undefined;
}

function isFit(version) {
  const [major, minor] = version.split('.').map(Number);
  const [majorMin, minorMin] = NODE_VERSION_MIN;
  if (major >= NODE_MAJOR_BELOW) return false;
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

/**
 * Passes signals on to the child. A terminal sends Ctrl-C to every process in it, including the
 * child; passing it on would send it twice, which the child takes as "at once". Without a terminal
 * the signal comes from another program, to this process only. A closing terminal signals only its
 * first process, so SIGHUP is always passed on; shells repeat it too, so a child must ignore the
 * second.
 */
function passSignals(child) {
  const streams = [process.stdin, process.stdout, process.stderr];
  const hasTerminal = streams.some((stream) => stream.isTTY);
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal);
    });
  }
}

/**
 * Ends the child when npm ends. On a signal npm ends together with its shell and passes nothing on,
 * so the child would run forever. A program started without npm may outlive its parent, as with
 * `nohup`.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    child.kill('SIGTERM');
  }, PARENT_LOOK_MS);
  look.unref();
}
