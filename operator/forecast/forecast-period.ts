/** Where the budget of a period would stand at its end, by what was spent of it so far. */
import { limitOf, periodEnd, periodStart, reservedOf } from '#core/budget/budget.ts';
import type { Account, Amount } from '#core/records/account.ts';

const DAY_MS = 86_400_000;

export interface PeriodForecast {
  readonly measure: keyof Amount;
  /** Null where nothing limits it. */
  readonly limit: number | null;
  readonly spent: number;
  readonly reserved: number;
  /** What the changes would cost at most, once. */
  readonly planned: number;
  /** What the rest of the period takes at the rate of the part that is over. */
  readonly usual: number;
  /** All of it together, at the end of the period. */
  readonly expected: number;
  readonly state: 'NoLimit' | 'Within' | 'Beyond';
  /** When the limit would be reached at that rate; null within it. */
  readonly endsAt: number | null;
}

/**
 * One forecast for each measure. On the first day the rate is that of a whole day, since an hour
 * says little of a month.
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
