/**
 * One of several processes on one file: adds memories and reserves tokens, and prints the id of
 * each memory once its promise has resolved. With a step it kills itself there instead; several
 * writers add at the same time.
 */
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';

import { memoryOf, NOW, rulesAt } from './samples.ts';

const [file = '', first = '0', adds = '0', reservations = '0', crashAt = '-1', writers = '1'] =
  process.argv.slice(2);

const BUDGET = { limitTokens: 50, limitMicroDollars: null, onExhausted: 'Reject' } as const;

let step = -1;
function takeStep(): void {
  if (step >= 0 && step === Number(crashAt)) process.kill(process.pid, 'SIGKILL');
  if (step >= 0) step += 1;
}

const faults = { beforeStatement: takeStep, afterCommit: takeStep };
const opening = { platform: createPlatform(), analyzer: createTextAnalyzer() };
await using store = await openSqliteStore({ file, ...opening, faults });
// Steps count from here: opening the file is another test.
step = 0;
let next = 0;

/** Adds one memory after another, as the other writers of this process do beside it. */
async function addSome(): Promise<void> {
  while (next < Number(adds)) {
    const memory = memoryOf('acme', Number(first) + next);
    next += 1;
    const { record } = await store.memories.add(memory, rulesAt(NOW));
    process.stdout.write(`${record.id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, addSome));
// Nor do the steps of closing it.
step = -1;
for (let n = 0; n < Number(reservations); n += 1) {
  const attemptId = `attempt-${Number(first) + n}`;
  const whole = { tenant: 'acme', batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId };
  const amount = { tokens: 1, microDollars: 0 };
  await store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
  if (n % 2 === 0) {
    const settlement = { outcome: 'Usage', now: NOW } as const;
    await store.accounts.settle({ tenant: 'acme', attemptId }, amount, settlement);
  }
}
