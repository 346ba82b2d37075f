/** What became of the actions of a plan, and how it is said to a person. */
import type { ErrorCode } from '#core/errors.ts';
import type { Owner } from '#core/records/policy-record.ts';

export type Outcome =
  | {
      readonly kind: 'Applied';
      readonly tenant: string;
      readonly generation: number;
      readonly reason: string;
      /** Scopes whose due mark is another one now. */
      readonly rescheduled: number;
      /** Whether scopes are due now, so that a refresh is wanted. */
      readonly isWoken: boolean;
    }
  | {
      readonly kind: 'Kept';
      readonly tenant: string;
      /** Above 0 where an earlier run had not got to the end. */
      readonly rescheduled: number;
      readonly isWoken: boolean;
    }
  | { readonly kind: 'Refused'; readonly tenant: string; readonly owner: Owner }
  | { readonly kind: 'Orphaned'; readonly tenant: string; readonly owner: Owner }
  | {
      readonly kind: 'Failed';
      readonly tenant: string;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** One line about one tenant. */
export function describeOutcome(outcome: Outcome): string {
  return `${outcome.tenant}: ${whatBecame(outcome)}`;
}

/** Whether a person has to hear of it each time it is new. */
export function isNews(outcome: Outcome): boolean {
  return outcome.kind !== 'Kept' || outcome.rescheduled > 0;
}

function whatBecame(outcome: Outcome): string {
  if (outcome.kind === 'Kept') return `unchanged${rescheduledText(outcome)}`;
  if (outcome.kind === 'Failed') {
    return `not applied (${outcome.code}), tried again later. ${outcome.message}`;
  }
  if (outcome.kind === 'Applied') {
    const { generation, reason } = outcome;
    return `applied as generation ${generation}. ${reason}${rescheduledText(outcome)}`;
  }
  const { cluster, namespace, name } = outcome.owner;
  if (outcome.kind === 'Orphaned') {
    return (
      'no longer declared. Its memories and its last policy are kept; ' +
      `put MemoryTenant ${namespace}/${name} back to change them.`
    );
  }
  const owner = `${namespace}/${name} of ${cluster}`;
  return `refused (TenantClaimed). It belongs to MemoryTenant ${owner}; choose another tenantId.`;
}

function rescheduledText(outcome: { rescheduled: number; isWoken: boolean }): string {
  const { rescheduled, isWoken } = outcome;
  const scopes = rescheduled === 1 ? '1 scope' : `${rescheduled} scopes`;
  return (
    (rescheduled === 0 ? '' : `; ${scopes} with another due time`) +
    (isWoken ? '; refresh wanted' : '')
  );
}
