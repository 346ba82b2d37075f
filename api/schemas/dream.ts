/** What operations on dreams and on their proposals take and answer. */
import { z } from 'zod';
import { LOOKBACK_DAYS_MAX } from '#core/records/dream-policy.ts';
import { DreamRound } from '#core/records/dream-schedule.ts';
import { Proposal } from '#core/records/proposal.ts';
import { REASON_LENGTH_MAX } from '#core/records/review.ts';
import { SubjectRecord } from '#core/records/subject-record.ts';
import { Subject } from '#core/subject.ts';
import { AskedSubject, listOf, Tenant, Text, Time } from './shared-fields.ts';

const ID_LENGTH_MAX = 128;
/** Maximum proposals per page; each is read whole to be counted. */
const PROPOSALS_LIMIT_MAX = 50;
const PROPOSALS_LIMIT_DEFAULT = 20;

const DreamId = Text.min(1).max(ID_LENGTH_MAX).describe('Of the dream.');
const Reason = Text.max(REASON_LENGTH_MAX);

export const RunDream = z.strictObject({
  tenant: Tenant,
  subject: AskedSubject,
  lookbackDays: z
    .int()
    .min(1)
    .max(LOOKBACK_DAYS_MAX)
    .optional()
    .describe('Daily files to read; as the DeepDream says where absent, else the last one.'),
});
export type RunDream = z.output<typeof RunDream>;

export const DreamStart = z.object({
  dreamId: z
    .string()
    .nullable()
    .describe('Names the dream and its proposal; null if none was started.'),
  state: z
    .enum(['Started', 'Running', 'NothingNew'])
    .describe(
      'Running: a dream of the subject is under way, and no second one is started. NothingNew: ' +
        'nothing was ever written for the subject, and MEMORY.md stays as it is.',
    ),
});
export type DreamStart = z.output<typeof DreamStart>;

export const DreamStatus = z
  .strictObject({
    tenant: Tenant,
    subject: AskedSubject.optional(),
    subjectId: Text.min(1)
      .max(ID_LENGTH_MAX)
      .optional()
      .describe('Instead of the subject: its anonymous id, as in the runs of its dreams.'),
  })
  .refine(({ subject, subjectId }) => (subject === undefined) !== (subjectId === undefined), {
    path: ['subject'],
    error: 'expected either subject or subjectId',
  });
export type DreamStatus = z.output<typeof DreamStatus>;

export const DreamStatusAnswer = z.object({
  hasNew: z.boolean().describe('Whether something was written that no dream has read yet.'),
  last: SubjectRecord.shape.last.describe('The last dream that ended; `code` of its failure.'),
  proposal: Proposal.shape.state
    .nullable()
    .describe('What became of its proposal; null if it made none.'),
  subject: Subject.nullable().describe('Null for an id that no subject has.'),
  subjectId: z.string().nullable().describe('Null for a subject without anything written.'),
});
export type DreamStatusAnswer = z.output<typeof DreamStatusAnswer>;

export const GetDream = z.strictObject({ tenant: Tenant, id: DreamId });
export type GetDream = z.output<typeof GetDream>;

export const ListDreams = z.strictObject({
  tenant: Tenant,
  subject: AskedSubject.optional(),
  state: Proposal.shape.state.optional(),
  before: DreamId.optional().describe('The id that the page before ended with.'),
  limit: z.int().min(1).max(PROPOSALS_LIMIT_MAX).default(PROPOSALS_LIMIT_DEFAULT),
});
export type ListDreams = z.output<typeof ListDreams>;

export const DreamHead = z.object({
  id: z.string(),
  subject: Subject.nullable(),
  schedule: z.string().nullable().describe('The DeepDream that set its rules.'),
  state: Proposal.shape.state,
  findings: Proposal.shape.findings.describe('Why it was not applied without approval.'),
  at: Time,
  baseVersion: z.number().describe('Of MEMORY.md, which it was made from; 0 where there was none.'),
  readLines: z.number().describe('Lines of the new blocks that the dream read.'),
  decision: Proposal.shape.decision,
});

const DreamBrief = DreamHead.extend({
  added: z.number().describe('How many lines.'),
  removed: z.number(),
  archived: z.number(),
  dropped: z.number(),
});
export type DreamBrief = z.output<typeof DreamBrief>;

const ShownLine = z
  .object({
    heading: z.string().nullable(),
    text: z.string(),
    sources: listOf(z.string()),
  })
  .meta({ id: 'ProposedLine' });
export type ShownLine = z.output<typeof ShownLine>;

export const DreamAnswer = DreamHead.extend({
  model: z.string(),
  day: z.string(),
  difference: z.object({
    added: listOf(ShownLine),
    removed: listOf(ShownLine),
    replaced: listOf(ShownLine).describe('Lines that new lines replaced.'),
    archived: listOf(ShownLine).describe('Moved to memory/archive.md for want of room.'),
    dropped: Proposal.shape.dropped.describe(
      'What the model proposed and its sources did not support, with the reason.',
    ),
  }),
  kept: z.number().describe('How many lines stay as they are.'),
  leftBlocks: z.number().describe('New blocks that did not fit into the model call.'),
  diary: listOf(z.string()),
});
export type DreamAnswer = z.output<typeof DreamAnswer>;

export const DreamsAnswer = z.object({
  dreams: listOf(DreamBrief),
  nextBefore: z.string().nullable().describe('Where there are older ones: `before` of the next.'),
});
export type DreamsAnswer = z.output<typeof DreamsAnswer>;

export const ApproveDream = GetDream.extend({ reason: Reason.default('').describe('Why; kept.') });
export type ApproveDream = z.output<typeof ApproveDream>;

export const RejectDream = GetDream.extend({
  reason: Reason.refine((text) => text.trim() !== '', {
    error: 'expected some words',
  }).describe('Why; kept with the proposal.'),
});
export type RejectDream = z.output<typeof RejectDream>;

export const ListSchedules = z.strictObject({ tenant: Tenant });
export type ListSchedules = z.output<typeof ListSchedules>;

const ShownRound = z.object({
  at: Time.describe('The time that cron named.'),
  started: DreamRound.shape.started.describe('Subjects that had something new.'),
  outcomes: DreamRound.shape.outcomes.describe('How many dreams ended how.'),
  endedAt: Time.nullable(),
});
export type ShownRound = z.output<typeof ShownRound>;

const ScheduleAnswer = z.object({
  name: z.string().describe('Of the DeepDream.'),
  cron: z.string(),
  timeZone: z.string(),
  nextAt: Time.nullable().describe('Null if cron never comes again, or that is not known yet.'),
  last: ShownRound.nullable(),
});
export type ScheduleAnswer = z.output<typeof ScheduleAnswer>;

export const SchedulesAnswer = z.object({ schedules: listOf(ScheduleAnswer) });
export type SchedulesAnswer = z.output<typeof SchedulesAnswer>;
