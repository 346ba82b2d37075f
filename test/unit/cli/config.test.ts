import { describe, expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';
import { loadEmbedders } from '#cli/load-embedders.ts';
import { createLog } from '#providers/node/log.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { thrownBy } from '#test/unit/failures.ts';

const ENDPOINT = {
  VARVE_EMBEDDING_URL: 'http://127.0.0.1:9/v1',
  VARVE_EMBEDDING_MODEL: 'a-model',
  VARVE_EMBEDDING_DIMENSIONS: '384',
};
const SECRET = 'a-very-secret-word';

const settingsOf = (environment: Readonly<Record<string, string>>) =>
  readConfig(environment, {}).settings;

const refusal = (environment: Readonly<Record<string, string>>) =>
  thrownBy(() => readConfig(environment, {}));

describe('settings', () => {
  test('CONF-01: without any, Varve uses SQLite and the built-in embedder', () => {
    const unset = { metricsOpen: false, declaredOnly: false };
    expect(settingsOf({})).toEqual(unset);
    expect(settingsOf({ MONGODB_URI: '', VARVE_EMBEDDING_URL: '' })).toEqual(unset);
  });

  test('setting one call limit leaves the others at their defaults', () => {
    const { callLimits } = settingsOf({ VARVE_KEY_CALLS_PER_SECOND: '7' });
    expect(callLimits).toEqual({
      key: { perSecond: 7, atOnce: 32, subscriptions: 8 },
      tenant: { perSecond: 200, atOnce: 128, subscriptions: 64 },
    });
    expect(settingsOf({ VARVE_AUDIT_DAYS: '0' })).toMatchObject({ auditDays: 0 });
    expect(refusal({ VARVE_KEY_CALLS_AT_ONCE: '0' }).message).toContain('VARVE_KEY_CALLS_AT_ONCE');
  });

  test('ENG-05: four variables set what tenants without a policy get', () => {
    const set = {
      ...{ MEMORY_CONTEXT_MAX_TOKENS: '2000', MEMORY_HOT_TURNS_LIMIT: '0' },
      ...{ MEMORY_RELATED_ENTITIES_LIMIT: '', TRANSCRIPT_RETENTION_DAYS: '7' },
    };
    const policyDefaults = { maxTokens: 2_000, hotTurnsLimit: 0, transcriptRetentionDays: 7 };
    expect(settingsOf(set).policyDefaults).toEqual(policyDefaults);
    const wrong = { MEMORY_HOT_TURNS_LIMIT: '101', TRANSCRIPT_RETENTION_DAYS: 'a week' };
    const { message } = refusal(wrong);
    expect(message).toContain('MEMORY_HOT_TURNS_LIMIT: expected a number of at most 100');
    expect(message).toContain('TRANSCRIPT_RETENTION_DAYS: expected');
  });

  test('CONF-01: a MongoDB address selects MongoDB', () => {
    const uri = `mongodb://ann:${SECRET}@db.example/?replicaSet=rs0`;
    expect(settingsOf({ MONGODB_URI: uri }).mongodb).toEqual({ uri, database: 'varve' });
    const named = settingsOf({ MONGODB_URI: uri, VARVE_MONGODB_DATABASE: 'acme' });
    expect(named.mongodb?.database).toBe('acme');
  });

  test('CONF-01: an embedding endpoint is read with all that shapes its vectors', () => {
    const { embedding } = settingsOf({
      ...ENDPOINT,
      VARVE_EMBEDDING_API_KEY: SECRET,
      VARVE_EMBEDDING_QUERY_PREFIX: 'query: ',
      VARVE_EMBEDDING_PASSAGE_PREFIX: 'passage: ',
      VARVE_EMBEDDING_PRICE: '0.02',
      VARVE_EMBEDDING_TIMEOUT_MS: '5000',
      VARVE_EMBEDDING_SEARCH_WAIT_MS: '250',
    });
    expect(embedding).toEqual({
      url: 'http://127.0.0.1:9/v1',
      model: 'a-model',
      dimensions: 384,
      dimensionsSent: false,
      apiKey: SECRET,
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      textsMax: undefined,
      timeoutMs: 5_000,
      searchWaitMs: 250,
      dollarsPerMillionTokens: 0.02,
    });
  });

  test.each([
    ['text-embedding-3-small', undefined, true],
    ['a-model', undefined, false],
    ['a-model', 'true', true],
    ['text-embedding-3-small', 'false', false],
  ])('CONF-01: for model %s with %s, sending dimensions is %s', (model, sent, expected) => {
    const { embedding } = settingsOf({
      ...ENDPOINT,
      VARVE_EMBEDDING_MODEL: model,
      ...(sent === undefined ? {} : { VARVE_EMBEDDING_SEND_DIMENSIONS: sent }),
    });
    expect(embedding?.dimensionsSent).toBe(expected);
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ MONGODB_URI: `postgres://ann:${SECRET}@db` }, /MONGODB_URI/],
    [{ VARVE_MONGODB_DATABASE: 'a b' }, /VARVE_MONGODB_DATABASE/],
    [{ ...ENDPOINT, VARVE_EMBEDDING_URL: `ftp://ann:${SECRET}@x` }, /VARVE_EMBEDDING_URL/],
    [{ ...ENDPOINT, VARVE_EMBEDDING_DIMENSIONS: '0' }, /VARVE_EMBEDDING_DIMENSIONS/],
    [{ ...ENDPOINT, VARVE_EMBEDDING_DIMENSIONS: '1.5' }, /VARVE_EMBEDDING_DIMENSIONS/],
    [{ ...ENDPOINT, VARVE_EMBEDDING_PRICE: '-1' }, /VARVE_EMBEDDING_PRICE/],
    [{ VARVE_EMBEDDING_URL: 'http://127.0.0.1:9/v1' }, /together/],
    [{ VARVE_EMBEDDING_MODEL: 'a-model', VARVE_EMBEDDING_DIMENSIONS: '3' }, /together/],
    [{ VARVE_METRICS_OPEN: 'perhaps' }, /VARVE_METRICS_OPEN/],
  ])('CONF-01: %j is refused by name, without its value', (environment, name) => {
    const error = refusal(environment);
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(name);
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
  });

  test('CONF-01: the built-in embedder stays beside an endpoint, for its earlier vectors', async () => {
    const platform = createPlatform();
    const plain = await loadEmbedders({}, { platform });
    const settings = settingsOf({ ...ENDPOINT, VARVE_EMBEDDING_PRICE: '0.02' });
    const { configured, ofGeneration } = await loadEmbedders(settings, { platform });
    expect(configured).toMatchObject({
      generation: 'a-model-384',
      quality: 'semantic',
      microDollarsPerMillionTokens: 20_000,
    });
    const lexical = plain.configured.generation;
    expect(ofGeneration(lexical)?.generation).toBe(lexical);
    expect(ofGeneration('a-model-384')).toBe(configured);
    expect(ofGeneration('another')).toBeNull();
  });
});

