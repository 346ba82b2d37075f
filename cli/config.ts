/** Configuration: the only reader of the environment, once, into a frozen value. */
import path from 'node:path';
import { CALL_LIMIT_DEFAULTS, type CallLimits } from '#api/call-limits.ts';
import type { TlsFiles } from '#api/tls-certificate.ts';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { AUDIT_DAYS_MAX } from '#core/records/audit-entry.ts';
import { TenantPolicy } from '#core/records/policy.ts';
import { MODEL_VARIABLES, modelsOf, EMBEDDERS, localModelOf } from './model-settings.ts';
import { OPERATOR_VARIABLES, operatorSettingsOf } from './operator-settings.ts';
import {
  JWT_VARIABLES,
  jwtSettingsOf,
  SERVICE_ACCOUNT_VARIABLES,
  serviceAccountsOf,
} from './access-token-settings.ts';
import { EMBEDDED_TEXTS_MAX, takesDimensions } from '#core/records/model-provider.ts';
import { DIMENSIONS_MAX } from '#core/vector.ts';
import {
  type EmbeddingSettings,
  type LocalModelSettings,
  type PartsSettings,
  Address,
  EmbeddingMs,
  unlessEmpty,
} from './store-and-model-settings.ts';
import { API_TOKEN, API_TOKEN_LENGTH_MIN } from './installation-files.ts';
import { GRACE_VARIABLES } from './worker-roles-and-grace.ts';

const PORT_MAX = 65_535;
const NOT_A_PORT = `a port is a whole number from 0 to ${String(PORT_MAX)}, 0 for a free one`;
const Port = z.coerce
  .number({ error: NOT_A_PORT })
  .refine((port) => Number.isInteger(port) && port >= 0 && port <= PORT_MAX, { error: NOT_A_PORT });

const HOST_LENGTH_MAX = 253;
const POD_NAMESPACE_LENGTH_MAX = 63;
/** Other machines cannot reach it. */
const LOOPBACK = '127.0.0.1';
const SHORT_TOKEN = `a token has at least ${String(API_TOKEN_LENGTH_MIN)} characters`;
const BROKEN_TOKEN = 'a token has no space, no line break and only letters of Latin-1';
const CALLS_MAX = 1_000_000;
/** For the name of a model, or the path of a folder. */
const LOCAL_MODEL_LENGTH_MAX = 4_096;
const Calls = z.coerce.number().int().min(1).max(CALLS_MAX);
const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const CONTEXT = TenantPolicy.shape.context.shape;

