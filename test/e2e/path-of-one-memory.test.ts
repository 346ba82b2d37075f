/**
 * The path of one memory, as section 2 of the README tells it: written through the API, found
 * stale, waited for, planned, summarized, grounded, committed, and handed out in a context.
 */
import { describe, expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { startStackOn, TENANT, untilSummarized } from './running-stack.ts';
import { temporaryFolder } from './varve-process.ts';

const CONTENT =
  'Decision of 12 May 2026: the ferry from Kiel leaves at 18:45, as the train arrives at 17:10.';
const QUESTION = 'When does the ferry leave?';
const identifiers = { projectId: 'voyage' };
const asked = { tenant: TENANT, layer: 'project', identifiers, depth: 'sentence' } as const;

describe('the path of one memory', () => {
  test('PATH-1: becomes the same cited summary through the running stack and inline', async () => {
    await using here = await temporaryFolder();
    await using stack = await startStackOn(here.path);
    const { api, addresses } = stack;

    // api: parsed, authorised, appended; core/staleness and core/due: stale, and due at once.
    const layer = 'project';
    const added = await api.memory.add({ tenant: TENANT, layer, identifiers, content: CONTENT });
    expect(added.scope).toMatchObject({ changes: 1, trigger: 'Changes' });
    const { summaries } = await api.summary.list({ tenant: TENANT, identifiers });
    const before = summaries.find(({ scope }) => scope.layer === layer);
    expect(before?.freshness.stale).toBe(true);

    // workflows, activities, providers/extractive, core/grounding, providers/sqlite.
    await untilSummarized(api, identifiers.projectId, '18:45');
    const summary = await api.summary.get(asked);
    expect(summary).toMatchObject({
      text: CONTENT,
      sourceCount: 1,
      freshness: { stale: false },
      sentences: [{ text: CONTENT, sources: [added.memory.id] }],
    });

    // The run that did it ended by itself and holds no memory text.
    await using temporal = await connectTemporal({
      address: addresses.temporalAddress,
      namespace: addresses.temporalNamespace,
    });
    const totals = await temporal.settled(TENANT);
    expect(totals).toMatchObject({ generated: 1, modelCalls: 0 });
    const handle = temporal.client.workflow.getHandle(refreshWorkflowId(TENANT));
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain('ferry');

    // core/precedence, core/budget, core/context: text within the limit, and why.
    const context = await api.context.assemble({
      tenant: TENANT,
      identifiers,
      query: QUESTION,
      maxTokens: 400,
      layerSummaries: true,
    });
    expect(context.text).toContain(CONTENT);
    expect(context.tokens).toBeLessThanOrEqual(400);
    const cited = context.receipt.filter(({ sources }) => sources.includes(added.memory.id));
    // The memory itself is shown; the summary says no more than it.
    expect(cited).toContainEqual(
      expect.objectContaining({ kind: 'layerSummary', included: false, reason: 'Duplicate' }),
    );
    expect(cited).toContainEqual(
      expect.objectContaining({ kind: 'relatedEntity', included: true }),
    );

    // The same path without any server.
    await using there = await temporaryFolder();
    await using varve = await openVarve({ dataDir: there.path });
    await varve.memory.add({ tenant: TENANT, layer, identifiers, content: CONTENT });
    await varve.refresh({ tenant: TENANT });
    const inline = await varve.summary.get(asked);
    expect(inline?.text).toBe(summary?.text);
    expect(inline?.tokens).toBe(summary?.tokens);
  });
});
