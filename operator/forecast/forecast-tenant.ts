/** What a changed policy would do to a tenant, counted over its scopes page by page. */
import { DAY_MS } from '#core/duration.ts';
import { isDeepStrictEqual } from 'node:util';
import { plus, limitOf, periodEnd, periodStart, reservedOf } from '#core/budget/budget-account.ts';
import { costOf } from '#core/budget/price.ts';
import { forEachLayer, LAYERS, type Layer } from '#core/layer.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import { NOTHING, type Amount, type Account } from '#core/records/account.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { type Trigger, type Usage } from '#core/records/summary.ts';
import { askedTexts, callSizes } from '#core/refresh/call-size.ts';
import { isSegmented, segmentSizes, sourceWeight } from '#core/segments/segment-sizes.ts';
import { dueOf, duePolicyOf } from '#core/refresh/when-to-refresh.ts';
import { layerRecipe, type ForecastModels, type LayerRecipe } from './forecast-models.ts';
import { addUsage } from '#core/refresh/plan-batches.ts';

/** The scopes of a layer that are regenerated for one reason at one time. */
export interface ForecastRow extends Pick<ScopeForecast, 'reason' | 'when' | 'cost'> {
  readonly layer: Layer;
  readonly scopes: number;
  readonly model: string;
  /** False if the model's price is not known. */
  readonly isPriced: boolean;
}

export function tallyTenant(
  policies: { readonly before: TenantPolicy; readonly after: TenantPolicy },
  { models, now }: { readonly models: ForecastModels; readonly now: number },
) {
  const recipes = recipesOf(policies, models);
  const rows = new Map<string, ForecastRow>();
  return {
    add: (page: readonly ScopeRecord[]): void => {
      for (const record of page) {
        const { layer } = record;
        const recipe = recipes[layer];
        const forecast = forecastScope(record, {
          before: { policy: policies.before, recipe: recipe.before },
          after: { policy: policies.after, recipe: recipe.after },
          now,
        });
        if (forecast === null) continue;
        const key = `${layer} ${forecast.reason} ${forecast.when}`;
        const { name: model, isKnown: isPriced } = recipe.after.model;
        const row = rows.get(key) ?? {
          ...forecast,
          layer,
          scopes: 0,
          cost: NOTHING,
          model,
          isPriced,
        };
        rows.set(key, { ...row, scopes: row.scopes + 1, cost: plus(row.cost, forecast.cost) });
      }
    },
    /** By layer, then in the order in which the reasons were found. */
    rows: () => LAYERS.flatMap((layer) => [...rows.values()].filter((row) => row.layer === layer)),
    /** The upper bound of the total cost. */
    total: () => [...rows.values()].reduce((sum, { cost }) => plus(sum, cost), NOTHING),
  };
}

function recipesOf(
  { before, after }: { readonly before: TenantPolicy; readonly after: TenantPolicy },
  models: ForecastModels,
): Readonly<Record<Layer, { before: LayerRecipe; after: LayerRecipe }>> {
  return forEachLayer((layer) => ({
    before: layerRecipe(before, layer, models),
    after: layerRecipe(after, layer, models),
  }));
}

/** What a changed policy would do to one scope: pure, from its record and both policies. */
export interface ScopeForecast {
  readonly reason: Trigger;
  /**
   * Now: as soon as the policy is applied. Backfill: a few a minute, with at most half of the
   * budget. NextDue: when the scope is due anyway.
   */
  readonly when: 'Now' | 'Backfill' | 'NextDue';
  readonly cost: Amount;
}

export interface ScopeRules {
  readonly before: { readonly policy: TenantPolicy; readonly recipe: LayerRecipe };
  readonly after: { readonly policy: TenantPolicy; readonly recipe: LayerRecipe };
  readonly now: number;
}

/**
 * Returns null if the change regenerates nothing: the scope is due without it, or waits after a
 * failure or for budget.
 */
export function forecastScope(record: ScopeRecord, rules: ScopeRules): ScopeForecast | null {
  if (record.sourceCount === 0 || record.deadLetter !== null || record.hold !== null) return null;
  const { before, after, now } = rules;
  if (isDue(record, before.policy, now) !== null) return null;
  const isKept = before.recipe.segmentHash === after.recipe.segmentHash;
  const cost = remakingCost(record, after.recipe, isKept);
  const trigger = isDue(record, after.policy, now);
  if (trigger !== null) return { reason: trigger, when: 'Now', cost };
  if (!isRecipeNews(record, rules)) return null;
  const isBackfilled = after.policy.onRecipeChange === 'Backfill';
  return { reason: 'Recipe', when: isBackfilled ? 'Backfill' : 'NextDue', cost };
}

function isDue(record: ScopeRecord, policy: TenantPolicy, now: number): Trigger | null {
  const due = dueOf(record, duePolicyOf(policy, record.layer), now);
  return due !== null && due.at <= now ? due.trigger : null;
}

/** Whether this change gives the summary another recipe or begins its backfill. */
function isRecipeNews(
  { recipeHash }: ScopeRecord,
  { before, after }: Pick<ScopeRules, 'before' | 'after'>,
): boolean {
  // A fallback text is not regenerated for a recipe. A summary without a recipe is of an old
  // version.
  if (recipeHash === null || recipeHash === after.recipe.fallbackHash) return false;
  if (recipeHash === after.recipe.recipeHash) return false;
  const isOther = before.recipe.recipeHash !== after.recipe.recipeHash;
  const beginsBackfill =
    before.policy.onRecipeChange !== 'Backfill' && after.policy.onRecipeChange === 'Backfill';
  return isOther || beginsBackfill;
}