const Environment = z.object({
  VARVE_DATA_DIR: z.string().min(1).regex(/\S/u, 'expected a folder').optional(),
  VARVE_POLICY_DIR: z.string().min(1).optional(),
  VARVE_API_PORT: unlessEmpty(Port),
  VARVE_API_URL: unlessEmpty(Address),
  VARVE_API_TOKEN: unlessEmpty(
    z.string().trim().min(API_TOKEN_LENGTH_MIN, SHORT_TOKEN).regex(API_TOKEN, BROKEN_TOKEN),
  ),
  VARVE_HOST: z.string().min(1).max(HOST_LENGTH_MAX).default(LOOPBACK),
  VARVE_REQUEST_LOG: unlessEmpty(Flag),
  VARVE_TRUSTED_NETWORK: unlessEmpty(Flag),
  VARVE_KEYS_ONLY: unlessEmpty(Flag),
  VARVE_DECLARED_ONLY: unlessEmpty(Flag),
  VARVE_TLS_CERT: unlessEmpty(z.string()),
  VARVE_TLS_KEY: unlessEmpty(z.string()),
  VARVE_PROBE_PORT: unlessEmpty(Port),
  VARVE_TEMPORAL_PORT: Port.default(0),
  VARVE_UI_PORT: Port.default(0),
  VARVE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  MONGODB_URI: unlessEmpty(
    z
      .string()
      .regex(/^mongodb(?:\+srv)?:\/\//u, 'expected an address with mongodb:// or mongodb+srv://'),
  ),
  VARVE_MONGODB_DATABASE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,63}$/u, 'expected 1 to 63 letters, digits, _ and -')
    .default('varve'),
  VARVE_EMBEDDER: unlessEmpty(z.enum(EMBEDDERS)),
  VARVE_LOCAL_MODEL: unlessEmpty(z.string().max(LOCAL_MODEL_LENGTH_MAX)),
  VARVE_LOCAL_MODEL_URL: unlessEmpty(Address),
  VARVE_LOCAL_QUERY_PREFIX: z.string().max(256).optional(),
  VARVE_LOCAL_PASSAGE_PREFIX: z.string().max(256).optional(),
  VARVE_EMBEDDING_URL: unlessEmpty(Address),
  VARVE_EMBEDDING_MODEL: unlessEmpty(z.string().max(256)),
  VARVE_EMBEDDING_DIMENSIONS: unlessEmpty(z.coerce.number().int().min(1).max(DIMENSIONS_MAX)),
  VARVE_EMBEDDING_SEND_DIMENSIONS: unlessEmpty(Flag),
  VARVE_EMBEDDING_API_KEY: unlessEmpty(z.string()),
  VARVE_EMBEDDING_QUERY_PREFIX: z.string().max(256).default(''),
  VARVE_EMBEDDING_PASSAGE_PREFIX: z.string().max(256).default(''),
  VARVE_EMBEDDING_TEXTS_MAX: unlessEmpty(z.coerce.number().int().min(1).max(EMBEDDED_TEXTS_MAX)),
  VARVE_EMBEDDING_TIMEOUT_MS: unlessEmpty(EmbeddingMs),
  VARVE_EMBEDDING_SEARCH_WAIT_MS: unlessEmpty(EmbeddingMs),
  VARVE_EMBEDDING_PRICE: unlessEmpty(z.coerce.number().min(0).max(1_000)),
  VARVE_AUDIT_DAYS: unlessEmpty(z.coerce.number().int().min(0).max(AUDIT_DAYS_MAX)),
  MEMORY_CONTEXT_MAX_TOKENS: unlessEmpty(z.coerce.number().pipe(CONTEXT.maxTokens)),
  MEMORY_HOT_TURNS_LIMIT: unlessEmpty(z.coerce.number().pipe(CONTEXT.hotTurnsLimit)),
  MEMORY_RELATED_ENTITIES_LIMIT: unlessEmpty(z.coerce.number().pipe(CONTEXT.relatedEntitiesLimit)),
  TRANSCRIPT_RETENTION_DAYS: unlessEmpty(
    z.coerce.number().pipe(TenantPolicy.shape.transcriptRetentionDays),
  ),
  VARVE_ERASURE_LEDGER: unlessEmpty(z.string()),
  VARVE_KEY_CALLS_PER_SECOND: unlessEmpty(Calls),
  VARVE_KEY_CALLS_AT_ONCE: unlessEmpty(Calls),
  VARVE_TENANT_CALLS_PER_SECOND: unlessEmpty(Calls),
  VARVE_TENANT_CALLS_AT_ONCE: unlessEmpty(Calls),
  VARVE_KEY_SUBSCRIPTIONS: unlessEmpty(Calls),
  VARVE_TENANT_SUBSCRIPTIONS: unlessEmpty(Calls),
  VARVE_METRICS_OPEN: unlessEmpty(Flag),
  VARVE_METRICS_PORT: unlessEmpty(Port),
  VARVE_WORKFLOW_BUNDLE: unlessEmpty(z.string()),
  VARVE_POD_NAMESPACE: unlessEmpty(z.string().max(POD_NAMESPACE_LENGTH_MAX)),
  KUBECONFIG: unlessEmpty(z.string()),
  ...GRACE_VARIABLES,
  ...JWT_VARIABLES,
  ...SERVICE_ACCOUNT_VARIABLES,
  ...MODEL_VARIABLES,
  ...OPERATOR_VARIABLES,
});
type Environment = z.infer<typeof Environment>;

