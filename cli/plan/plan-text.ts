/** Renders a plan for people: what changes, what is regenerated, and how the budget would end. */
import type { Owner } from '#core/records/policy.ts';
import { formatDollars } from '#crds/duration-and-price-fields.ts';
import type {
  DreamForecast,
  ForecastRow,
  PeriodForecast,
} from '#operator/forecast/forecast-tenant.ts';
import { renderTable, count } from '../terminal-text.ts';
import type { TenantForecast } from './forecast-plan.ts';
import {
  changesEmbedding,
  embeddingLines,
  SAME_EMBEDDING,
  type EmbeddingForecast,
} from './plan-embedding.ts';
import type { UnheardProvider } from './plan-policies.ts';

const NOTHING_APPLIED = 'Nothing was applied.';

const WHEN: Readonly<Record<ForecastRow['when'], string>> = {
  Now: 'at once',
  Backfill: 'a few a minute',
  NextDue: 'when next due',
};

/** `isKept`: whether there is a store that the forecast is based on. */
export function planText(
  forecasts: readonly TenantForecast[],
  isKept: boolean,
  embedding: EmbeddingForecast = SAME_EMBEDDING,
): string {
  const lines = [...forecasts.flatMap(tenantLines), ...embeddingLines(embedding)];
  const none = 'Nothing is kept here yet, so every tenant is new and no summary is remade.';
  return [
    ...(isKept ? [] : [none]),
    ...lines,
    lastLine(forecasts, changesEmbedding(embedding)),
  ].join('\n');
}

function tenantLines(forecast: TenantForecast): readonly string[] {
  const { tenant, resource, comparison, rows, periods, isWhole } = forecast;
  const head = `${tenant} (${resource})`;
  if (comparison.kind === 'Claimed') {
    const { namespace, name } = comparison.owner;
    const whose = `the tenant belongs to MemoryTenant ${namespace}/${name}`;
    return [`${head}: not applied, ${whose}; ${remedyOf(comparison.owner, resource)}`];
  }
  if (comparison.kind === 'Paused') {
    return [`${head}: not applied, since it is paused`, ...budgetLines(periods)];
  }
  if (comparison.kind === 'Unchanged') {
    const beside = [...keptLines(forecast), ...providerLines(forecast)];
    return [`${head}: unchanged`, ...beside, ...budgetLines(periods)];
  }
  const { kind, changes } = comparison;
  const what = changes === '' ? 'the defaults' : changes;
  return [
    `${head}: ${kind === 'New' ? 'new' : 'changed'}`,
    ...what.split('; ').map((change) => `  ${change}`),
    ...keptLines(forecast),
    ...providerLines(forecast),
    ...dreamLines(forecast),
    ...(rows.length === 0 ? ['  no summary is remade'] : [tableOf(rows)]),
    ...(isWhole ? [] : ['  not all scopes were read; the figures cover only the first ones']),
    ...budgetLines(periods),
  ];
}

/** Never suggests deleting the owner: its reclaim policy may erase the tenant's memories. */
function remedyOf({ namespace, name }: Owner, resource: string): string {
  const other = 'choose another tenantId';
  if (!resource.endsWith(`/${name}`)) return other;
  return `${other}, or name the namespace ${namespace} if the file is of that resource`;
}

function keptLines({ keptLayers, keptDreams }: TenantForecast): readonly string[] {
  const layers = 'layers unchanged, since their own policy is paused or not in these files';
  const dreams = 'dreams unchanged, since their DeepDream is paused or not in these files';
  return [
    ...(keptLayers.length === 0 ? [] : [`  ${layers}: ${keptLayers.join(', ')}`]),
    ...(keptDreams.length === 0 ? [] : [`  ${dreams}: ${keptDreams.join(', ')}`]),
  ];
}

const UNHEARD: Readonly<Record<UnheardProvider['reason'], string>> = {
  WrongNamespace: 'is ignored: it is not in the namespace of the release',
  NameClaimed: 'is ignored: another installation has a ModelProvider of that name in the store',
  Paused: 'is paused, so it stays as it was last applied',
};

