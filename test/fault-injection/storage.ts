/**
 * `npm run prove -- storage [ID…]`: fails the disk under the SQLite store at every write, every
 * flush and every truncation of a scripted workload, and looks at what is left.
 *
 * Guarantees checked: what was acknowledged is there; of the rest each write is there whole or not
 * at all; words, vectors, history and counts agree with the memories; a disk that fails or is full
 * is an error with a code, and the next process opens the file.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findingsOf } from './storage-end.ts';
import { countCalls, missingForTrace, runWith, SYSTEM_CALLS, type Fault } from './storage-trace.ts';

const EFFECTS = ['Kill', 'EIO', 'ENOSPC'] as const;
/** Error codes that a write or a close may return for a broken disk. */
const REFUSED =
  /^(?:err \d+|end) (?:PROVIDER_(?:ERROR|REJECTED)|CANCELLED|CORRUPT|MEMORY_NOT_FOUND|TIMEOUT)$/u;

/** Every fault that the workload can meet, by counting what it does undisturbed. */
export async function storageFaults(): Promise<readonly (Fault & { readonly id: string })[]> {
  const calls = await inFolder(countCalls);
  return SYSTEM_CALLS.flatMap((call) =>
    EFFECTS.filter((effect) => effect !== 'ENOSPC' || call === 'pwrite64').flatMap((effect) =>
      Array.from({ length: calls[call] }, (_, at) => {
        const nth = at + 1;
        return { id: `${call}-${String(nth)}-${effect.toLowerCase()}`, call, nth, effect };
      }),
    ),
  );
}

/** What is wrong after a fault; empty where all is as it should be. */
export async function storageFindings(fault: Fault): Promise<readonly string[]> {
  return inFolder(async (file) => {
    const { status, told, refused, stderr } = await runWith(file, fault);
    const strange = refused.filter((line) => !REFUSED.test(line));
    const findings = strange.map((line) => `the workload was told "${line}"`);
    if (fault.effect !== 'Kill' && status !== 0) {
      findings.push(`the workload ended with status ${String(status)}: ${stderr.slice(0, 300)}`);
    }
    return [...findings, ...(await findingsOf(file, told))];
  });
}

async function inFolder<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-disk-'));
  try {
    return await work(path.join(folder, 'varve.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With ids as arguments only those cases. */
export async function run(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const missing = await missingForTrace();
  if (missing !== null) {
    process.stdout.write(`not run: it needs ${missing}\n`);
    return { passed: 0, failed: 0 };
  }
  const faults = await storageFaults();
  const chosen = faults.filter(({ id }) => args.length === 0 || args.includes(id));
  const counts = { passed: 0, failed: 0 };
  for (const fault of chosen) {
    const findings = await storageFindings(fault).catch((error: unknown) => [String(error)]);
    const ok = findings.length === 0;
    counts[ok ? 'passed' : 'failed'] += 1;
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'}  ${[fault.id, ...findings].join('; ')}\n`);
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}
