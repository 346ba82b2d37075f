/**
 * What the operator writes into the status of each kind: the state and its start, and nothing that
 * would change without meaning. Any field may be missing, since the first write comes after the
 * resource is created; readers use what is there.
 */
import { z } from 'zod';
import { asListMap } from './kubernetes-extensions.ts';

const GENERATION_MAX = Number.MAX_SAFE_INTEGER;
const CONDITIONS_MAX = 16;
const TYPE_LENGTH_MAX = 316;
const REASON_LENGTH_MAX = 1_024;
const MESSAGE_LENGTH_MAX = 32_768;
const SUMMARY_LENGTH_MAX = 128;
const WORD_LENGTH_MAX = 64;
const TENANT_ID_LENGTH_MAX = 63;
const HASH_LENGTH_MAX = 128;

const count = (is: string) => z.int().min(0).max(GENERATION_MAX).describe(is);
const text = (lengthMax: number, is: string) => z.string().max(lengthMax).describe(is);
/** RFC 3339 in UTC, which Kubernetes and `kubectl` understand. */
const time = (is: string) =>
  z.string().max(WORD_LENGTH_MAX).meta({ format: 'date-time' }).describe(is);

const ObservedGeneration = count(
  'The generation of the spec that this status describes.',
).optional();

export const Condition = z
  .strictObject({
    type: text(TYPE_LENGTH_MAX, 'The name of the condition, such as Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
    observedGeneration: ObservedGeneration,
    lastTransitionTime: time('When the status last changed.'),
    reason: text(REASON_LENGTH_MAX, 'The reason, in one word, for programs.'),
    message: text(MESSAGE_LENGTH_MAX, 'The reason and what to do about it, for people.'),
  })
  .describe('One condition: whether it holds, since when, and why.');
export type Condition = z.infer<typeof Condition>;

const Conditions = asListMap(z.array(Condition).max(CONDITIONS_MAX), 'type')
  .describe('The conditions of the resource; Ready sums them up.')
  .optional();

const freshness = (of: string) =>
  z
    .strictObject({
      fresh: count('Summaries that are up to date.'),
      stale: count('Stale summaries that wait to be regenerated.'),
      summary: text(
        SUMMARY_LENGTH_MAX,
        'Fresh summaries of all, such as 12/14; 12/14+ until all are counted.',
      ),
    })
    .describe(`How many summaries of the ${of} are fresh.`)
    .optional();

/** Contains no text of a memory, and nothing that names a person. */
export const LastError = z
  .strictObject({
    code: text(WORD_LENGTH_MAX, 'The code of the error, as in docs/errors.md.'),
    message: text(MESSAGE_LENGTH_MAX, 'What is wrong and how to fix it.'),
  })
  .describe('The last failure; absent after it is resolved.');
export type LastError = z.infer<typeof LastError>;

export const MemoryTenantStatus = z
  .strictObject({
    observedGeneration: ObservedGeneration,
    conditions: Conditions,
    tenantId: text(TENANT_ID_LENGTH_MAX, 'The id that callers give.').optional(),
    policy: z
      .strictObject({
        generation: count('Rises by one with every change of the policy in the store.'),
        hash: text(HASH_LENGTH_MAX, 'The hash of the policy in the store.'),
      })
      .describe('The policy that workers read, once all of it is applied.')
      .optional(),
    freshness: freshness('tenant'),
    budget: z
      .strictObject({
        period: text(WORD_LENGTH_MAX, 'The calendar month in UTC, such as 2026-11.'),
        usedTokens: count('Tokens spent in the period.'),
        usedDollars: text(WORD_LENGTH_MAX, 'Dollars spent in the period, such as 3.20.'),
        summary: text(
          SUMMARY_LENGTH_MAX,
          'What was spent and the limit, for tokens and dollars if they are limited.',
        ),
      })
      .describe('What models have cost in the period.')
      .optional(),
    lastRefreshTime: time('When a summary was last made.').optional(),
    nextRefreshTime: time('When the next summary is due.').optional(),
    lastError: LastError.optional(),
  })
  .describe('The settings in force, and whether the tenant works.');
export type MemoryTenantStatus = z.infer<typeof MemoryTenantStatus>;

const setting = (is: string) => text(SUMMARY_LENGTH_MAX, is).optional();

export const LayerSummaryPolicyStatus = z
  .strictObject({
    observedGeneration: ObservedGeneration,
    conditions: Conditions,
    tenantId: text(TENANT_ID_LENGTH_MAX, 'The id that callers give.').optional(),
    effective: z
      .strictObject({
        depths: setting('The texts of a summary, such as sentence, paragraph.'),
        updateInterval: setting('How long a changed scope waits for its refresh.'),
        updateOnChanges: setting('How many changes make a scope due at once.'),
        maxAge: setting('The age at which Varve regenerates a summary.'),
        skipIfUnchanged: setting('Whether an interval without a change passes without a call.'),
        batchWindow: setting('How long due scopes wait for others.'),
        personalized: setting('Whether each reader gets a variant.'),
        modelClass: setting('The class of models that summarizes.'),
        model: setting('The model that serves the class, if a ModelProvider names one.'),
      })
      .describe('Every setting of the layer in force, including defaults.')
      .optional(),
    freshness: freshness('layer'),
    lastRefreshTime: time('When a summary of the layer was last made.').optional(),
    nextRefreshTime: time('When the next summary of the layer is due.').optional(),
    lastError: LastError.optional(),
  })
  .describe('The settings in force for the layer, and whether it works.');
export type LayerSummaryPolicyStatus = z.infer<typeof LayerSummaryPolicyStatus>;

export const ModelProviderStatus = z
  .strictObject({
    observedGeneration: ObservedGeneration,
    conditions: Conditions,
    lastCheck: z
      .strictObject({
        state: z.enum(['Available', 'Unavailable']).describe('Whether the endpoint answers.'),
        code: text(WORD_LENGTH_MAX, 'Why it does not answer, in one word.').optional(),
        since: time('Since when the state has been this one.'),
      })
      .describe('Result of the last check of the endpoint by a worker.')
      .optional(),
  })
  .describe('Whether the provider is in use and answers.');
export type ModelProviderStatus = z.infer<typeof ModelProviderStatus>;

export const DeepDreamStatus = z
  .strictObject({
    observedGeneration: ObservedGeneration,
    conditions: Conditions,
    nextDreamTime: time('When the next dream begins.').optional(),
    lastDreamTime: time('When the last dream ended.').optional(),
    lastOutcome: text(
      SUMMARY_LENGTH_MAX,
      'How the dreams of the last run ended, such as 12 dreamed, 1 waiting.',
    ).optional(),
    lastError: LastError.optional(),
  })
  .describe('Whether dreams run, and when.');
export type DeepDreamStatus = z.infer<typeof DeepDreamStatus>;
