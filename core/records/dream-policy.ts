/**
 * Which subjects of a tenant dream, when, and within which limits: a DeepDream as workers read it.
 */
import { z } from 'zod';
import { ModelClass } from './model-class.ts';

/** The most DeepDreams of one tenant; more most likely come from a faulty generator. */
export const DREAMS_PER_TENANT_MAX = 100;
/** In a list of subjects: all subjects of the kind. */
export const ALL_SUBJECTS = '*';

const NAME_LENGTH_MAX = 253;
export const DREAM_SUBJECT_LENGTH_MAX = 256;
/** The most subjects of a kind that one DeepDream names; use `*` for more. */
export const DREAM_SUBJECTS_MAX = 1_000;
const CRON_LENGTH_MAX = 128;
const ZONE_LENGTH_MAX = 64;
/** The days of a leap year. */
export const LOOKBACK_DAYS_MAX = 366;
export const REMOVED_PERCENT_MAX = 100;
/** Several times the size of MEMORY.md, so in effect no guard. */
export const ADDED_LINES_MAX = 10_000;

const SubjectIds = z.array(z.string().min(1).max(DREAM_SUBJECT_LENGTH_MAX)).max(DREAM_SUBJECTS_MAX);

export const DreamPolicy = z.strictObject({
  /** Name of its resource; unique within the tenant. */
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  agents: SubjectIds,
  users: SubjectIds,
  /** A cron expression of five fields, in the time zone. */
  cron: z.string().min(1).max(CRON_LENGTH_MAX),
  timeZone: z.string().min(1).max(ZONE_LENGTH_MAX),
  lookbackDays: z.int().min(1).max(LOOKBACK_DAYS_MAX),
  approval: z.enum(['Automatic', 'Required']),
  /** The most lines of MEMORY.md, in percent, that a dream may remove without approval. */
  removedLinesPercentMax: z.int().min(0).max(REMOVED_PERCENT_MAX),
  addedLinesMax: z.int().min(0).max(ADDED_LINES_MAX),
  modelClass: ModelClass,
});
export type DreamPolicy = z.infer<typeof DreamPolicy>;