function providerLines(forecast: TenantForecast): readonly string[] {
  const { unheardProviders, isReleaseKnown } = forecast;
  const lines = unheardProviders.map(
    ({ resource, reason }) => `  ModelProvider ${resource} ${UNHEARD[reason]}`,
  );
  const unknown =
    'Varve reads ModelProviders only in the namespace of the release, which it does not know ' +
    'here; name it with VARVE_POD_NAMESPACE';
  return isReleaseKnown ? lines : [...lines, `  ${unknown}`];
}

const NEVER = ', which matches no date, so it never runs';

const DREAM_WORDS: Readonly<Record<DreamForecast['change'], string>> = {
  Begins: 'would start to run at',
  Changes: 'would change to run at',
  Ends: 'would no longer run at',
};

/** Shows no invented cost: what a dream will read is not known yet. */
function dreamLines({ dreams, periods }: TenantForecast): readonly string[] {
  const lines = dreams.map(
    ({ name, change, cron, timeZone, neverComes }) =>
      `  dream ${name} ${DREAM_WORDS[change]} ${cron} in ${timeZone}${neverComes ? NEVER : ''}`,
  );
  if (dreams.every(({ change }) => change === 'Ends')) return lines;
  const isBounded = periods.some(({ limit }) => limit !== null);
  const bound = isBounded ? 'the budget of the tenant limits it' : 'no budget limits it';
  const unknown = 'the figures leave out dreams, whose cost depends on what is written until then';
  return [...lines, `  ${unknown}; ${bound}`];
}

function tableOf(rows: readonly ForecastRow[]): string {
  const head = ['layer', 'summaries', 'why', 'when', 'model', 'tokens at most', 'cost at most'];
  const cells = rows.map((row) => [
    row.layer,
    String(row.scopes),
    row.reason,
    WHEN[row.when],
    row.model,
    row.isPriced ? figure('tokens', row.cost.tokens) : 'unknown',
    row.isPriced ? figure('microDollars', row.cost.microDollars) : 'unknown',
  ]);
  return renderTable(head, cells);
}

/** Shows only what is limited or spent. */
function budgetLines(periods: readonly PeriodForecast[]): readonly string[] {
  return periods
    .filter(({ limit, expected }) => limit !== null || expected > 0)
    .map((forecast) => `  ${budgetText(forecast)}`);
}

function budgetText(forecast: PeriodForecast): string {
  const { measure, limit, spent, planned, usual, expected, endsAt } = forecast;
  const amount = (value: number) => figure(measure, value);
  const parts = `${amount(spent)} spent, ${amount(planned)} for this, ${amount(usual)} as usual`;
  const sum = `${measure === 'tokens' ? 'tokens' : 'dollars'} this month: ${parts}`;
  if (limit === null) return `${sum}; no limit`;
  if (endsAt === null) return `${sum}; ${amount(expected)} of ${amount(limit)} at its end`;
  const day = new Date(endsAt).toISOString().slice(0, 10);
  return `${sum}; beyond ${amount(limit)}, used up about ${day}`;
}

function lastLine(forecasts: readonly TenantForecast[], isEmbeddingChanged: boolean): string {
  const of = (kind: TenantForecast['comparison']['kind']) =>
    forecasts.filter(({ comparison }) => comparison.kind === kind).length;
  const changed = of('New') + of('Changed');
  const refused = of('Claimed');
  const taken = refused === 0 ? '' : ` ${count(refused, 'tenant')} would be refused.`;
  if (changed === 0 && isEmbeddingChanged) {
    return `No tenant would change.${taken} ${NOTHING_APPLIED}`;
  }
  if (changed === 0) return `Nothing would change.${taken}`;
  const remade = forecasts.flatMap(({ rows }) => rows).reduce((sum, { scopes }) => sum + scopes, 0);
  const made = `${count(changed, 'tenant')} would change, ${count(remade, 'summary')} remade.`;
  return `${made}${taken} ${NOTHING_APPLIED}`;
}

function figure(measure: PeriodForecast['measure'], value: number): string {
  return measure === 'tokens' ? value.toLocaleString('en-US') : `$${formatDollars(value)}`;
}