/** The command option that overrides each variable. */
const OPTIONS = {
  VARVE_DATA_DIR: 'dataDir',
  VARVE_POLICY_DIR: 'policyDir',
  VARVE_HOST: 'host',
  VARVE_TRUSTED_NETWORK: 'trustedNetwork',
  VARVE_TLS_CERT: 'tlsCert',
  VARVE_TLS_KEY: 'tlsKey',
  VARVE_EMBEDDER: 'embedder',
  VARVE_API_URL: 'apiUrl',
  VARVE_API_PORT: 'apiPort',
  VARVE_TEMPORAL_PORT: 'temporalPort',
  VARVE_UI_PORT: 'uiPort',
  VARVE_PROBE_PORT: 'probePort',
  KUBECONFIG: 'kubeconfig',
  VARVE_POD_NAMESPACE: 'namespace',
  VARVE_WATCH_NAMESPACES: 'watchNamespace',
  VARVE_LEASE_NAME: 'leaseName',
  VARVE_CLUSTER_ID: 'clusterId',
  VARVE_KUBERNETES_REQUESTS: 'requestRate',
} as const;

/** What the options of a command may set; they override the environment. */
export type ConfigOverrides = Partial<
  Readonly<Record<(typeof OPTIONS)[keyof typeof OPTIONS], OptionValue>>
>;
type OptionValue = string | boolean | readonly string[] | undefined;

