/** The processes of this machine by `ps`, to check that none is left behind. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** What ended but was not waited for yet does not count. */
async function allProcesses(): Promise<readonly Running[]> {
  const { stdout } = await promisify(execFile)(
    'ps',
    ['-ww', '-A', '-o', 'pid=,ppid=,stat=,args='],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
    if (pid === undefined || parent === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** A process and all that descend from it. */
export async function familyOf(pid: number): Promise<readonly Running[]> {
  const all = await allProcesses();
  const family = all.filter((each) => each.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family.filter(({ command }) => !command.startsWith('ps '));
}

/** Resolves when no process has the folder on its command line, as every part of a stack has. */
export async function untilNoneOn(folder: string): Promise<void> {
  await until('no process works on the folder', async () => {
    const all = await allProcesses();
    return !all.some(({ command }) => command.includes(folder));
  });
}

/** Those of the processes that still run; a process id that was given away again is another's. */
export async function stillRunning(processes: readonly Running[]): Promise<readonly Running[]> {
  const all = await allProcesses();
  return processes.filter(({ pid, command }) =>
    all.some((each) => each.pid === pid && each.command === command),
  );
}

export async function untilGone(processes: readonly Running[]): Promise<void> {
  await until('every process has ended', async () => (await stillRunning(processes)).length === 0);
}

/** Which part of an installation a process is; null for the shell that watches over the server. */
export function partOf({ command }: Running): string | null {
  if (command.includes('varve-watchdog')) return null;
  if (command.includes('server start-dev')) return 'temporal';
  if (command.includes(path.join('scripts', 'varve.mjs'))) return 'launcher';
  return command.includes('main.ts worker') ? 'worker' : 'stack';
}
