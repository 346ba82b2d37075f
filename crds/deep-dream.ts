/** `DeepDream` (dd): when the Markdown memory of some subjects is distilled, and its limits. */
import { z } from 'zod';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import {
  ADDED_LINES_MAX,
  DREAM_SUBJECT_LENGTH_MAX,
  DREAM_SUBJECTS_MAX,
  LOOKBACK_DAYS_MAX,
  REMOVED_PERCENT_MAX,
} from '#core/records/dream-policy.ts';
import { ModelClass } from '#core/records/model-class.ts';
import { asSet, withRules } from './kubernetes-extensions.ts';
import { cronField5, timeZoneField } from './cron-fields.ts';
import { field, type FieldDoc } from './field-docs.ts';
import { resourceOf, tenantRefField } from './metadata.ts';
import { isUnique } from './duration-and-price-fields.ts';

const subjects = (doc: Omit<FieldDoc, 'expected'>) =>
  field(
    asSet(
      z
        .array(z.string().min(1).max(DREAM_SUBJECT_LENGTH_MAX))
        .max(DREAM_SUBJECTS_MAX)
        .refine(isUnique),
    ),
    {
      ...doc,
      expected: `a list of at most ${DREAM_SUBJECTS_MAX} different ids, "*" for all`,
    },
  );

const A_SUBJECT = 'at least one agent or user, "*" for all of them';

const Subjects = field(
  withRules(
    z
      .strictObject({
        agents: subjects({ is: 'The agents that dream.', example: '["*"]' }).default([]),
        users: subjects({ is: 'The users that dream.', example: '["*"]' }).default([]),
      })
      .refine(({ agents, users }) => agents.length + users.length > 0, {
        params: { expected: A_SUBJECT },
      }),
    { rule: 'self.agents.size() + self.users.size() > 0', message: `expected ${A_SUBJECT}` },
  ),
  {
    is: 'The agents and users whose MEMORY.md the dreams rewrite.',
    expected: `a mapping with agents and users, ${A_SUBJECT}`,
    example: '{ agents: ["*"] }',
  },
);

const Guards = field(
  z.strictObject({
    removedLinesPercentMax: field(z.int().min(0).max(REMOVED_PERCENT_MAX), {
      is:
        'The largest share of the lines of MEMORY.md, in percent, that a dream may ' +
        'remove without approval.',
      example: String(DEFAULT_DREAM.removedLinesPercentMax),
    }).default(DEFAULT_DREAM.removedLinesPercentMax),
    addedLinesMax: field(z.int().min(0).max(ADDED_LINES_MAX), {
      is: 'How many lines a dream may add to MEMORY.md without approval at most.',
      example: String(DEFAULT_DREAM.addedLinesMax),
    }).default(DEFAULT_DREAM.addedLinesMax),
  }),
  {
    is: 'What a dream may change without approval. A larger change waits for it.',
    example: `{ removedLinesPercentMax: ${DEFAULT_DREAM.removedLinesPercentMax} }`,
  },
);

const Spec = field(
  z.strictObject({
    tenantRef: tenantRefField(
      'The MemoryTenant of this namespace whose agents and users dream. You cannot change it.',
    ),
    subjects: Subjects.prefault({ agents: ['*'], users: ['*'] }),
    cron: cronField5({
      is:
        'When dreams start, as a cron expression: minute, hour, day of the month, month and day ' +
        'of the week.',
      example: '"30 3 * * *"',
    }),
    timeZone: timeZoneField({
      is: 'The time zone of the cron expression, and of the days that a dream reads.',
      example: 'Europe/Berlin',
    }).default(DEFAULT_DREAM.timeZone),
    lookbackDays: field(z.int().min(1).max(LOOKBACK_DAYS_MAX), {
      is: 'Number of the latest daily files that a dream reads.',
      example: '1',
    }).default(DEFAULT_DREAM.lookbackDays),
    approval: field(z.enum(['Automatic', 'Required']), {
      is:
        'Whether Varve applies a proposal within the guards by itself (Automatic), ' +
        'or only after a person has approved it (Required).',
      example: 'Automatic',
    }).default(DEFAULT_DREAM.approval),
    guards: Guards.prefault({}),
    modelClass: field(ModelClass, {
      is: 'The class of models that writes the dreams.',
      example: 'standard',
    }).default(DEFAULT_DREAM.modelClass),
  }),
  {
    is: 'Which agents and users dream, when, and what a dream may change.',
    expected: 'a mapping with tenantRef, cron and what differs from the defaults',
    example: '\n  tenantRef: { name: acme }\n  cron: "30 3 * * *"',
  },
);

export const DeepDream = resourceOf('DeepDream', Spec).describe(
  'A schedule of dreams: a dream reads MEMORY.md and the last daily files of ' +
    'an agent or a user, and proposes a new MEMORY.md.',
);
export type DeepDream = z.infer<typeof DeepDream>;
