/** The outcomes of a folder's tenants and providers, and their text for people. */
import type { ErrorCode } from '#core/error-codes.ts';
import type { Owner } from '#core/records/policy.ts';
import type { Drift } from '../cluster/apply-tenant.ts';
import type { EnforceResult } from '../tenant/enforce-policy.ts';

export type Outcome =
  | {
      readonly kind: 'Applied';
      readonly tenant: string;
      readonly generation: number;
      readonly reason: string;
      /** Scopes whose due mark changed. */
      readonly rescheduled: number;
      /** Whether scopes are due now, so that a refresh is requested. */
      readonly isRefreshRequested: boolean;
      /** Corrections of what another process had changed. */
      readonly drift: readonly Drift[];
    }
  | {
      readonly kind: 'Kept';
      readonly tenant: string;
      /** Above 0 if an earlier run was interrupted. */
      readonly rescheduled: number;
      readonly isRefreshRequested: boolean;
      readonly drift: readonly Drift[];
    }
  /** `isDeclared` is false if the file is gone: a paused tenant is not released either. */
  | { readonly kind: 'Paused'; readonly tenant: string; readonly isDeclared: boolean }
  | { readonly kind: 'Refused'; readonly tenant: string; readonly owner: Owner }
  | { readonly kind: 'Orphaned'; readonly tenant: string; readonly owner: Owner }
  /** `erasesAt`: when everything of the tenant is erased, in milliseconds since the epoch. */
  | { readonly kind: 'Released'; readonly tenant: string; readonly erasesAt: number | null }
  /** Records deleted so far; null while it waits for work under way to end. */
  | { readonly kind: 'Erasing'; readonly tenant: string; readonly deleted: number | null }
  | { readonly kind: 'Erased'; readonly tenant: string }
  | {
      readonly kind: 'Failed';
      readonly tenant: string;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** Returns one line about one tenant. */
export function describeOutcome(outcome: Outcome): string {
  return `${outcome.tenant}: ${whatBecame(outcome)}`;
}

/** Whether a person has to hear of the outcome when it is new. */
export function needsReport(outcome: Outcome): boolean {
  return outcome.kind !== 'Kept' || outcome.rescheduled > 0 || outcome.drift.length > 0;
}

/** Whether the outcome needs no action. */
export function needsNoAction({ kind }: Outcome): boolean {
  return kind === 'Applied' || kind === 'Kept';
}

function whatBecame(outcome: Outcome): string {
  const { kind } = outcome;
  if (kind === 'Kept') return `unchanged${rescheduledText(outcome)}${driftText(outcome.drift)}`;
  if (kind === 'Applied') return appliedText(outcome);
  if (kind === 'Paused') return pausedText(outcome.isDeclared);
  if (kind === 'Refused') return refusedText(outcome.owner);
  if (kind === 'Orphaned') return orphanedText(outcome.owner);
  if (kind === 'Released') return releasedText(outcome.erasesAt);
  if (kind === 'Erasing') return erasingText(outcome.deleted);
  if (kind === 'Erased') return 'everything of the tenant was deleted.';
  return `not enforced (${outcome.code}), tried again later. ${outcome.message}`;
}

function appliedText({
  generation,
  reason,
  drift,
  ...due
}: Extract<Outcome, { kind: 'Applied' }>): string {
  return `applied as generation ${generation}. ${reason}${rescheduledText(due)}${driftText(drift)}`;
}

function pausedText(isDeclared: boolean): string {
  const paused = 'paused. The last applied policy stays in force; ';
  if (isDeclared) return `${paused}to continue, remove the annotation.`;
  return `${paused}to release it, put its file back, remove the annotation, then remove the file.`;
}

function refusedText({ cluster, namespace, name }: Owner): string {
  const owner = `${namespace}/${name} of ${cluster}`;
  return `refused (TenantClaimed). It belongs to MemoryTenant ${owner}; choose another tenantId.`;
}

function orphanedText({ namespace, name }: Owner): string {
  return (
    'not declared, but its file was not removed while Varve ran. Its memories and its last ' +
    `policy are kept; to change them, put MemoryTenant ${namespace}/${name} back; to release ` +
    'the tenant, remove it while Varve runs.'
  );
}

function releasedText(erasesAt: number | null): string {
  const released = 'no longer declared, so it is released: its memories are kept';
  if (erasesAt === null) return `${released}, and nothing is refreshed anymore.`;
  const at = new Date(erasesAt).toISOString();
  const erased = 'then Varve erases them, as its file said, also after a restart';
  return `${released} until ${at}; ${erased}. Put the file back to keep them.`;
}

function erasingText(deleted: number | null): string {
  if (deleted === null)
    return 'everything was deleted except work still under way; Varve waits for its end.';
  return `being erased, as its file said; ${String(deleted)} records so far.`;
}

const DRIFT_WORDS: Readonly<Record<Drift, string>> = {
  policy: 'policy',
  limits: 'budget limits',
  dream: 'dream times',
};

function driftText(drift: readonly Drift[]): string {
  const parts = [...new Set(drift)].map((part) => DRIFT_WORDS[part]);
  return parts.length === 0 ? '' : `; corrected drift: ${parts.join(', ')}`;
}

function rescheduledText({
  rescheduled,
  isRefreshRequested,
}: Pick<EnforceResult, 'rescheduled' | 'isRefreshRequested'>): string {
  const scopes = rescheduled === 1 ? '1 scope' : `${rescheduled} scopes`;
  return (
    (rescheduled === 0 ? '' : `; ${scopes} with a new due time`) +
    (isRefreshRequested ? '; refresh requested' : '')
  );
}

export type ProviderOutcome =
  | { readonly kind: 'Applied' | 'Kept' | 'Paused' | 'Removed'; readonly provider: string }
  | { readonly kind: 'WrongNamespace'; readonly provider: string; readonly heardIn: string }
  /** It is in force, except for its embedding model: an older provider declares one. */
  | { readonly kind: 'Superseded'; readonly provider: string; readonly by: string }
  | { readonly kind: 'NameClaimed'; readonly provider: string; readonly owner: Owner }
  | {
      readonly kind: 'Failed';
      readonly provider: string;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** Returns one line about one provider. */
export function describeProvider(outcome: ProviderOutcome): string {
  return `ModelProvider ${outcome.provider}: ${providerOutcome(outcome)}`;
}

/** Whether a person has to hear of the outcome when it is new. */
export function isWorthLogging({ kind }: ProviderOutcome): boolean {
  return kind !== 'Kept';
}

export function isProviderFine({ kind }: ProviderOutcome): boolean {
  return kind === 'Applied' || kind === 'Kept' || kind === 'Removed';
}

function providerOutcome(outcome: ProviderOutcome): string {
  const { kind } = outcome;
  if (kind === 'WrongNamespace') {
    return (
      `refused (WrongNamespace). Varve reads ModelProviders only in the namespace ` +
      `${outcome.heardIn}; give it that one, or none.`
    );
  }
  if (kind === 'NameClaimed') {
    const { cluster, namespace } = outcome.owner;
    const whose = `namespace ${namespace} of ${cluster}`;
    return `refused (NameClaimed). The store already has that name from ${whose}; rename it.`;
  }
  if (kind === 'Superseded') {
    return (
      'accepted, but not its embedding model (Superseded): an installation has one, and ' +
      `ModelProvider ${outcome.by} declares it. Remove embedding here or there.`
    );
  }
  if (kind === 'Failed') {
    return `not enforced (${outcome.code}), tried again later. ${outcome.message}`;
  }
  return WORDS[kind];
}

const WORDS = {
  Applied: 'accepted',
  Kept: 'unchanged',
  Paused: 'paused. The last applied settings stay in force; to continue, remove the annotation.',
  Removed: 'no longer declared; no tenant has models from it anymore.',
} as const;
