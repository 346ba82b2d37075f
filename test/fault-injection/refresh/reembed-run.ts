/** A change of the embedding model that the server makes continue as new, again and again. */
import { REEMBED_SETTINGS, reembedWorkflowId } from '#core/embedding/reembed-contract.ts';
import { historiesOfWorkflow } from '../../workflows/history-text.ts';
import { openReembed } from '../../workflows/reembed-fixture.ts';
import { ALL, countsOf, notes, settled } from '../../workflows/reembed-observation.ts';
import { startKillableServer } from '../killable-server.ts';
import { findings, type Scenario } from './scenario.ts';

const SUGGESTED_EVENTS = '40';
const MEMORIES = 100;
/** Turns of a run that only the server ends. */
const UNBOUNDED = { ...REEMBED_SETTINGS, turnsMax: 10_000, settleMs: 200 };

export const REEMBED_RUNS: readonly Scenario[] = [
  {
    id: 'short-reembed-histories',
    requirement: 'TMP-04',
    run: async () => {
      const limit = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_EVENTS };
      await using server = await startKillableServer(limit);
      const { address } = server;
      await using stack = await openReembed({ address, textsMax: 1, settings: UNBOUNDED });
      const { tenant } = stack;
      await stack.addMany(tenant, notes(MEMORIES));
      await using _worker = await stack.startWorker();
      const { generation } = stack.new;
      await stack.temporal.reembed.begin(generation, ALL);
      const { totals } = await settled(stack);
      const found = findings();
      found.expect(totals.embedded === MEMORIES, `${String(totals.embedded)} vectors`);
      const { done, missing } = await countsOf(stack, tenant, generation);
      found.expect(done === MEMORIES && missing === 0, `${String(missing)} vectors are missing`);
      const texts = stack.new.calls.flat();
      found.expect(texts.length === new Set(texts).size, 'a text was embedded twice');
      const runs = await historiesOfWorkflow(stack, reembedWorkflowId(generation));
      found.expect(runs.length > 2, `${String(runs.length)} runs`);
      return found.list;
    },
  },
];
