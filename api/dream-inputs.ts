/** Inputs of the procedures on dreams and on what they propose. */
import { z } from 'zod';
import { LOOKBACK_DAYS_MAX } from '#core/dreams/dream-policy.ts';
import { Proposal, REASON_LENGTH_MAX } from '#core/records/proposal.ts';
import { TenantId } from '#core/scope.ts';
import { AskedSubject } from './document-inputs.ts';
import { Text } from './inputs.ts';

const ID_LENGTH_MAX = 128;
/** Proposals on one page; each is read whole to be counted. */
export const PROPOSALS_LIMIT_MAX = 50;
const PROPOSALS_LIMIT_DEFAULT = 20;

const DreamId = Text.min(1).max(ID_LENGTH_MAX);
const Reason = Text.max(REASON_LENGTH_MAX);

export const RunDream = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** How many daily files to read; as the DeepDream says where absent, else the last one. */
  lookbackDays: z.int().min(1).max(LOOKBACK_DAYS_MAX).optional(),
});
export type RunDream = z.input<typeof RunDream>;

export const DreamStatus = z.strictObject({ tenant: TenantId, subject: AskedSubject });
export type DreamStatus = z.input<typeof DreamStatus>;

export const GetDream = z.strictObject({ tenant: TenantId, id: DreamId });
export type GetDream = z.input<typeof GetDream>;

export const ListDreams = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject.optional(),
  state: Proposal.shape.state.optional(),
  /** The id that the page before ended with. */
  before: DreamId.optional(),
  limit: z.int().min(1).max(PROPOSALS_LIMIT_MAX).default(PROPOSALS_LIMIT_DEFAULT),
});
export type ListDreams = z.input<typeof ListDreams>;

export const ApproveDream = GetDream.extend({ reason: Reason.default('') });
export type ApproveDream = z.input<typeof ApproveDream>;

export const RejectDream = GetDream.extend({
  /** Why; kept with the proposal. */
  reason: Reason.refine((text) => text.trim() !== '', { error: 'expected some words' }),
});
export type RejectDream = z.input<typeof RejectDream>;

export const ListSchedules = z.strictObject({ tenant: TenantId });
export type ListSchedules = z.input<typeof ListSchedules>;
