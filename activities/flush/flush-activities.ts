/** The activities of flushes. Their results contain nothing of what was said. */
import type { FlushActivities } from '#core/flush/flush-contract.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import type { RunWiring } from '../refresh-ports.ts';
import { askFlush } from './ask-flush.ts';
import { endFlush, gatherFlush, startDueFlushes } from './start-due-flushes.ts';
import type { FlushPorts } from './session-to-flush.ts';
import { countsOf, keepFlush, writeFlush } from './write-flush.ts';

export function flushActivities({
  ports,
  portsOf,
  runs,
  callOf,
}: RunWiring<FlushPorts, FlushRuns>): FlushActivities {
  return {
    startDueFlushes: async () => {
      const started = runs();
      return started === undefined ? { started: 0 } : startDueFlushes(ports, started);
    },
    gatherFlush: async (input) => gatherFlush(await portsOf(input.tenant), input),
    askFlush: async (input) => {
      const call = callOf();
      return askFlush(await portsOf(input.tenant), input, call);
    },
    keepFlush: async (input) => countsOf(await keepFlush(ports, input)),
    writeFlush: async (input) => {
      const blocks = await writeFlush(ports, input, callOf());
      return { lines: blocks.flatMap(({ lines }) => lines).length };
    },
    endFlush: (input) => endFlush(ports, input),
  };
}
