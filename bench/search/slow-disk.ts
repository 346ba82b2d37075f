/**
 * The same adds on a disk that takes longer: a process of its own whose every flush returns late,
 * held back by `strace`. What sharing a flush is worth shows there, where flushes are what costs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { AddRates } from './durable-adds.ts';

/** As a disk that turns; one in a network takes about half as long. */
export const FLUSH_DELAY_MS = 10;
const MICROSECONDS = 1_000;
const PROGRAM = path.join(import.meta.dirname, 'adds-process.ts');

/** The rates, or why they can't be had here. */
export async function measureSlowDisk(rounds: number): Promise<AddRates | string> {
  if (spawnSync('strace', ['-V']).status !== 0) return 'there is no strace to hold flushes back';
  const flushes = 'fsync,fdatasync';
  const delay = `delay_exit=${String(FLUSH_DELAY_MS * MICROSECONDS)}`;
  const child = spawn(
    'strace',
    // Of all calls of the process only flushes are stopped at; the others run at full speed.
    [
      ...['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'],
      ...['-e', `trace=${flushes}`, '-e', `inject=${flushes}:${delay}`],
      ...[process.execPath, PROGRAM, String(rounds)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const printed = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) return 'strace could not run the adds; it may not be allowed to trace here';
  return JSON.parse(printed) as AddRates;
}
