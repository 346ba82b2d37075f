/** Checks what JavaScript callers of the library can get wrong. */
import { z } from 'zod';
import { KINDS, unknownOptions } from '#core/check-options.ts';
import { unexpected, VarveError } from '#core/errors.ts';
import { isRecord } from '#core/is-record.ts';
import { LAYERS } from '#core/layer.ts';
import { ROLES } from '#core/role.ts';
import { DIMENSIONS_MAX } from '#core/vector.ts';
import type {
  EmbeddingInput,
  LocalModelInput,
  ModelsInput,
  OpenVarveOptions,
  TemporalPlace,
} from './library-options.ts';
import { EMBEDDERS } from './model-settings.ts';
import {
  EMBEDDING_MS_MAX,
  EMBEDDING_MS_MIN,
  type ModelSettings,
  type PartsSettings,
} from './store-and-model-settings.ts';

/** Fields by name; the type of the options keeps each list complete. */
type Fields<Options> = Record<keyof Options, z.ZodType>;

const text = (expected: string) => z.string(expected).regex(/\S/u, expected);
const anObject = (expected: string) => z.looseObject({}, expected);
const oneOf = (values: readonly string[]) =>
  `one of ${values.map((value) => `'${value}'`).join(', ')}`;
/** An object with only these fields. */
function options(fields: Record<string, z.ZodType>, expected: string) {
  return z.strictObject(fields, {
    error: ({ code, keys }) =>
      code === UNKNOWN ? unknownOptions(keys, Object.keys(fields)) : expected,
  });
}

const UNKNOWN = 'unrecognized_keys';
/** A prefix may be empty, and so may a key that a shell sets. */
const PREFIX_OR_NONE = z.string('a text, or none').optional();
const TEXT_OR_NONE = text('a text, or none').optional();
const NO_FLAG = 'true or false';
const FLAG_OR_NONE = z.boolean(NO_FLAG).optional();
const FROM_1 = 'a whole number from 1';
const COUNT_OR_NONE = z.int(FROM_1).min(1, FROM_1).optional();
const FROM_0 = 'a number from 0';
const Amount = z.number(FROM_0).min(0, FROM_0).optional();
const Model = z.preprocess(
  (model) => (typeof model === 'string' && model !== '' ? { name: model } : model),
  options(
    {
      name: text('the name of a model of the endpoint'),
      inputDollarsPerMillion: Amount,
      outputDollarsPerMillion: Amount,
      contextTokens: Amount,
      outputTokensMax: Amount,
      thinkingTokens: Amount,
    } satisfies Fields<ModelSettings>,
    "the name of a model, or { name: 'MODEL' }",
  ),
);
const Models = options(
  {
    url: TEXT_OR_NONE,
    apiKey: TEXT_OR_NONE,
    standard: Model,
    economy: Model.optional(),
  } satisfies Fields<ModelsInput>,
  "an object such as { standard: 'MODEL' }, or none",
);
const SIZE = `the length of its vectors, a whole number from 1 to ${String(DIMENSIONS_MAX)}`;
const TIME =
  `milliseconds, a whole number from ${String(EMBEDDING_MS_MIN)} to ` + String(EMBEDDING_MS_MAX);
