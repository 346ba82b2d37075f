/**
 * `ModelProvider` (mp): an endpoint with models, each with its prices and the limits of a call, and
 * which namespaces it serves.
 */
import { z } from 'zod';
import {
  ALLOWED_NAMESPACES_MAX,
  EMBEDDED_TEXTS_MAX,
  EVERY_NAMESPACE,
  PREFIX_LENGTH_MAX,
  PROVIDER_MODELS_MAX,
} from '#core/records/model-provider.ts';
import { ModelClass } from '#core/records/model-class.ts';
import { asListMap, asSet, withRules, type CelRule, celText } from './kubernetes-extensions.ts';
import { field } from './field-docs.ts';
import { ResourceName, resourceOf } from './metadata.ts';
import { isUnique, priceField } from './duration-and-price-fields.ts';
import { DIMENSIONS_MAX } from '#core/vector.ts';
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';

const MODEL_NAME_LENGTH_MAX = 256;
const TOKENS_MAX = 10_000_000;
/** Assumed limits of a model if the resource does not state them. */
const CONTEXT_TOKENS = 128_000;
const OUTPUT_TOKENS = 16_384;
/** Room next to the longest answer for the rules and for one segment of a scope. */
const SOURCE_ROOM_TOKENS = 6_000;
/** The longest answer for one item plus a quarter, which thinking tokens must leave free. */
const ANSWER_ROOM_TOKENS = 2_000;

/** Visible ASCII, which endpoints use to name their models. */
const MODEL_NAME_PATTERN = /^[!-~]+$/;
const NAME_TAKEN = `a name other than ${EXTRACTIVE_NAME}, which stands for no model`;
const CONTEXT_ROOM = `at least ${SOURCE_ROOM_TOKENS} more than outputTokensMax`;
const ANSWER_ROOM = `at least ${ANSWER_ROOM_TOKENS} more than thinkingTokens`;

const ModelName = withRules(
  z
    .string()
    .min(1)
    .max(MODEL_NAME_LENGTH_MAX)
    .regex(MODEL_NAME_PATTERN)
    .refine((name) => name !== EXTRACTIVE_NAME, { params: { expected: NAME_TAKEN } }),
  { rule: `self != ${celText(EXTRACTIVE_NAME)}`, message: `expected ${NAME_TAKEN}` },
);

const tokens = (min: number) => z.int().min(min).max(TOKENS_MAX);