test('the default log level includes info lines', () => {
  const lines: string[] = [];
  const { logLevel: level } = readConfig({}, {});
  const log = createLog({ level, destination: { write: (line) => lines.push(line) } });
  log.debug({}, 'watch ended; reopening');
  log.info({ layer: 'user', reason: 'SourceChanged' }, 'stale summary served');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'info', layer: 'user', msg: 'stale summary served' }),
  ]);
});

describe('the configured embedder', () => {
  test.each([
    [{}, ['lexical-384-1']],
    [ENDPOINT, ['a-model-384', 'lexical-384-1']],
    [{ ...ENDPOINT, VARVE_EMBEDDER: 'lexical' }, ['lexical-384-1']],
  ])('embeds, and other generations stay available: %o', async (environment, [first, beside]) => {
    const platform = createPlatform();
    await using loaded = await loadEmbedders(settingsOf(environment), { platform });
    expect(loaded.configured.generation).toBe(first);
    expect(loaded.ofGeneration(beside ?? 'lexical-384-1')).not.toBeNull();
    expect(loaded.ofGeneration('a-model-384') === null).toBe(first === 'lexical-384-1');
  });

  test('may be a local model from variables, stored in the cache, beside an endpoint', () => {
    const local = {
      VARVE_LOCAL_MODEL: 'someone/model',
      VARVE_LOCAL_QUERY_PREFIX: '',
      VARVE_CACHE_DIR: '/cache',
    };
    const option = readConfig({ ...ENDPOINT, ...local }, { embedder: 'local' }).settings;
    expect(option).toMatchObject({
      embedding: { model: 'a-model' },
      local: { model: 'someone/model', url: 'https://huggingface.co', queryPrefix: '' },
    });
    expect(option.local?.cacheDir).toMatch(/cache$/u);
    expect(settingsOf(local).local).toBeUndefined();
    expect(settingsOf({ VARVE_EMBEDDER: 'local' }).local?.model).toBe(
      'Xenova/multilingual-e5-small',
    );
  });

  test('is refused if it is unknown or an endpoint without an address', () => {
    const none = thrownBy(() => readConfig({}, { embedder: 'magic' }));
    expect([none.code, none.message]).toEqual([
      'INVALID_INPUT',
      expect.stringContaining('--embedder') as string,
    ]);
    const bare = thrownBy(() => settingsOf({ VARVE_EMBEDDER: 'endpoint' }));
    expect([bare.code, bare.message]).toEqual([
      'INVALID_INPUT',
      expect.stringContaining('VARVE_EMBEDDING_URL') as string,
    ]);
  });
});

