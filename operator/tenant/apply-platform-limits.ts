/** Applies the platform's limits to compiled policies: pure and idempotent. */
import { formatDuration } from '#core/duration.ts';
import { forEachLayer, LAYERS } from '#core/layer.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { BudgetPolicy, LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import { NO_LIMITS, type PlatformLimits } from '#crds/limit-values.ts';
import { formatDollars } from '#crds/duration-and-price-fields.ts';

/** The limits of the platform, if they could be read. */
export type KnownLimits =
  | { readonly kind: 'Known'; readonly limits: PlatformLimits }
  /** @property problem what is wrong, and who can fix it */
  | { readonly kind: 'Unknown'; readonly problem: string };

interface LimitedPolicy {
  readonly policy: TenantPolicy;
  readonly applied: AppliedLimits;
}

/** The effect of the limits on a policy. */
export interface AppliedLimits {
  /** The changes, for people, in the words of the YAML; empty if there are none. */
  readonly changes: readonly string[];
  /** Allowed classes that no ModelProvider serves, although they serve others; otherwise empty. */
  readonly unserved: readonly ModelClass[];
}

/** The best class comes first. */
const BEST_FIRST: readonly ModelClass[] = ['standard', 'economy'];

/**
 * Returns the policy as the platform allows it, wherever an excess comes from: a resource, a
 * default or an earlier policy.
 */
export function withinLimits(policy: TenantPolicy, limits: PlatformLimits): LimitedPolicy {
  const { leastIntervalMs } = limits;
  const layers = forEachLayer((layer) => layerWithin(policy.layers[layer], limits));
  const budget = budgetWithin(policy.budget, limits);
  const dreams = policy.dreams?.map((dream) => classWithin(dream, limits));
  const { leastIntervalMs: _, largestBudget: __, ...rest } = policy;
  const { largestBudgetTokens: tokens, largestBudgetMicroDollars: microDollars } = limits;
  const isCapped = tokens !== null || microDollars !== null;
  const limited = {
    ...rest,
    budget,
    layers,
    ...(leastIntervalMs === null ? {} : { leastIntervalMs }),
    ...(isCapped ? { largestBudget: { tokens, microDollars } } : {}),
    ...(dreams === undefined ? {} : { dreams }),
  };
  const unserved = unservedClasses(policy, limits);
  return { policy: limited, applied: { changes: differences(policy, limited), unserved } };
}

/**
 * Applies the least interval and the largest budget that already limit another policy of the
 * tenant.
 */
export function withLimitsOf(policy: TenantPolicy, other: TenantPolicy): TenantPolicy {
  const { leastIntervalMs = null, largestBudget } = other;
  const largest = {
    largestBudgetTokens: largestBudget?.tokens ?? null,
    largestBudgetMicroDollars: largestBudget?.microDollars ?? null,
  };
  return withinLimits(policy, { ...NO_LIMITS, ...largest, leastIntervalMs }).policy;
}

/** `maxAge` is at least the interval, so a summary is not too old before it may be made again. */
function layerWithin(layer: LayerPolicy, limits: PlatformLimits): LayerPolicy {
  const leastMs = limits.leastIntervalMs ?? 0;
  return {
    ...classWithin(layer, limits),
    updateIntervalMs: Math.max(layer.updateIntervalMs, leastMs),
    maxAgeMs: Math.max(layer.maxAgeMs, leastMs),
  };
}

/** Replaces a class that is not allowed with the best one that is. */
export function classWithin<T extends { readonly modelClass: ModelClass }>(
  settings: T,
  { modelClasses }: Pick<PlatformLimits, 'modelClasses'>,
): T {
  if (modelClasses === null || modelClasses.includes(settings.modelClass)) return settings;
  const best = BEST_FIRST.find((one) => modelClasses.includes(one));
  return best === undefined ? settings : { ...settings, modelClass: best };
}

function unservedClasses(
  { models }: TenantPolicy,
  { modelClasses }: PlatformLimits,
): readonly ModelClass[] {
  if (models === undefined || modelClasses === null) return [];
  return modelClasses.some((one) => models[one] !== null) ? [] : modelClasses;
}

function budgetWithin(budget: BudgetPolicy, limits: PlatformLimits): BudgetPolicy {
  return {
    ...budget,
    limitTokens: atMost(budget.limitTokens, limits.largestBudgetTokens),
    limitMicroDollars: atMost(budget.limitMicroDollars, limits.largestBudgetMicroDollars),
  };
}

/** Null means no limit. */
function atMost(amount: number | null, largest: number | null): number | null {
  if (amount === null || largest === null) return amount ?? largest;
  return Math.min(amount, largest);
}

/** Names and values as in the YAML. */
const LAYER_SETTINGS: Readonly<Record<string, (layer: LayerPolicy) => string>> = {
  updateInterval: ({ updateIntervalMs }) => formatDuration(updateIntervalMs),
  maxAge: ({ maxAgeMs }) => formatDuration(maxAgeMs),
  modelClass: ({ modelClass }) => modelClass,
};

function differences(before: TenantPolicy, after: TenantPolicy): readonly string[] {
  const { leastIntervalMs, budget } = after;
  const { limitTokens, limitMicroDollars } = before.budget;
  const often = leastIntervalMs === undefined ? '' : formatDuration(leastIntervalMs);
  return [
    ...(often === '' ? [] : [`no summary or dream more often than every ${often}`]),
    ...Object.entries(LAYER_SETTINGS).flatMap(([name, textOf]) =>
      changedLayers(before, after, textOf).map((text) => `${name} ${text}`),
    ),
    ...dreamClasses(before, after),
    ...(budget.limitMicroDollars === limitMicroDollars
      ? []
      : [`budget.dollars ${formatDollars(budget.limitMicroDollars ?? 0)}`]),
    ...(budget.limitTokens === limitTokens ? [] : [`budget.tokens ${String(budget.limitTokens)}`]),
  ];
}

/** Each changed value, and the layers that have it: `45m (agent, user)`. */
function changedLayers(
  before: TenantPolicy,
  after: TenantPolicy,
  textOf: (layer: LayerPolicy) => string,
): readonly string[] {
  const changed = LAYERS.filter(
    (layer) => textOf(before.layers[layer]) !== textOf(after.layers[layer]),
  );
  return [...Map.groupBy(changed, (layer) => textOf(after.layers[layer]))].map(
    ([text, layers]) => `${text} (${layers.join(', ')})`,
  );
}

function dreamClasses(
  { dreams: before = [] }: TenantPolicy,
  { dreams = [] }: TenantPolicy,
): readonly string[] {
  const changed = dreams.find(({ modelClass }, at) => modelClass !== before[at]?.modelClass);
  return changed === undefined ? [] : [`modelClass ${changed.modelClass} (dreams)`];
}
