import { describe, expect, it } from 'vitest';

import { BUDGET_CASES, budgetFindings } from '#test/fault-injection/budget.ts';
import { seededSample } from '#test/fault-injection/seeded-sample.ts';

/** The whole matrix is `npm run prove -- budget`. */
const SAMPLE = seededSample(
  BUDGET_CASES.filter(({ store, death }) => store === 'sqlite' && death !== null),
  2,
);
const CASE_MS_MAX = 120_000;

describe('one budget with fifty callers in three processes', () => {
  it.each(SAMPLE)(
    '$id: the limit holds, and every reservation is settled',
    async (given) => {
      expect(await budgetFindings(given)).toEqual([]);
    },
    CASE_MS_MAX,
  );
});