const Shape = z.strictObject({
  name: field(ModelName, {
    is: 'The name of the model at the endpoint.',
    expected: `a name of at most ${MODEL_NAME_LENGTH_MAX} visible ASCII characters`,
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
    example: String(CONTEXT_TOKENS),
  }).default(CONTEXT_TOKENS),
  outputTokensMax: field(tokens(1), {
    is: 'The most tokens of an answer, including the thoughts of the model.',
    example: String(OUTPUT_TOKENS),
  }).default(OUTPUT_TOKENS),
  thinkingTokens: field(tokens(0), {
    is: 'How many tokens of an answer the model may use to think before it writes; 0 for none.',
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

const ServedModel = withRules(
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
type ServedModel = z.infer<typeof ServedModel>;

const KEY_LENGTH_MAX = 253;
const URL_LENGTH_MAX = 2_048;
const REQUESTS_PER_MINUTE_MAX = 1_000_000;
const NAMESPACE_LENGTH_MAX = 63;
const KEY_PATTERN = /^[-._a-zA-Z0-9]+$/;
const NAMESPACE_PATTERN = /^(?:\*|[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)$/;
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const HOST =
  String.raw`(?:(?:[-A-Za-z0-9]{1,63}\.){0,10}[A-Za-z][-A-Za-z0-9]{0,62}|` +
  String.raw`(?:${OCTET}\.){3}${OCTET}|\[[0-9a-fA-F:.]{2,45}\])`;
const PORT =
  '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';
/**
 * The pattern decides first, since zod and the API server parse URLs differently. No user, no
 * query.
 */
const URL_PATTERN = new RegExp(`^https?://${HOST}${PORT}(?:/[-._~%/A-Za-z0-9]*)?$`);

const AllowedNamespaces = field(
  asSet(
    z
      .array(z.string().min(1).max(NAMESPACE_LENGTH_MAX).regex(NAMESPACE_PATTERN))
      .min(1)
      .max(ALLOWED_NAMESPACES_MAX)
      .refine(isUnique),
  ),
  {
    is: 'The namespaces whose tenants may use the models.',
    expected: `a list of different namespaces, or "${EVERY_NAMESPACE}" for all`,
    example: '[team-a, team-b]',
  },
);

const SecretRef = field(
  z.strictObject({
    name: field(ResourceName, {
      is: 'The name of the Secret.',
      expected: 'the name of a Secret in the namespace of the release',
      example: 'openai',
    }),
    key: field(z.string().min(1).max(KEY_LENGTH_MAX).regex(KEY_PATTERN), {
      is: 'The key in the Secret that holds the API key.',
      expected: `1 to ${KEY_LENGTH_MAX} characters: a-z, A-Z, 0-9, -, _ and .`,
      example: 'api-key',
    }),
  }),
  {
    is:
      'Where the API key is stored, in the namespace of the release; ' +
      'leave it out if none is needed.',
    expected: 'a mapping with the name of a Secret and a key of it',
    example: '{ name: openai, key: api-key }',
  },
);

const ONE_MODEL_A_CLASS = 'at most one model for each class';
const CLASSES = ModelClass.options.map((each) => `'${each}'`).join(', ');

const Models = field(
  withRules(
    asListMap(
      z
        .array(ServedModel)
        .min(1)
        .max(PROVIDER_MODELS_MAX)
        .superRefine((models, ctx) => {
          const classes = models.flatMap((model) => [...new Set(model.classes)]);
          const isTwice = !isUnique(classes) || !isUnique(models.map(({ name }) => name));
          const expected = `different models, and ${ONE_MODEL_A_CLASS}`;
          if (isTwice) ctx.addIssue({ code: 'custom', params: { expected } });
        }),
      'name',
    ),
    {
      rule: `[${CLASSES}].all(c, self.filter(m, c in m.classes).size() <= 1)`,
      message: `expected ${ONE_MODEL_A_CLASS}`,
    },
  ),
  {
    is: 'The models of the endpoint that Varve may call, each with its prices.',
    expected: `a list of 1 to ${PROVIDER_MODELS_MAX} models, at most one for each class`,
    example:
      '\n  - name: gpt-5-mini\n    classes: [economy, standard]\n' +
      '    inputPrice: "0.25"\n    outputPrice: "2.00"',
  },
);

const prefix = (is: string, example: string) =>
  field(z.string().max(PREFIX_LENGTH_MAX), {
    is,
    expected: `a text of at most ${PREFIX_LENGTH_MAX} characters`,
    example,
  }).optional();

const EmbeddingModel = z.strictObject({
  name: field(z.string().min(1).max(MODEL_NAME_LENGTH_MAX).regex(MODEL_NAME_PATTERN), {
    is: 'The name of the model at the endpoint.',
    expected: `a name of at most ${MODEL_NAME_LENGTH_MAX} visible ASCII characters`,
    example: 'text-embedding-3-small',
  }),
  dimensions: field(z.int().min(1).max(DIMENSIONS_MAX), {
    is: 'The length of its vectors.',
    example: '1536',
  }),
  inputPrice: priceField({
    is: 'List price in dollars of a million tokens that the model reads; "0" if they are free.',
    example: '"0.02"',
  }),
  queryPrefix: prefix('The text before a question, as the e5 models need it.', '"query: "'),
  passagePrefix: prefix('The text before a stored text.', '"passage: "'),
  sendDimensions: field(z.boolean(), {
    is:
      'Whether calls request the number of dimensions. If absent, only calls of ' +
      'text-embedding-3 models do, since some endpoints refuse it.',
    expected: 'true or false',
    example: 'false',
  }).optional(),
  textsMax: field(z.int().min(1).max(EMBEDDED_TEXTS_MAX), {
    is: 'The most texts of one call; 64 if absent.',
    example: '32',
  }).optional(),
});
export type EmbeddingModel = z.infer<typeof EmbeddingModel>;

const Embedding = field(EmbeddingModel, {
  is:
    'The model that embeds the memories of every tenant of the installation, whatever ' +
    'allowedNamespaces says. An installation has one: the oldest ModelProvider that declares ' +
    'one serves. Tenants that have memories keep their model until varve embeddings migrate.',
  expected: 'a mapping with name, dimensions and inputPrice',
  example: '\n  name: text-embedding-3-small\n  dimensions: 1536\n  inputPrice: "0.02"',
});

const Rate = field(
  z.strictObject({
    requestsPerMinute: field(z.int().min(1).max(REQUESTS_PER_MINUTE_MAX), {
      is: 'How many calls a minute each worker makes at most.',
      example: '500',
    }).optional(),
  }),
  {
    is:
      'How often Varve may call the endpoint. Without it, Varve slows down only ' +
      'when the endpoint answers that there are too many calls.',
    example: '{ requestsPerMinute: 500 }',
  },
);

const SOME_MODEL = 'models, embedding, or both';

const Openai = field(
  withRules(
    z
      .strictObject({
        baseUrl: field(
          z
            .string()
            .max(URL_LENGTH_MAX)
            .regex(URL_PATTERN)
            .refine((url) => URL.canParse(url)),
          {
            is:
              "Base address of an endpoint that speaks OpenAI's /chat/completions, /embeddings " +
              'or both.',
            expected: 'an http or https address without user, password, query and fragment',
            example: 'https://api.openai.com/v1',
          },
        ),
        secretRef: SecretRef.optional(),
        models: Models.optional(),
        embedding: Embedding.optional(),
        rate: Rate.optional(),
      })
      .superRefine(({ models, embedding }, ctx) => {
        if (models !== undefined || embedding !== undefined) return;
        ctx.addIssue({ code: 'custom', params: { expected: SOME_MODEL } });
      }),
    { rule: 'has(self.models) || has(self.embedding)', message: `expected ${SOME_MODEL}` },
  ),
  {
    is: "An endpoint that speaks OpenAI's protocol, as vLLM, Ollama and many others do.",
    expected: 'a mapping with baseUrl, and models or embedding',
    example: '\n  baseUrl: https://api.openai.com/v1\n  models: []',
  },
);

const ONE_PROVIDER = 'exactly one of openai and extractive';
const ONE_PROVIDER_RULE: CelRule = {
  rule: 'has(self.openai) != has(self.extractive)',
  message: `expected ${ONE_PROVIDER}`,
};

const Spec = field(
  withRules(
    z
      .strictObject({
        allowedNamespaces: AllowedNamespaces,
        openai: Openai.optional(),
        extractive: field(z.strictObject({}), {
          is: 'Summarizes without a model, for both classes, at no cost.',
          expected: 'an empty mapping',
          example: '{}',
        }).optional(),
      })
      .superRefine(({ openai, extractive }, ctx) => {
        if ((openai === undefined) !== (extractive === undefined)) return;
        ctx.addIssue({ code: 'custom', params: { expected: ONE_PROVIDER } });
      }),
    ONE_PROVIDER_RULE,
  ),
  {
    is: 'Which models serve the tenants of which namespaces.',
    expected: 'a mapping with allowedNamespaces and exactly one of openai and extractive',
    example: '\n  allowedNamespaces: ["*"]\n  extractive: {}',
  },
);

export const ModelProvider = resourceOf('ModelProvider', Spec).describe(
  'An endpoint with its models, their prices, and the namespaces that it ' +
    'serves. Varve accepts only ModelProviders in the namespace of the ' +
    'release, so that no tenant can name an address or a Secret.',
);
export type ModelProvider = z.infer<typeof ModelProvider>;
