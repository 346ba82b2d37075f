/** Mutants of the refresh: rounds, wakes, pauses of models, and what its runs tell Temporal. */
import type { Mutant } from './mutant.ts';

export const REFRESH_MUTANTS: readonly Mutant[] = [
  {
    id: 'TMP-05',
    file: 'core/refresh-round.ts',
    find: 'if (again < URGENT_CLAIMS_MAX && takeUrgent?.() === true) {',
    replace: 'if (again > URGENT_CLAIMS_MAX && takeUrgent?.() === true) {',
    breaks: 'urgent work waits for everything that was claimed before it',
  },
  {
    id: 'TMP-05',
    file: 'core/refresh-round.ts',
    find: 'if (again < URGENT_CLAIMS_MAX && takeUrgent',
    replace: 'if (takeUrgent',
    breaks: 'urgent work without end starves what was claimed before',
  },
  {
    id: 'TMP-05',
    file: 'core/refresh-round.ts',
    find: 'Array.from({ length: BATCHES_IN_FLIGHT_MAX }, lane)',
    replace: 'Array.from({ length: 2 * BATCHES_IN_FLIGHT_MAX }, lane)',
    breaks: 'a tenant has twice as many calls at work as it may',
  },
  {
    id: 'TMP-03',
    file: 'core/refresh-round.ts',
    find: 'if (isPaused?.() === true) return;',
    replace: '',
    breaks: 'a pause lets claimed batches begin',
  },
  {
    id: 'TMP-03',
    file: 'core/refresh-round.ts',
    find: 'openClaims.length === 0 ? [claimId] : openClaims',
    replace: '[claimId]',
    breaks: 'what a pause left is forgotten until its lease ends',
  },
  {
    id: 'SUM-16',
    file: 'activities/paced-models.ts',
    find: 'if (rest > 0) throw heldBack(name, rest);',
    replace: '',
    breaks: 'a provider that asked for a pause is asked at once by every other batch',
  },
  {
    id: 'SUM-16',
    file: 'activities/paced-models.ts',
    find: 'Math.max(until, pauses.get(name) ?? 0)',
    replace: 'until',
    breaks: 'a shorter Retry-After takes back a longer one',
  },
  {
    id: 'SUM-16',
    file: 'providers/temporal/announced-windows.ts',
    find: '|| closesAt < end',
    replace: '',
    breaks: 'a shorter window waits for a longer one that is open',
  },
  {
    id: 'SUM-16',
    file: 'core/window.ts',
    find: 'isClosed(scope) || (sharedIsClosed && mayShareCall(scope))',
    replace: 'isClosed(scope) || sharedIsClosed',
    breaks: 'a window that closes takes along those who could not share its calls',
  },
  {
    id: 'SUM-16',
    file: 'activities/release-batch.ts',
    find: 'if (isOfNoScope(code)) return applyBusy(record, now, code);',
    replace: '',
    breaks: 'a busy provider makes scopes be given up',
  },
  {
    id: 'TMP-04',
    file: 'workflows/tenant-refresh.ts',
    find: 'const acknowledged = await activities.acknowledge({ tenant, seen: wanted });',
    replace: 'const acknowledged = wanted >= 0;',
    breaks: 'a run takes another way than the recorded ones',
  },
];