const Time = z.int(TIME).min(EMBEDDING_MS_MIN, TIME).max(EMBEDDING_MS_MAX, TIME).optional();
const Embedding = options(
  {
    url: TEXT_OR_NONE,
    model: text('the name of a model of the endpoint'),
    dimensions: z.int(SIZE).min(1, SIZE).max(DIMENSIONS_MAX, SIZE),
    dimensionsSent: FLAG_OR_NONE,
    apiKey: PREFIX_OR_NONE,
    queryPrefix: PREFIX_OR_NONE,
    passagePrefix: PREFIX_OR_NONE,
    textsMax: COUNT_OR_NONE,
    timeoutMs: Time,
    searchWaitMs: Time,
    dollarsPerMillionTokens: Amount,
  } satisfies Fields<EmbeddingInput>,
  "an object such as { model: 'MODEL', dimensions: 1536 }, or none",
);
const LocalModel = options(
  {
    model: text('a folder, or the name of a model').optional(),
    url: TEXT_OR_NONE,
    cacheDir: TEXT_OR_NONE,
    queryPrefix: PREFIX_OR_NONE,
    passagePrefix: PREFIX_OR_NONE,
  } satisfies Fields<LocalModelInput>,
  "an object such as { model: 'FOLDER OR NAME' }, or none",
);
const EmbedderName = z.enum(EMBEDDERS, `${oneOf(EMBEDDERS)}, or { model: 'FOLDER OR NAME' }`);
const Settings = options(
  {
    mongodb: options(
      { uri: text('the address of a server'), database: text('the name of a database') },
      'an object of uri and database, or none',
    ).optional(),
    embedding: Embedding.optional(),
    local: LocalModel.optional(),
    models: Models.optional(),
    metricsOpen: FLAG_OR_NONE,
    declaredOnly: FLAG_OR_NONE,
    erasureLedger: TEXT_OR_NONE,
    auditDays: Amount,
    policyDefaults: anObject('an object such as { maxTokens: 2000 }, or none').optional(),
    callLimits: anObject('an object of limits, or none').optional(),
  } satisfies Fields<PartsSettings>,
  'an object such as { models, embedding }, or none',
);
const Temporal = options(
  {
    address: text("the host and port of a server: 'localhost:7233'"),
    namespace: TEXT_OR_NONE,
    security: anObject('an object of variables such as TEMPORAL_API_KEY').nullish(),
  } satisfies Fields<TemporalPlace>,
  "an object such as { address: 'localhost:7233' }, or none",
);
const PRINCIPAL =
  "an object such as { name: 'dana', tenants: ['acme'] or 'all', bound: { userId: 'dana' } }, " +
  'or none';
const TENANTS = "a list of texts, or 'all'";
const BOUND = 'an object of identifiers';
const POLICY = "{ tenant: 'acme' }, a list of such, a path, or null";
/** What SQLite takes for a database in memory would become the name of a folder. */
const isNoSqliteName = (dataDir: string): boolean => dataDir !== ':memory:';
const TEMPORARY_FOLDER = 'the path of a folder, such as one of mkdtemp for data that goes away';
const Options = options(
  {
    dataDir: text('the path of a folder').refine(isNoSqliteName, TEMPORARY_FOLDER).optional(),
    policy: z
      .union([text(POLICY), z.array(anObject(POLICY)), anObject(POLICY)], { error: POLICY })
      .nullish(),
    models: Models.optional(),
    embedder: z
      .unknown()
      .superRefine((value, { issues }) => {
        const schema = isRecord(value) ? LocalModel : EmbedderName.optional();
        for (const issue of schema.safeParse(value).error?.issues ?? []) {
          issues.push({ ...issue, input: value } as (typeof issues)[number]);
        }
      })
      .optional(),
    embedding: Embedding.optional(),
    environment: anObject('an object such as process.env, or none').optional(),
    settings: Settings.optional(),
    temporal: Temporal.optional(),
    principal: z
      .looseObject(
        {
          name: text('a text'),
          tenants: z.union([z.literal('all'), z.array(z.string())], { error: TENANTS }),
          bound: z.record(z.string(), z.string('a text').optional(), BOUND),
          role: z.enum(ROLES, oneOf(ROLES)).optional(),
          isUnlimited: FLAG_OR_NONE,
          layers: z.array(z.enum(LAYERS, oneOf(LAYERS)), 'a list of layers').optional(),
        },
        PRINCIPAL,
      )
      .optional(),
    log: z.custom(KINDS.log.fits, KINDS.log.expected).optional(),
  } satisfies Fields<OpenVarveOptions>,
  "an object: { dataDir: 'memory' }",
);

/** Options that may hold a key; an error shows only the type of what was given. */
const SECRETS: ReadonlySet<unknown> = new Set(['apiKey', 'security', 'uri']);

/** @throws VarveError INVALID_INPUT naming the option */
export function requireLibraryOptions(given: unknown): void {
  const issues = Options.safeParse(given).error?.issues ?? [];
  const issue = issues.find(({ code }) => code === UNKNOWN) ?? issues[0];
  if (issue === undefined) return;
  const { code, path, message } = issue;
  if (code === UNKNOWN) throw new VarveError('INVALID_INPUT', message);
  const value = path.reduce<unknown>(
    (part, key) => (isRecord(part) ? part[String(key)] : undefined),
    given,
  );
  const found = SECRETS.has(path.at(-1)) ? typeof value : value;
  throw unexpected(path.length === 0 ? 'options' : path.join('.'), found, message);
}
