/**
 * A scope too large for one call: its segments are processed in one go, without a window for each.
 */
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { openStack, metered } from '../../workflows/fixture.ts';
import { historyFindings, PERSON, SECRET_WORD, startsOf, unsettled } from './end-state.ts';
import { findings, type Scenario } from './scenario.ts';

const HOUR_MS = 3_600_000;
/** Little, so that few memories make many calls. */
const INPUT_TOKENS_MAX = 8_000;
/** What each group saw beside the harbour, so that a memory has about a hundred tokens. */
const SIGHTS = 'the old tower, the market of the fishermen, two ships under repair, '.repeat(5);

export const LARGE_SCOPES: readonly Scenario[] = [
  {
    id: 'large-scope',
    requirement: 'SUM-16',
    run: async ({ address, scale }) => {
      const count = scale === 'Full' ? 4_000 : 1_200;
      await using stack = await openStack({
        address,
        model: (extractive) => ({ ...metered(extractive), inputTokensMax: INPUT_TOKENS_MAX }),
      });
      const { tenant, ports } = stack;
      await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
      const identifiers = { projectId: `${PERSON}1` };
      const memories = Array.from({ length: count }, (_, n) => {
        const group = `Group ${String(n)} saw ${SECRET_WORD} and its harbour`;
        const content = `${group} on day ${String(n)}, ${SIGHTS}and rain.`;
        return { layer: 'project' as const, identifiers, content };
      });
      const quiet = { ...ports, refreshTrigger: NO_REFRESH_TRIGGER };
      await OPERATIONS.memory.bulkAdd.call(quiet, LOCAL_OPERATOR, { tenant, memories });
      stack.advance(HOUR_MS);
      await stack.temporal.notify(tenant, { urgent: false });
      const { generated, advanced, modelCalls } = await stack.settled(tenant);
      const found = findings();
      found.expect(generated === 1, `${String(generated)} summaries`);
      found.expect(advanced > 1, `${String(advanced)} steps on the way`);
      found.expect(modelCalls > advanced, `${String(modelCalls)} calls`);
      const starts = await startsOf(stack, tenant);
      found.expect(starts === 1, `${String(starts)} runs were started`);
      found.add(await unsettled(stack, tenant));
      found.add(await historyFindings(stack, tenant));
      return found.list;
    },
  },
];
