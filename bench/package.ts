/** The cost of the package: time and memory of a process that does nothing else. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const ROUNDS = 9;
const ENTRY = path.join(path.dirname(import.meta.dirname), 'dist', 'index.js');
const Measured = z.object({ ms: z.number(), cpuMs: z.number(), mb: z.number() });
type Measured = z.infer<typeof Measured>;

/** `npm run bench -- package`: Node alone, an import, and a library that holds one memory. */
export async function run(): Promise<void> {
  if (!existsSync(ENTRY)) throw new Error(`${ENTRY} is not there. Run: npm run build`);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-package-'));
  const load = `const { openVarve } = await import(${JSON.stringify(pathToFileURL(ENTRY).href)});`;
  const memory = { tenant: 'acme', layer: 'user', identifiers: { userId: 'a' }, content: 'Hello.' };
  const open = `${load}
    const varve = await openVarve({ dataDir: ${JSON.stringify(dataDir)}, environment: {} });
    await varve.memory.add(${JSON.stringify(memory)});
    after = () => varve[Symbol.asyncDispose]();`;
  try {
    const programs = { 'node alone': '', 'import varve': load, 'open, and add a memory': open };
    for (const [name, code] of Object.entries(programs)) {
      const rounds: Measured[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(code));
      const [ms = '', cpuMs = '', mb = ''] = (['ms', 'cpuMs', 'mb'] as const).map((field) =>
        middle(rounds.map((round) => round[field])).toFixed(0),
      );
      console.log(`${name}: ${ms} ms, ${cpuMs} ms of processor, ${mb} MB resident`);
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(code: string): Promise<Measured> {
  const program = `let after = () => undefined; const from = performance.now(); ${code}
    const { user, system } = process.cpuUsage();
    const ms = performance.now() - from;
    const mb = process.memoryUsage().rss / 1e6;
    console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1e3, mb })); await after();`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Measured.parse(JSON.parse(stdout));
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
