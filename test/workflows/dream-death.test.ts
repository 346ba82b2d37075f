/** A worker process is killed within a dream, right after it stored the model's answer. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startWorkerChild } from '#cli/stack/worker-child.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { openDreams } from './dream-fixture.ts';
import { KILLED_FILE, type WorkerUnderKill } from '../fault-injection/worker-under-kill.ts';

const WORKER = fileURLToPath(new URL('../fault-injection/worker-under-kill.ts', import.meta.url));
const TEA = 'Zaphod prefers green tea and never drinks coffee after noon.';

describe('a worker killed during a dream', () => {
  it('leaves an answer that the next worker uses without paying again', async () => {
    await using stack = await openDreams();
    const { dataDir, namespace, address, tenant, parts } = stack;
    await stack.append([TEA]);
    const input = stack.input();
    expect(await stack.temporal.dreams.start(input)).toBe('Started');
    const markDir = path.join(dataDir, 'marks');
    await mkdir(markDir);
    const given: WorkerUnderKill = {
      dataDir,
      markDir,
      address,
      namespace,
      kill: { activity: 'distilDream', at: 'After', call: 1 },
      atOnce: 8,
      refusals: 0,
      answerMs: 0,
    };
    await using _child = await startWorkerChild({
      module: WORKER,
      args: [JSON.stringify(given)],
      env: process.env,
      log: SILENT_LOG,
    });
    expect(await stack.settled()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(existsSync(path.join(markDir, KILLED_FILE))).toBe(true);
    const answers = await parts.store.answers.ofBatch(tenant, input.dreamId);
    expect(answers.map(({ attemptId }) => attemptId)).toEqual([`${input.dreamId}/1`]);
    expect(await stack.memory()).toEqual([TEA]);
    expect(await stack.documents('MEMORY.md')).toHaveLength(1);
  });
});