/** An inner node reads the facts of a few leaves and keeps some of them. */
const INNER_NODES_PER_LEAF = 1 / 3;

/**
 * Returns the tokens and money of one regeneration. `areSegmentsKept`: the recipe of a large
 * scope's segments did not change, so only segments with changed sources are made again.
 */
export function remakingCost(
  record: Pick<ScopeRecord, 'sourceCount' | 'sourceTokens' | 'changes'>,
  recipe: Pick<LayerRecipe, 'model' | 'asked'>,
  areSegmentsKept: boolean,
): Amount {
  const { model } = recipe;
  if (model.price === null) return NOTHING;
  const { sourceCount: count, sourceTokens: tokens } = record;
  const weight = sourceWeight({ tokens, count });
  if (!isSegmented(weight, model)) {
    return costOf(callUsage(recipe, { tokens, count }), model.price);
  }
  const { leaf, inner, innerFacts } = segmentSizes(model);
  const leaves = Math.max(1, Math.ceil(weight / leaf.aim));
  const remade = areSegmentsKept ? Math.min(record.changes, leaves) : leaves;
  const ofLeaf = callUsage(
    { model, asked: askedTexts({ depths: ['detailed'], personalized: false }) },
    {
      tokens: Math.ceil(tokens / leaves),
      count: Math.ceil(count / leaves),
    },
  );
  const ofInner = { inputTokens: inner.most, outputTokens: innerFacts };
  const nodes = remade === 0 ? 0 : Math.ceil(remade * INNER_NODES_PER_LEAF) + 1;
  return costOf(addUsage(times(ofLeaf, remade), times(ofInner, nodes)), model.price);
}

function callUsage(
  { model, asked }: Pick<LayerRecipe, 'model' | 'asked'>,
  sources: { tokens: number; count: number },
): Usage {
  const sizes = callSizes(model);
  const size = sizes.sizeOf({
    task: 'Extract',
    ...asked,
    sources: sources.count,
    tokens: sources.tokens,
  });
  return { ...size, inputTokens: size.inputTokens + sizes.rules };
}

function times({ inputTokens, outputTokens }: Usage, count: number): Usage {
  return { inputTokens: inputTokens * count, outputTokens: outputTokens * count };
}

/**
 * A dream that a changed policy would begin, change or end: pure. Its cost is not forecast: it
 * depends on what is written until then, and only subjects with something new dream.
 */
export interface DreamForecast {
  readonly name: string;
  readonly change: 'Begins' | 'Changes' | 'Ends';
  /** The new values; the previous ones for a dream that ends. */
  readonly cron: string;
  readonly timeZone: string;
  /** True if no date matches the cron. */
  readonly neverComes: boolean;
}

/** Returns the changed dreams, by name. */
export function forecastDreams(
  before: Pick<TenantPolicy, 'dreams'>,
  after: Pick<TenantPolicy, 'dreams'>,
  { calendar, now }: { readonly calendar: Pick<Calendar, 'nextTime'>; readonly now: number },
): readonly DreamForecast[] {
  const old = byName(before);
  const next = byName(after);
  const names = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)];
    const shown = is ?? was;
    if (shown === undefined || isDeepStrictEqual(was, is)) return [];
    const change = was === undefined ? 'Begins' : is === undefined ? 'Ends' : 'Changes';
    const { cron, timeZone } = shown;
    const neverComes = calendar.nextTime(cron, timeZone, now) === null;
    return [{ name, change, cron, timeZone, neverComes } as const];
  });
}

function byName({ dreams = [] }: Pick<TenantPolicy, 'dreams'>): ReadonlyMap<string, DreamPolicy> {
  return new Map(dreams.map((dream) => [dream.name, dream]));
}

/** The expected state of a budget at the end of its period, judged by the spending so far. */
export interface PeriodForecast {
  readonly measure: keyof Amount;
  /** Null if there is no limit. */
  readonly limit: number | null;
  readonly spent: number;
  readonly reserved: number;
  /** The upper bound of what the changes cost, once. */
  readonly planned: number;
  /** What the rest of the period costs at the rate so far. */
  readonly usual: number;
  /** All of it together, at the end of the period. */
  readonly expected: number;
  readonly state: 'NoLimit' | 'Within' | 'Beyond';
  /** When the limit would be reached at that rate; null if it would not. */
  readonly endsAt: number | null;
}

/**
 * Makes one forecast for each measure. The first day counts as a whole day for the rate, since an
 * hour says little about a month.
 */
export function forecastPeriod(
  account: Account,
  planned: Amount,
  now: number,
): readonly PeriodForecast[] {
  return (['tokens', 'microDollars'] as const).map((measure) =>
    forecastMeasure(account, { measure, planned: planned[measure] }, now),
  );
}

function forecastMeasure(
  account: Account,
  { measure, planned }: { measure: keyof Amount; planned: number },
  now: number,
): PeriodForecast {
  const { period } = account;
  const spent = account.spent[measure];
  const reserved = reservedOf(account)[measure];
  const elapsedMs = Math.max(DAY_MS, now - periodStart(period));
  const leftMs = Math.max(0, periodEnd(period) - now);
  const usual = Math.ceil((spent / elapsedMs) * leftMs);
  const certain = spent + reserved + planned;
  const expected = certain + usual;
  const limit = limitOf(account, measure);
  const figures = { measure, limit, spent, reserved, planned, usual, expected };
  if (limit === null) return { ...figures, state: 'NoLimit', endsAt: null };
  if (expected <= limit) return { ...figures, state: 'Within', endsAt: null };
  const share = usual === 0 ? 0 : Math.max(0, limit - certain) / usual;
  return { ...figures, state: 'Beyond', endsAt: Math.round(now + share * leftMs) };
}
