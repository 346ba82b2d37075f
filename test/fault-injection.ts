/** `npm run prove -- NAME [ARGUMENT…]`: the long proofs, which no commit waits for. */
import { type NamedRun, runOrExit } from '#bench/named-runs.ts';

interface Proof {
  /** Prints one line per case and a closing one. */
  run(args: readonly string[]): Promise<{ readonly passed: number; readonly failed: number }>;
}

interface NamedProof extends NamedRun {
  load(): Promise<Proof>;
}

const IDS = '[ID…]';

const PROOFS: Readonly<Record<string, NamedProof>> = {
  budget: {
    about: 'Reservers of one tenant in three processes on one store.',
    words: IDS,
    load: () => import('./fault-injection/budget.ts'),
  },
  fuzz: {
    about: 'Spoiled requests over REST, tRPC and MCP against a running server.',
    words: '[REQUESTS]',
    isCounts: true,
    load: () => import('./fault-injection/fuzz.ts'),
  },
  kill: {
    about: 'Kills the worker at every boundary of every activity.',
    words: IDS,
    load: () => import('./fault-injection/kill.ts'),
  },
  mongodb: {
    about: 'Kills the MongoDB server in the midst of writers.',
    words: '[SEED…]',
    isCounts: true,
    load: () => import('./fault-injection/mongodb.ts'),
  },
  operator: {
    about: 'What the operator does when it, the API server or the network fails.',
    words: IDS,
    load: () => import('./fault-injection/operator.ts'),
  },
  refresh: {
    about: 'Refreshes under faults, each with its proof.',
    words: IDS,
    load: () => import('./fault-injection/refresh.ts'),
  },
  replay: {
    about: 'Replays histories that the Temporal CLI or UI exported.',
    words: 'FILE…',
    load: () => import('./fault-injection/replay.ts'),
  },
  storage: {
    about: 'Fails the disk under the SQLite store at every write.',
    words: IDS,
    load: () => import('./fault-injection/storage.ts'),
  },
  'read-your-writes': {
    about: 'Writers and readers of a running installation under disturbances.',
    words: '[SECONDS] [SEED]',
    isCounts: true,
    load: () => import('./fault-injection/read-your-writes.ts'),
  },
};

const { run, args } = await runOrExit('npm run prove', PROOFS);
const proof = await run.load();
const { passed, failed } = await proof.run(args);
if (passed === 0 && failed === 0 && args.length > 0) {
  process.stderr.write(`varve: nothing was run for ${args.join(' ')}\n`);
}
process.exit(failed > 0 || passed === 0 ? 1 : 0);
