/** What operations on dreams and on their proposals take and answer. */
import { z } from 'zod';
import { LOOKBACK_DAYS_MAX } from '#core/records/dream-policy.ts';
import { DreamRound } from '#core/records/dream-schedule.ts';
import { Proposal } from '#core/records/proposal.ts';
import { SubjectRecord } from '#core/records/subject-record.ts';
import { Subject } from '#core/subject.ts';
import {
  AskedSubject,
  listOf,
  Tenant,
  RecordId,
  Time,
  NEXT_BEFORE,
  Reason,
  GivenReason,
} from './shared-fields.ts';

/** Maximum proposals per page; each is read whole to be counted. */
const PROPOSALS_LIMIT_MAX = 50;
const PROPOSALS_LIMIT_DEFAULT = 20;

const DreamId = RecordId.describe('Id of the dream.');

export const RunDream = z.strictObject({
  tenant: Tenant,
  subject: AskedSubject,
  lookbackDays: z
    .int()
    .min(1)
    .max(LOOKBACK_DAYS_MAX)
    .optional()
    .describe(
      'How many of the latest daily files to read, beside what no dream has read in the 31 ' +
        'before them; by default, as the DeepDream says, or the last one without a DeepDream.',
    ),
});

export const DreamStart = z.object({
  dreamId: z
    .string()
    .nullable()
    .describe('Id of the dream and of its proposal; null if no dream was started.'),
  state: z
    .enum(['Started', 'Running', 'NothingNew'])
    .describe(
      'Running: a dream of the subject is already running, and no second one ' +
        'starts. NothingNew: nothing was ever written for the subject, and ' +
        'MEMORY.md stays as it is.',
    ),
});
export type DreamStart = z.output<typeof DreamStart>;

export const DreamStatus = z
  .strictObject({
    tenant: Tenant,
    subject: AskedSubject.optional(),
    subjectId: RecordId.optional().describe(
      'Instead of `subject`: the anonymous id that the workflow runs of its dreams have.',
    ),
  })
  .refine(({ subject, subjectId }) => (subject === undefined) !== (subjectId === undefined), {
    path: ['subject'],
    error: 'expected either subject or subjectId',
  });

export const DreamStatusAnswer = z.object({
  hasNew: z.boolean().describe('Whether there is something that no dream has read yet.'),
  last: SubjectRecord.shape.last.describe('The last dream that ended; `code` of its failure.'),
  proposal: Proposal.shape.state
    .nullable()
    .describe('What happened to its proposal; null if it made none.'),
  subject: Subject.nullable().describe('Null if no subject has this id.'),
  subjectId: z.string().nullable().describe('Null if nothing was ever written for the subject.'),
});
export type DreamStatusAnswer = z.output<typeof DreamStatusAnswer>;

export const GetDream = z.strictObject({ tenant: Tenant, id: DreamId });

export const ListDreams = z.strictObject({
  tenant: Tenant,
  subject: AskedSubject.optional(),
  state: Proposal.shape.state.optional(),
  before: DreamId.optional().describe('The id that the previous page ended with.'),
  limit: z.int().min(1).max(PROPOSALS_LIMIT_MAX).default(PROPOSALS_LIMIT_DEFAULT),
});

export const DreamHead = z.object({
  id: z.string(),
  subject: Subject.nullable(),
  schedule: z.string().nullable().describe('Name of the DeepDream whose rules applied.'),
  state: Proposal.shape.state,
  findings: Proposal.shape.findings.describe('Why it needs approval.'),
  at: Time,
  baseVersion: z
    .number()
    .describe('The version of MEMORY.md that the dream read; 0 if there was none.'),
  readLines: z.int().describe('Lines of the new blocks that the dream read.'),
  decision: Proposal.shape.decision,
});

const DreamBrief = DreamHead.extend({
  added: z.int().describe('Number of lines.'),
  removed: z.int(),
  archived: z.int(),
  dropped: z.int(),
});
export type DreamBrief = z.output<typeof DreamBrief>;

const ShownLine = z
  .object({
    heading: z.string().nullable(),
    text: z.string(),
    sources: listOf(z.string()),
  })
  .meta({ id: 'ProposedLine' });
type ShownLine = z.output<typeof ShownLine>;

export const DreamAnswer = DreamHead.extend({
  model: z.string(),
  day: z.string(),
  difference: z.object({
    added: listOf(ShownLine),
    removed: listOf(ShownLine),
    replaced: listOf(ShownLine).describe('Lines that new lines replaced.'),
    archived: listOf(ShownLine).describe(
      'Lines moved to memory/archive.md because there was no room.',
    ),
    dropped: Proposal.shape.dropped.describe(
      'Lines that the model proposed and the sources do not support, with the reason.',
    ),
  }),
  kept: z.int().describe('How many lines stay unchanged.'),
  leftBlocks: z.int().describe('New blocks that did not fit into the model call.'),
  diary: listOf(z.string()),
}).meta({ id: 'Proposal' });
export type DreamAnswer = z.output<typeof DreamAnswer>;

export const DreamsAnswer = z.object({
  dreams: listOf(DreamBrief),
  nextBefore: z.string().nullable().describe(NEXT_BEFORE),
});
export type DreamsAnswer = z.output<typeof DreamsAnswer>;

export const ApproveDream = GetDream.extend({
  reason: Reason.default('').describe('The reason; stored with the proposal.'),
});

export const RejectDream = GetDream.extend({
  reason: GivenReason.describe('The reason; stored with the proposal.'),
});

export const ListSchedules = z.strictObject({ tenant: Tenant });

const ShownRound = z.object({
  at: Time.describe('The time that cron set.'),
  started: DreamRound.shape.started.describe('Subjects that had something new.'),
  outcomes: DreamRound.shape.outcomes.describe('How many dreams ended with each outcome.'),
  endedAt: Time.nullable(),
});
export type ShownRound = z.output<typeof ShownRound>;

const ScheduleAnswer = z.object({
  name: z.string().describe('Name of the DeepDream.'),
  cron: z.string(),
  timeZone: z.string(),
  nextAt: Time.nullable().describe(
    'Null if cron never matches again, or if Varve does not know yet.',
  ),
  last: ShownRound.nullable(),
});
export type ScheduleAnswer = z.output<typeof ScheduleAnswer>;

export const SchedulesAnswer = z.object({ schedules: listOf(ScheduleAnswer) });
