/** One model of a ModelProvider: its name there, its prices, and the limits of a call. */
import { z } from 'zod';
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';
import { ModelClass } from '#core/records/model-class.ts';
import { asSet, celText, withRules, type CelRule } from './cel-rules.ts';
import { field } from './field-docs.ts';
import { isUnique, priceField } from './duration-and-price-fields.ts';

const NAME_LENGTH_MAX = 256;
const TOKENS_MAX = 10_000_000;
/** Assumed limits of a model if the resource does not state them. */
const CONTEXT_TOKENS = 128_000;
const OUTPUT_TOKENS = 16_384;
/** Room next to the longest answer for the rules and for one segment of a scope. */
const SOURCE_ROOM_TOKENS = 6_000;
/** The longest answer for one item plus a quarter, which thinking tokens must leave free. */
const ANSWER_ROOM_TOKENS = 2_000;

/** Visible ASCII, which endpoints use to name their models. */
const NAME_PATTERN = /^[!-~]+$/;
const NAME_TAKEN = `a name other than ${EXTRACTIVE_NAME}, which stands for no model`;
const CONTEXT_ROOM = `at least ${SOURCE_ROOM_TOKENS} more than outputTokensMax`;
const ANSWER_ROOM = `at least ${ANSWER_ROOM_TOKENS} more than thinkingTokens`;

const ModelName = withRules(
  z
    .string()
    .min(1)
    .max(NAME_LENGTH_MAX)
    .regex(NAME_PATTERN)
    .refine((name) => name !== EXTRACTIVE_NAME, { params: { expected: NAME_TAKEN } }),
  { rule: `self != ${celText(EXTRACTIVE_NAME)}`, message: `expected ${NAME_TAKEN}` },
);

const tokens = (min: number) => z.int().min(min).max(TOKENS_MAX);
const tokensExpected = (min: number) => `a whole number from ${String(min)} to ${TOKENS_MAX}`;

const Shape = z.strictObject({
  name: field(ModelName, {
    is: 'The name of the model at the endpoint.',
    expected: `a name of at most ${NAME_LENGTH_MAX} visible ASCII characters`,
    example: 'gpt-5-mini',
  }),
  classes: field(
    asSet(z.array(ModelClass).min(1).max(ModelClass.options.length).refine(isUnique)),
    {
      is: 'The model classes that the model serves.',
      expected: 'a list of one or both of economy, standard',
      example: '[economy, standard]',
    },
  ),
  inputPrice: priceField({
    is: 'List price in dollars of a million tokens that the model reads; "0" if they are free.',
    example: '"0.25"',
  }),
  outputPrice: priceField({
    is: 'List price in dollars of a million tokens that the model writes, including its thoughts.',
    example: '"2.00"',
  }),
  contextTokens: field(tokens(1), {
    is: 'The most tokens of one call, including its answer.',
    expected: tokensExpected(1),
    example: String(CONTEXT_TOKENS),
  }).default(CONTEXT_TOKENS),
  outputTokensMax: field(tokens(1), {
    is: 'The most tokens of an answer, including the thoughts of the model.',
    expected: tokensExpected(1),
    example: String(OUTPUT_TOKENS),
  }).default(OUTPUT_TOKENS),
  thinkingTokens: field(tokens(0), {
    is: 'How many tokens of an answer the model may use to think before it writes; 0 for none.',
    expected: tokensExpected(0),
    example: '4096',
  }).default(0),
});

const ROOM_RULES: readonly CelRule[] = [
  {
    rule: `self.contextTokens >= self.outputTokensMax + ${SOURCE_ROOM_TOKENS}`,
    message: `expected ${CONTEXT_ROOM}`,
    fieldPath: '.contextTokens',
  },
  {
    rule: `self.outputTokensMax >= self.thinkingTokens + ${ANSWER_ROOM_TOKENS}`,
    message: `expected ${ANSWER_ROOM}`,
    fieldPath: '.outputTokensMax',
  },
];

export const ServedModel = withRules(
  Shape.superRefine(({ contextTokens, outputTokensMax, thinkingTokens }, ctx) => {
    const issue = (name: string, expected: string) => {
      ctx.addIssue({ code: 'custom', path: [name], params: { expected } });
    };
    if (contextTokens < outputTokensMax + SOURCE_ROOM_TOKENS) {
      issue('contextTokens', `${CONTEXT_ROOM} (${outputTokensMax})`);
    }
    if (outputTokensMax < thinkingTokens + ANSWER_ROOM_TOKENS) {
      issue('outputTokensMax', `${ANSWER_ROOM} (${thinkingTokens})`);
    }
  }),
  ...ROOM_RULES,
);
export type ServedModel = z.infer<typeof ServedModel>;