/** Returns the option as typed on the command line: `--data-dir` for `dataDir`. */
export function optionName(field: string): string {
  return `--${field.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws VarveError INVALID_INPUT naming each wrong variable or option */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  overrides: ConfigOverrides,
): Config {
  const options = Object.entries(OPTIONS).flatMap(([variable, field]) => {
    const value = overrides[field];
    return value === undefined
      ? []
      : [{ variable, option: optionName(field), value: String(value) }];
  });
  const given = Object.fromEntries(options.map(({ variable, value }) => [variable, value]));
  const read = { ...environment, ...given };
  const parsed = Environment.safeParse(read, { error: (issue) => expectedOf(issue, read) });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path: [at], message }) => {
      const source = options.find(({ variable }) => variable === at)?.option ?? String(at);
      return `${source}: ${message}`;
    });
    throw new VarveError('INVALID_INPUT', `A setting is wrong. ${wrong.join('; ')}.`);
  }
  return configOf(parsed.data, environment);
}

export type Config = ReturnType<typeof configOf>;

/** Returns what is set with the defaults of the rest. */
function configOf(set: Environment, environment: Readonly<Record<string, string | undefined>>) {
  const dataDir = path.resolve(set.VARVE_DATA_DIR ?? '.varve');
  const localModel = localModelOf(set, environment);
  return Object.freeze({
    /** `varve`, or `npx varve` if npx ran it. */
    command: commandName(environment),
    /** The folder of everything that Varve keeps on this machine for one installation. */
    dataDir,
    policyDir: path.resolve(set.VARVE_POLICY_DIR ?? path.join(dataDir, 'policies')),
    /** 0 for a free port; null for the default one, or a free one if that is taken. */
    apiPort: set.VARVE_API_PORT ?? null,
    /** 0 for a free port. */
    temporalPort: set.VARVE_TEMPORAL_PORT,
    uiPort: set.VARVE_UI_PORT,
    /** The address that every port listens on. */
    host: set.VARVE_HOST,
    /** A running API for `varve mcp` to call; null for the store of the data folder. */
    apiUrl: set.VARVE_API_URL ?? null,
    /** The token that callers of `varve api` send, never printed; null for the data folder's. */
    apiToken: set.VARVE_API_TOKEN ?? null,
    /** Whether the API may listen beyond this machine without a configured token. */
    isTrustedNetwork: set.VARVE_TRUSTED_NETWORK ?? false,
    /** Whether the token of the installation is refused to callers over the network. */
    isKeysOnly: set.VARVE_KEYS_ONLY ?? false,
    /** The issuer whose tokens the API accepts in addition to its own keys; null for none. */
    jwt: jwtSettingsOf(set),
    /** The ServiceAccounts that may call the API; null for none. */
    serviceAccounts: serviceAccountsOf(set),
    /** The certificate of the API for TLS; null for plain HTTP. */
    tls: tlsOf(set),
    /** The port where a separate part answers `/healthz` and `/readyz`; null for none. */
    probePort: set.VARVE_PROBE_PORT ?? null,
    /** The port where a separate part serves its metrics; null for none. */
    metricsPort: set.VARVE_METRICS_PORT ?? null,
    /** The namespace of the release, in a pod; null outside of a cluster. */
    podNamespace: set.VARVE_POD_NAMESPACE ?? null,
    /** Files that name the API server; null for the ServiceAccount of the pod. */
    kubeconfig: set.KUBECONFIG ?? null,
    /** The workflows as `varve bundle` wrote them; null to bundle them at the start. */
    workflowBundle: set.VARVE_WORKFLOW_BUNDLE ?? null,
    /** Seconds in which a separate worker ends after its signal; null for the default. */
    graceSeconds: set.VARVE_GRACE_SECONDS ?? null,
    operator: operatorSettingsOf(set, set.VARVE_POD_NAMESPACE ?? null),
    /** Whether the log has a line for each request to the API. */
    isRequestLogOn: set.VARVE_REQUEST_LOG ?? true,
    logLevel: set.VARVE_LOG_LEVEL,
    /** An existing server; null to start the embedded one. */
    temporalAddress: set.TEMPORAL_ADDRESS ?? null,
    temporalNamespace: set.TEMPORAL_NAMESPACE,
    /** How the connection to that server is protected; null for unprotected. Never printed. */
    temporalSecurity: temporalSecurityOf(environment),
    /** Null if the other settings decide what embeds. */
    embedder: set.VARVE_EMBEDDER ?? null,
    /** The model that embeds on this machine, if that is requested. */
    localModel,
    /** Settings of store, embedder and models; contains secrets and is never printed. */
    settings: Object.freeze(settingsOf(set, localModel)),
    environment,
  });
}

/**
 * Returns what a setting takes, for those whose schema does not say it; only numbers and words of
 * a list are shown, since any other value may be secret.
 */
function expectedOf(
  issue: z.core.$ZodRawIssue,
  read: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const found = `, found ${JSON.stringify(read[String(issue.path?.[0])] ?? '')}`;
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return 'expected at least 1 character';
      return `expected a number of at least ${String(issue.minimum)}${found}`;
    case 'too_big':
      if (issue.origin === 'string') return `expected at most ${String(issue.maximum)} characters`;
      return `expected a number of at most ${String(issue.maximum)}${found}`;
    case 'invalid_type':
      return `expected a ${issue.expected === 'int' ? 'whole ' : ''}number${found}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}${found}`;
    default:
      return undefined;
  }
}

/** The same for the library: reads the caller's variables, or those of the process. */
export function readLibraryConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  return readConfig(environment, {});
}

/** Whether npm, npx or another package manager started this process. */
export function isStartedByPackageManager(): boolean {
  return process.env['npm_execpath'] !== undefined;
}

/** The names that Temporal's own clients use; those clients define their meaning. */
const TEMPORAL_SECURITY = /^TEMPORAL_(?:API_KEY|TLS|TLS_[A-Z_]+|GRPC_META_[A-Z_]+)$/u;

/** Also null without an address: the embedded server is on this machine and needs no protection. */
function temporalSecurityOf(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | null {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    TEMPORAL_SECURITY.test(name) && value ? [[name, value] as const] : [],
  );
  const isOurs = environment['TEMPORAL_ADDRESS'] === undefined || values.length === 0;
  return isOurs ? null : Object.fromEntries(values);
}

function settingsOf(set: Environment, localModel: LocalModelSettings): PartsSettings {
  const { MONGODB_URI: uri, VARVE_MONGODB_DATABASE: database } = set;
  const { VARVE_EMBEDDER: embedder, VARVE_ERASURE_LEDGER: ledger } = set;
  const embedding = embedder === 'lexical' ? null : embeddingOf(set);
  if (embedder === 'endpoint' && embedding === null) throw partOfEndpoint();
  const models = modelsOf(set);
  return {
    ...(uri === undefined ? {} : { mongodb: { uri, database } }),
    ...(embedding === null ? {} : { embedding }),
    ...(embedder === 'local' ? { local: localModel } : {}),
    ...(models === null ? {} : { models }),
    metricsOpen: set.VARVE_METRICS_OPEN ?? false,
    declaredOnly: set.VARVE_DECLARED_ONLY ?? false,
    ...callLimitsOf(set),
    ...policyDefaultsOf(set),
    ...(ledger === undefined ? {} : { erasureLedger: path.resolve(ledger) }),
    ...(set.VARVE_AUDIT_DAYS === undefined ? {} : { auditDays: set.VARVE_AUDIT_DAYS }),
  };
}

/** @throws VarveError INVALID_INPUT if only one of the two is set */
function tlsOf({ VARVE_TLS_CERT: cert, VARVE_TLS_KEY: key }: Environment): TlsFiles | null {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) {
    const message =
      'TLS needs a certificate and its key: set both VARVE_TLS_CERT (--tls-cert) and ' +
      'VARVE_TLS_KEY (--tls-key), or neither for plain HTTP.';
    throw new VarveError('INVALID_INPUT', message);
  }
  return { certFile: path.resolve(cert), keyFile: path.resolve(key) };
}

/** Returns the fields that have a value; null if none has. */
function given<Fields extends object>(fields: {
  [Name in keyof Fields]: Fields[Name] | undefined;
}): Partial<Fields> | null {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Partial<Fields>);
}

/** The names are those of requirement ENG-05. Empty if nothing is set. */
function policyDefaultsOf(set: Environment): Pick<PartsSettings, 'policyDefaults'> {
  const policyDefaults = given<NonNullable<PartsSettings['policyDefaults']>>({
    maxTokens: set.MEMORY_CONTEXT_MAX_TOKENS,
    hotTurnsLimit: set.MEMORY_HOT_TURNS_LIMIT,
    relatedEntitiesLimit: set.MEMORY_RELATED_ENTITIES_LIMIT,
    transcriptRetentionDays: set.TRANSCRIPT_RETENTION_DAYS,
  });
  return policyDefaults === null ? {} : { policyDefaults };
}

/** Empty if nothing is set: the defaults of the server apply then. */
function callLimitsOf(set: Environment): Pick<PartsSettings, 'callLimits'> {
  const key = given<CallLimits>({
    perSecond: set.VARVE_KEY_CALLS_PER_SECOND,
    atOnce: set.VARVE_KEY_CALLS_AT_ONCE,
    subscriptions: set.VARVE_KEY_SUBSCRIPTIONS,
  });
  const tenant = given<CallLimits>({
    perSecond: set.VARVE_TENANT_CALLS_PER_SECOND,
    atOnce: set.VARVE_TENANT_CALLS_AT_ONCE,
    subscriptions: set.VARVE_TENANT_SUBSCRIPTIONS,
  });
  if (key === null && tenant === null) return {};
  return {
    callLimits: {
      key: { ...CALL_LIMIT_DEFAULTS.key, ...key },
      tenant: { ...CALL_LIMIT_DEFAULTS.tenant, ...tenant },
    },
  };
}

/** @throws VarveError INVALID_INPUT if only a part is set: a guess could be the wrong model */
function embeddingOf(set: Environment): EmbeddingSettings | null {
  const {
    VARVE_EMBEDDING_URL: url,
    VARVE_EMBEDDING_MODEL: model,
    VARVE_EMBEDDING_DIMENSIONS: dimensions,
  } = set;
  if (url === undefined && model === undefined && dimensions === undefined) return null;
  if (url === undefined || model === undefined || dimensions === undefined) {
    throw partOfEndpoint();
  }
  return {
    url,
    model,
    dimensions,
    dimensionsSent: set.VARVE_EMBEDDING_SEND_DIMENSIONS ?? takesDimensions(model),
    apiKey: set.VARVE_EMBEDDING_API_KEY,
    queryPrefix: set.VARVE_EMBEDDING_QUERY_PREFIX,
    passagePrefix: set.VARVE_EMBEDDING_PASSAGE_PREFIX,
    textsMax: set.VARVE_EMBEDDING_TEXTS_MAX,
    timeoutMs: set.VARVE_EMBEDDING_TIMEOUT_MS,
    searchWaitMs: set.VARVE_EMBEDDING_SEARCH_WAIT_MS,
    dollarsPerMillionTokens: set.VARVE_EMBEDDING_PRICE,
  };
}

function partOfEndpoint(): VarveError {
  return new VarveError(
    'INVALID_INPUT',
    'An embedding endpoint needs VARVE_EMBEDDING_URL, VARVE_EMBEDDING_MODEL and ' +
      'VARVE_EMBEDDING_DIMENSIONS together. Set all three, or none for the built-in embedder.',
  );
}

/** Returns how to call this command again: through npx if npx ran it. */
export function commandName(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['npm_command'] === 'exec' ? 'npx varve' : 'varve';
}
