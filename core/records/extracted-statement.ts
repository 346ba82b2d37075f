/** A statement that a message makes: what it can be about, and what extraction did with it. */
import type { Layer } from '../layer.ts';

/** What a statement is about; each kind goes to its own layer. */
export const STATEMENT_KINDS = [
  'Self',
  'Preference',
  'Instruction',
  'Possession',
  'Decision',
  'Ownership',
  'Date',
  'Task',
  'Goal',
  'Lesson',
] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/**
 * Kinds whose layer a policy can choose. What somebody says of himself always stays with the user:
 * in another layer, nobody would know who "I" is.
 */
export const ROUTED_KINDS = ['Instruction', 'Date', 'Decision', 'Ownership', 'Lesson'] as const;
/** Layers that a policy can choose. */
export const ROUTED_LAYERS = ['user', 'agent', 'project'] as const;
export type StatementLayers = Readonly<
  Partial<Record<(typeof ROUTED_KINDS)[number], (typeof ROUTED_LAYERS)[number] | undefined>>
>;

export const EXTRACTION_EVENTS = ['ADD', 'SUPERSEDE', 'NOOP'] as const;
export type ExtractionEvent = (typeof EXTRACTION_EVENTS)[number];

/** What extraction did with one statement of a message. */
export interface ExtractionResult {
  readonly event: ExtractionEvent;
  /** Id of the memory that says it; null if that was deleted since. */
  readonly id: string | null;
  /** The text as stored. */
  readonly text: string;
  readonly supersedes: readonly string[];
  readonly kind: StatementKind;
  readonly layer: Layer;
  /** Id of the message that contains it. */
  readonly source: string;
  /** Only for NOOP. */
  readonly reason?: 'Known' | 'Outdated';
}

/** Why rules read messages although the policy has a model read them. */
export const RULES_REASONS = [
  'NoModel',
  'WorkersOnly',
  'Unavailable',
  'Refused',
  'Unusable',
  'Unsupported',
  'TooLong',
  'BudgetExhausted',
] as const;
export type RulesReason = (typeof RULES_REASONS)[number];
