/** One part of a control plane as a process: started, waited for, signalled, started again. */
import { readFile } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { spawnServer, type ServerProcess } from '#providers/temporal/server-process.ts';

import { flagsOf, healthOf, type Places } from './flags.ts';
import { obtainProgram, type Part } from './programs.ts';

/** Five seconds on two idle cores; tests share them with others. */
const READY_MS_MAX = 120_000;
const READY_POLL_MS = 50;
const ANSWER_MS_MAX = 2_000;
const REASON_LINES_MAX = 15;

export interface RunningPart {
  readonly process: ServerProcess;
}

/** Starts a part and waits until it is ready. Errors: with the last lines of its log. */
export async function startPart(part: Part, places: Places): Promise<RunningPart> {
  const child = await spawnServer(
    {
      program: await obtainProgram(part),
      args: flagsOf(part, places),
      env: { PATH: process.env['PATH'], HOME: places.folder },
      logFile: path.join(places.folder, `${part}.log`),
    },
    () => undefined,
  );
  try {
    await waitUntilReady(part, places, child);
  } catch (cause) {
    await endPart({ process: child });
    const lines = child.logTail().split('\n').slice(-REASON_LINES_MAX).join('\n');
    throw new Error(`${part} did not start:\n${lines}`, { cause });
  }
  return { process: child };
}

/** Ends a part at once: what it holds is thrown away, or is to be lost as in a crash. */
export async function endPart(part: RunningPart): Promise<void> {
  signalPart(part, 'SIGKILL');
  await part.process.exited;
}

/** SIGSTOP and SIGCONT freeze and resume. A process that has ended needs no signal. */
export function signalPart(part: RunningPart, signal: NodeJS.Signals): void {
  try {
    process.kill(part.process.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function waitUntilReady(part: Part, places: Places, child: ServerProcess): Promise<void> {
  const authority = await readFile(path.join(places.keys, 'authority.crt'));
  const address = new URL(healthOf(part, places));
  const deadline = performance.now() + READY_MS_MAX;
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  while (!(await isHealthy(address, authority))) {
    if (hasEnded) throw new Error(`${part} ended while it started.`);
    if (performance.now() > deadline) throw new Error(`${part} was not ready in time.`);
    await pause(READY_POLL_MS);
  }
}

function isHealthy(address: URL, authority: Buffer): Promise<boolean> {
  const request = address.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve) => {
    const sent = request(address, { ca: authority, agent: false, timeout: ANSWER_MS_MAX });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('timeout', () => sent.destroy());
    // No answer is an answer: it is not ready.
    sent.once('error', () => {
      resolve(false);
    });
    sent.end();
  });
}
