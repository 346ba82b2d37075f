/** `DeepDream` (dd): when the Markdown memory of some subjects is distilled, and within what. */
import { z } from 'zod';
import { ModelClass } from '#core/model-class.ts';
import { asSet, IMMUTABLE, withRules } from './cel.ts';
import { cronField5, timeZoneField } from './cron.ts';
import { field, type FieldDoc } from './field.ts';
import { API_VERSION, Metadata, ResourceName } from './metadata.ts';
import { isUnique } from './values.ts';

const SUBJECTS_MAX = 1_000;
const SUBJECT_LENGTH_MAX = 256;
const LOOKBACK_DAYS_MAX = 366;
const PERCENT_MAX = 100;
const LINES_MAX = 10_000;
/** A dream that takes more than a third of a memory away is worth a look by a person. */
const REMOVED_PERCENT = 30;
/** What a busy day leaves behind; more at once is more likely a mistake than a memory. */
const ADDED_LINES = 100;

const TenantRef = field(
  withRules(z.strictObject({ name: ResourceName }), {
    rule: IMMUTABLE,
    message: 'tenantRef cannot be changed; delete the resource and make one with another tenantRef',
  }),
  {
    is: 'The MemoryTenant, in the same namespace, whose subjects dream. It cannot be changed.',
    expected: 'a mapping with the name of a MemoryTenant',
    example: '{ name: acme }',
  },
);

const subjects = (doc: Omit<FieldDoc, 'expected'>) =>
  field(
    asSet(z.array(z.string().min(1).max(SUBJECT_LENGTH_MAX)).max(SUBJECTS_MAX).refine(isUnique)),
    {
      ...doc,
      expected: `a list of at most ${SUBJECTS_MAX} different ids, "*" for all`,
    },
  );

const A_SUBJECT = 'at least one agent or user, "*" for all of them';

const Subjects = field(
  withRules(
    z
      .strictObject({
        agents: subjects({ is: 'The agents that dream.', example: '["*"]' }).default([]),
        users: subjects({ is: 'The users whose memory dreams.', example: '["*"]' }).default([]),
      })
      .refine(({ agents, users }) => agents.length + users.length > 0, {
        params: { expected: A_SUBJECT },
      }),
    { rule: 'self.agents.size() + self.users.size() > 0', message: `expected ${A_SUBJECT}` },
  ),
  {
    is: 'Whose Markdown memory is distilled: of which agents and of which users.',
    expected: `a mapping with agents and users, ${A_SUBJECT}`,
    example: '{ agents: ["*"] }',
  },
);

const Guards = field(
  z.strictObject({
    removedLinesPercentMax: field(z.int().min(0).max(PERCENT_MAX), {
      is: 'Most lines of MEMORY.md, in percent, that a dream may take away by itself.',
      expected: `a whole number from 0 to ${PERCENT_MAX}`,
      example: String(REMOVED_PERCENT),
    }).default(REMOVED_PERCENT),
    addedLinesMax: field(z.int().min(0).max(LINES_MAX), {
      is: 'Most lines that a dream may add to MEMORY.md by itself.',
      expected: `a whole number from 0 to ${LINES_MAX}`,
      example: String(ADDED_LINES),
    }).default(ADDED_LINES),
  }),
  {
    is: 'What a dream may change without being looked at; a larger change waits for approval.',
    expected: 'a mapping with removedLinesPercentMax and addedLinesMax',
    example: `{ removedLinesPercentMax: ${REMOVED_PERCENT} }`,
  },
);

const Spec = field(
  z.strictObject({
    tenantRef: TenantRef,
    subjects: Subjects.prefault({ agents: ['*'], users: ['*'] }),
    cron: cronField5({
      is: 'When dreams begin: minute, hour, day of the month, month and day of the week.',
      example: '"30 3 * * *"',
    }),
    timeZone: timeZoneField({
      is: 'The time zone of cron, and of the days that a dream looks back on.',
      example: 'Europe/Berlin',
    }).default('UTC'),
    lookbackDays: field(z.int().min(1).max(LOOKBACK_DAYS_MAX), {
      is: 'How many of the last daily files a dream reads.',
      expected: `a whole number from 1 to ${LOOKBACK_DAYS_MAX}`,
      example: '1',
    }).default(1),
    approval: field(z.enum(['Automatic', 'Required']), {
      is:
        'Whether what a dream proposes is applied by itself within the guards, or only after a ' +
        'person has approved it.',
      expected: 'one of Automatic, Required',
      example: 'Automatic',
    }).default('Automatic'),
    guards: Guards.prefault({}),
    modelClass: field(ModelClass, {
      is: 'Which class of models dreams.',
      expected: 'one of economy, standard',
      example: 'standard',
    }).default('standard'),
  }),
  {
    is: 'When which subjects dream, and what a dream may do.',
    expected: 'a mapping with tenantRef, cron and what differs from the defaults',
    example: '\n  tenantRef: { name: acme }\n  cron: "30 3 * * *"',
  },
);

export const DeepDream = z
  .strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('DeepDream'),
    metadata: Metadata,
    spec: Spec,
  })
  .describe(
    'When the Markdown memory of agents and users is distilled: a dream reads MEMORY.md and the ' +
      'last daily files, and proposes what to keep for long.',
  );
export type DeepDream = z.infer<typeof DeepDream>;
