/** What became of the ModelProviders of a folder, and how it is said to a person. */
import type { ErrorCode } from '#core/errors.ts';
import type { Owner } from '#core/records/policy-record.ts';

export type ProviderOutcome =
  | { readonly kind: 'Applied'; readonly provider: string; readonly isEmbeddingUnused: boolean }
  | { readonly kind: 'Kept' | 'Paused' | 'Removed'; readonly provider: string }
  | { readonly kind: 'WrongNamespace'; readonly provider: string; readonly heardIn: string }
  | { readonly kind: 'NameClaimed'; readonly provider: string; readonly owner: Owner }
  | {
      readonly kind: 'Failed';
      readonly provider: string;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** One line about one provider. */
export function describeProvider(outcome: ProviderOutcome): string {
  return `ModelProvider ${outcome.provider}: ${whatBecame(outcome)}`;
}

export function isProviderNews({ kind }: ProviderOutcome): boolean {
  return kind !== 'Kept';
}

export function isProviderFine({ kind }: ProviderOutcome): boolean {
  return kind === 'Applied' || kind === 'Kept' || kind === 'Removed';
}

function whatBecame(outcome: ProviderOutcome): string {
  const { kind } = outcome;
  if (kind === 'Applied') return `accepted${outcome.isEmbeddingUnused ? UNUSED : ''}`;
  if (kind === 'WrongNamespace') {
    return (
      `refused (WrongNamespace). ModelProviders are heard in the namespace ${outcome.heardIn} ` +
      'only; give it that one, or none.'
    );
  }
  if (kind === 'NameClaimed') {
    const { cluster, namespace } = outcome.owner;
    const whose = `namespace ${namespace} of ${cluster}`;
    return `refused (NameClaimed). The store has one of that name from ${whose}; rename it.`;
  }
  if (kind === 'Failed') {
    return `not carried out (${outcome.code}), tried again later. ${outcome.message}`;
  }
  return WORDS[kind];
}

const WORDS = {
  Kept: 'unchanged',
  Paused: 'paused. What was last applied stays in force; take the annotation away to go on.',
  Removed: 'no longer declared; no tenant has models of it any more.',
} as const;

/** A field that has no effect yet is not passed over in silence. */
const UNUSED =
  '; spec.openai.embedding is declared only: set VARVE_EMBEDDING_URL and the settings beside it';
