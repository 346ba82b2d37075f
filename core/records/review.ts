/**
 * What waits for a person: a turn that the rules of core/sources/prompt-injection.ts hold back, or
 * a memory that is proposed for a broader layer. A review has no text of its own; readers take the
 * text from the turn or memory.
 */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

const At = z.int().min(0);

/** Rules of core/sources/prompt-injection.ts that hold back a turn. */
export const INJECTION_RULES = [
  'Override',
  'Address',
  'Role',
  'Remember',
  'Summary',
  'Answer',
  'Hidden',
  'Sending',
] as const;
export type InjectionRule = (typeof INJECTION_RULES)[number];

const ReviewState = z.enum(['Waiting', 'Approved', 'Refused', 'Outdated']);

export const PRINCIPAL_LENGTH_MAX = 256;
export const REASON_LENGTH_MAX = 1_000;

export const ReviewDecision = z.strictObject({
  at: At,
  principal: z.string().max(PRINCIPAL_LENGTH_MAX),
  reason: z.string().max(REASON_LENGTH_MAX),
});
export type ReviewDecision = z.infer<typeof ReviewDecision>;

export const Review = z.strictObject({
  tenant: TenantId,
  /** UUIDv7 with the time when the turn was said or the memory proposed. */
  id: z.string(),
  kind: z.enum(['Turn', 'Promotion']),
  /** The scope of the turn or memory; the review belongs to it. */
  layer: Layer,
  scopeId: z.string(),
  /** Id of the turn or memory. */
  sourceId: z.string(),
  /** Hash of the text under review; the decision is not valid for another text. */
  contentHash: z.string(),
  /** Version of the memory, because its tags and metadata go with its text; null for a turn. */
  version: z.int().nullable(),
  /** The rule that holds back a turn; null for a promotion. */
  rule: z.enum(INJECTION_RULES).nullable(),
  /** The scope that a memory is proposed for; null for a turn. */
  target: z.strictObject({ layer: Layer, scopeId: z.string() }).nullable(),
  /** Who proposed it, and why; null for a turn. */
  proposed: ReviewDecision.nullable(),
  /** Outdated: its text had changed or was gone when a person tried to approve it. */
  state: ReviewState,
  /** Null while it waits, and if it is outdated. */
  decision: ReviewDecision.nullable(),
  /** The memory that an approved promotion became; null until it is written. */
  memoryId: z.string().nullable(),
  at: At,
});
export type Review = z.infer<typeof Review>;
