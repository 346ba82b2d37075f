/** The example tenant with its memories summarized, and the context that a question gets of it. */
import { readFile } from 'node:fs/promises';
import type { Varve } from '#cli/open-varve.ts';
import type { ReceiptLine } from '#core/context/context-parts.ts';
import type { Layer } from '#core/layer.ts';
import { DEPTHS } from '#core/records/summary.ts';
import { defaultPolicy, type TenantPolicy } from '#core/records/policy.ts';

const MEMORIES = new URL('../examples/acme/memories.jsonl', import.meta.url);
const TENANT = 'acme';
const IDENTIFIERS = {
  agentId: 'release-bot',
  userId: 'dana',
  projectId: 'checkout',
  teamId: 'payments',
  orgId: 'commerce',
  companyId: 'acme',
};

/**
 * Room for the shortest texts of six layers and the paragraph of one, or a little more. There are
 * no related memories in it, which would take that room from the summaries.
 */
const TOKENS_MAX = 540;

export interface TenantFolder {
  readonly varve: Varve;
  readonly declare: (policy: TenantPolicy) => Promise<unknown>;
}

/** What is read of a line; its own identifiers are among those of everybody. */
type Line = Readonly<Record<'content' | 'at', string>> & { readonly layer: Layer };

export async function fillExampleTenant({ varve, declare }: TenantFolder): Promise<void> {
  const { context, ...policy } = defaultPolicy(TENANT);
  await declare({ ...policy, context: { ...context, relatedEntitiesLimit: 0 } });
  const lines = (await readFile(MEMORIES, 'utf8')).trim().split('\n');
  const memories = lines.map((line) => {
    const { layer, content, at } = JSON.parse(line) as Line;
    return { layer, content, at, identifiers: IDENTIFIERS };
  });
  await varve.memory.bulkAdd({ tenant: TENANT, memories });
  await varve.refresh({ tenant: TENANT });
}

/** The layer whose text is deeper than that of every other one; null where there is none. */
export async function deepestLayer(varve: Varve, query: string): Promise<Layer | null> {
  const { receipt } = await varve.context.assemble({
    ...{ tenant: TENANT, identifiers: IDENTIFIERS, query },
    ...{ layerSummaries: true, maxTokens: TOKENS_MAX },
  });
  const lines = receipt.filter(({ kind, depth }) => kind === 'layerSummary' && depth !== null);
  const [first, second] = lines.toSorted((a, b) => placeOf(b) - placeOf(a));
  if (first === undefined) return null;
  const isAlone = second === undefined || placeOf(second) < placeOf(first);
  return isAlone ? first.layer : null;
}

function placeOf({ depth }: ReceiptLine): number {
  return depth === null ? -1 : DEPTHS.indexOf(depth);
}