describe('settings of parts that run on their own', () => {
  test.each<[variable: string, value: string, said: string]>([
    ['VARVE_KUBERNETES_REQUESTS', '0', 'expected a number of at least 1, found "0"'],
    ['VARVE_KUBERNETES_REQUESTS', '99999', 'expected a number of at most 1000, found "99999"'],
    ['VARVE_KUBERNETES_REQUESTS', 'fast', 'expected a number, found "fast"'],
    ['VARVE_KUBERNETES_REQUESTS', '1.5', 'expected a whole number, found "1.5"'],
    ['VARVE_GRACE_SECONDS', '5', 'expected a number of at least 12, found "5"'],
    ['VARVE_LOG_LEVEL', 'loud', 'expected one of debug, info, warn, error, found "loud"'],
    ['VARVE_METRICS_OPEN', '1', 'expected one of true, false, found "1"'],
    ['VARVE_HOST', '', 'expected at least 1 character'],
    ['VARVE_DATA_DIR', ' ', 'expected a folder'],
  ])('%s=%s is refused with what is expected', (variable, value, said) => {
    const { message } = thrownBy(() => readConfig({ [variable]: value }, {}));
    expect(message).toBe(`A setting is wrong. ${variable}: ${said}.`);
  });

  test('a refused token is not shown', () => {
    const { message } = thrownBy(() => readConfig({ VARVE_API_TOKEN: 'secret' }, {}));
    expect(message).not.toContain('"secret"');
  });

  test('CONF-01: without any, no port is open to other machines', () => {
    expect(readConfig({}, {})).toMatchObject({
      host: '127.0.0.1',
      apiToken: null,
      probePort: null,
      workflowBundle: null,
    });
  });

  test('a line break after the token is not part of it', () => {
    const { apiToken } = readConfig({ VARVE_API_TOKEN: 'a-token-of-sixteen-letters\n' }, {});
    expect(apiToken).toBe('a-token-of-sixteen-letters');
  });

  test('CONF-01: an option overrides its variable', () => {
    const set = { VARVE_HOST: '0.0.0.0', VARVE_PROBE_PORT: '8081' };
    expect(readConfig(set, {})).toMatchObject({ host: '0.0.0.0', probePort: 8081 });
    expect(readConfig(set, { host: '10.0.0.1' })).toMatchObject({ host: '10.0.0.1' });
  });

  test.each([
    [{ VARVE_API_TOKEN: 'a-token-over\ntwo-lines' }, 'VARVE_API_TOKEN: a token has no space'],
    [{ VARVE_API_TOKEN: 'short' }, 'VARVE_API_TOKEN: a token has at least 16 characters'],
    [{ VARVE_PROBE_PORT: '70000' }, 'VARVE_PROBE_PORT: a port is a whole number'],
    [{ VARVE_HOST: '' }, 'VARVE_HOST'],
    [{ VARVE_SERVICE_ACCOUNT_AUDIENCE: 'varve' }, 'VARVE_SERVICE_ACCOUNT_TENANTS together'],
    [{ VARVE_SERVICE_ACCOUNT_TENANTS: 'team-a=acme' }, 'expected NAMESPACE=TENANT:ROLE'],
    [{ VARVE_SERVICE_ACCOUNT_TENANTS: 'team-a=acme:king' }, 'expected NAMESPACE=TENANT:ROLE'],
    [
      { VARVE_JWT_ISSUER: 'https://login.example' },
      'VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS together',
    ],
    [{ VARVE_JWT_ROLE_CLAIM: 'roles' }, 'VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS together'],
    [{ VARVE_JWT_ALGORITHMS: 'RS256,HS256' }, 'VARVE_JWT_ALGORITHMS: expected some of RS256'],
    [{ VARVE_JWT_ALGORITHMS: 'none' }, 'VARVE_JWT_ALGORITHMS: expected some of RS256'],
    [
      { VARVE_JWT_JWKS: 'http://login.example/keys' },
      'VARVE_JWT_JWKS: expected a file or an https',
    ],
    [{ VARVE_JWT_IDENTIFIER_CLAIMS: 'userId' }, 'VARVE_JWT_IDENTIFIER_CLAIMS: expected NAME=CLAIM'],
    [
      { VARVE_JWT_IDENTIFIER_CLAIMS: 'user=sub' },
      'VARVE_JWT_IDENTIFIER_CLAIMS: expected NAME=CLAIM',
    ],
    [{ VARVE_TLS_CERT: 'tls.crt' }, 'set both VARVE_TLS_CERT (--tls-cert) and VARVE_TLS_KEY'],
  ])('CONF-01: %j is refused, and the error names it', (environment, said) => {
    expect(() => readConfig(environment, {})).toThrow(said);
  });
});
