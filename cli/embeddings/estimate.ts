/** What a change of the embedding model means: memories, tokens, money. */
import type { Embedder } from '#core/ports/embedder.ts';
import type { Store } from '#core/ports/store.ts';
import { embeddingCost } from '#core/budget/price.ts';

/** Tenants read at once. */
const TENANTS_PER_PAGE = 100;
const MICRO_DOLLARS_PER_DOLLAR = 1_000_000;

export interface Estimate {
  readonly tenants: number;
  /** Tenants that rely on another model, or lack vectors of this one. */
  readonly tenantsToChange: number;
  readonly memories: number;
  readonly memoriesToEmbed: number;
  /** By cl100k, counted when each memory was written; another model counts a little otherwise. */
  readonly tokens: number;
  /** Null where the model has no price. */
  readonly microDollars: number | null;
}

export async function estimate(
  store: Pick<Store, 'embeddings'>,
  to: Embedder,
  { tenants, now }: { tenants: readonly string[] | null; now: number },
): Promise<Estimate> {
  const { generation, microDollarsPerMillionTokens: price } = to;
  const sum = { tenants: 0, tenantsToChange: 0, memories: 0, memoriesToEmbed: 0, tokens: 0 };
  for await (const tenant of tenants ?? allTenants(store)) {
    const state = await store.embeddings.state(tenant);
    const { done, missing, missingTokens } = await store.embeddings.progress(tenant, {
      generation,
      now,
    });
    sum.tenants += 1;
    if (missing > 0 || (state !== null && state.active !== generation)) sum.tenantsToChange += 1;
    sum.memories += done + missing;
    sum.memoriesToEmbed += missing;
    sum.tokens += missingTokens;
  }
  const microDollars = price === null ? null : embeddingCost(sum.tokens, price).microDollars;
  return { ...sum, microDollars };
}

async function* allTenants({ embeddings }: Pick<Store, 'embeddings'>): AsyncGenerator<string> {
  let after: string | null = null;
  do {
    const page: readonly string[] = await embeddings.tenants({ after, limit: TENANTS_PER_PAGE });
    yield* page;
    after = page.length < TENANTS_PER_PAGE ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

/** @param runsHere whether the model is on this machine */
export function estimateText(to: Embedder, found: Estimate, runsHere: boolean): string {
  const { tenants, tenantsToChange, memories, memoriesToEmbed, tokens, microDollars } = found;
  const price = to.microDollarsPerMillionTokens;
  const money =
    price === null || microDollars === null
      ? 'nothing is known of a price'
      : `about ${dollars(microDollars)}, at ${dollars(price)} for a million tokens`;
  const rows = [
    ['model', `${to.generation}, ${to.quality} quality`],
    ['tenants', `${figure(tenantsToChange)} of ${figure(tenants)} change`],
    ['memories', `${figure(memoriesToEmbed)} of ${figure(memories)} to embed`],
    ['tokens', `about ${figure(tokens)}`],
    ['price', runsHere ? 'none, it runs on this machine' : money],
  ];
  return rows.map(([name = '', text = '']) => `${name.padEnd(10)}${text}\n`).join('');
}

function figure(number: number): string {
  return number.toLocaleString('en-US');
}

function dollars(microDollars: number): string {
  const amount = microDollars / MICRO_DOLLARS_PER_DOLLAR;
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
