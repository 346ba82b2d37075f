import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLibraryConfig } from '#cli/config.ts';
import { planLibrary, type LibraryOptions } from '#cli/library-options.ts';
import { openVarve } from '#cli/open-varve.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { failureOf, thrownBy } from '#test/unit/failures.ts';
import { writeTinyModel } from '#test/unit/onnx/tiny-model.ts';
import { openEndpoint } from '#test/unit/openai/embedding-endpoint.ts';

const ABOUT = { tenant: 'acme', identifiers: { userId: 'dana', projectId: 'checkout' } };
const NO_ENVIRONMENT = { environment: {} };
const TENANT_YAML = `apiVersion: memory.varve.dev/v1alpha1
kind: MemoryTenant
metadata:
  name: acme
spec:
  budget:
    tokens: 4321
`;

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'varve-options-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

/** What the options come to with these variables. */
function planned(options: LibraryOptions, environment: Readonly<Record<string, string>> = {}) {
  return planLibrary(options, readLibraryConfig(environment));
}

test.each([
  [{ dataDir: 'm', polcy: null }, 'polcy: no such option; did you mean policy? Take dataDir'],
  [{ dataDir: 7 }, 'dataDir: expected the path of a folder, found 7'],
  [{ dataDir: ':memory:' }, 'dataDir: expected the path of a folder, such as one of mkdtemp'],
  [{ dataDir: '' }, 'dataDir: expected the path of a folder, found ""'],
  [{ dataDir: ' \t' }, 'dataDir: expected the path of a folder, found " \\t"'],
  [{ dataDir: 'm', embedder: 'locl' }, "embedder: expected one of 'lexical', 'endpoint', 'local'"],
  [{ dataDir: 'm', principal: 'foo' }, 'principal: expected an object such as'],
  [{ dataDir: 'm', embedding: 'a-model' }, 'embedding: expected an object such as { model:'],
  [{ dataDir: 'm', embedding: {} }, 'embedding.model: expected the name of a model'],
  [
    { dataDir: 'm', embedding: { model: 'a-model' } },
    'embedding.dimensions: expected the length of its vectors, a whole number from 1 to 8192, ' +
      'found nothing',
  ],
  [
    { dataDir: 'm', embedding: { model: 'a-model', dimension: 4 } },
    'dimension: no such option; did you mean dimensions?',
  ],
  [{ dataDir: 'm', models: 'a-model' }, 'models: expected an object such as { standard:'],
  [{ dataDir: 'm', models: {} }, 'models.standard: expected the name of a model, or { name:'],
  [{ dataDir: 'm', models: { economy: 5, standard: 'a' } }, 'models.economy: expected the name'],
  [{ dataDir: 'm', models: { standrad: 'a' } }, 'standrad: no such option; did you mean standard?'],
  [{ dataDir: 'm', models: { standard: 'a', url: 5 } }, 'models.url: expected a text, or none'],
  [{ dataDir: 'm', models: { standard: { name: 7 } } }, 'models.standard.name: expected the name'],
  [
    { dataDir: 'm', models: { standard: { name: 'a', contextTokens: '8k' } } },
    'models.standard.contextTokens: expected a number from 0, found "8k"',
  ],
  [{ dataDir: 'm', temporal: {} }, 'temporal.address: expected the host and port of a server'],
  [{ dataDir: 'm', temporal: { address: 5 } }, 'temporal.address: expected the host and port'],
  [{ dataDir: 'm', temporal: { adress: 'a' } }, 'adress: no such option; did you mean address?'],
  [
    { dataDir: 'm', temporal: { address: 'a', namespace: 5 } },
    'temporal.namespace: expected a text, or none, found 5',
  ],
  [
    { dataDir: 'm', temporal: { address: 'a', security: 'a-key' } },
    'temporal.security: expected an object of variables such as TEMPORAL_API_KEY, found "string"',
  ],
  [{ dataDir: 'm', temporal: 'localhost:7233' }, 'temporal: expected an object such as'],
  [{ dataDir: 'm', environment: null }, 'environment: expected an object such as process.env'],
  [{ dataDir: 'm', policy: 5 }, "policy: expected { tenant: 'acme' }, a list of such, a path"],
  [{ dataDir: 'm', policy: ' ' }, "policy: expected { tenant: 'acme' }, a list of such, a path"],
  [{ dataDir: 'm', policy: [null] }, "policy: expected { tenant: 'acme' }, a list of such"],
  [{ dataDir: 'm', policy: ['acme'] }, "policy: expected { tenant: 'acme' }, a list of such"],
  [
    { dataDir: 'm', policy: [{}, undefined] },
    "policy: expected { tenant: 'acme' }, a list of such",
  ],
  ...(
    [
      [{ queryPrefix: 5 }, 'embedding.queryPrefix: expected a text, or none, found 5'],
      [{ passagePrefix: [] }, 'embedding.passagePrefix: expected a text, or none, found []'],
      [{ url: 7 }, 'embedding.url: expected a text, or none, found 7'],
      [{ apiKey: 7 }, 'embedding.apiKey: expected a text, or none, found "number"'],
      [{ dimensionsSent: 'no' }, 'embedding.dimensionsSent: expected true or false, found "no"'],
      [{ textsMax: 0 }, 'embedding.textsMax: expected a whole number from 1, found 0'],
      [
        { dollarsPerMillionTokens: '2' },
        'embedding.dollarsPerMillionTokens: expected a number from 0, found "2"',
      ],
    ] as const
  ).map(([given, message]): [object, string] => [
    { dataDir: 'm', embedding: { model: 'a-model', dimensions: 4, ...given } },
    message,
  ]),
  [{ dataDir: 'm', embedder: { model: 5 } }, 'embedder.model: expected a folder, or the name of'],
  [
    { dataDir: 'm', embedder: { model: 'a/b', queryPrefix: 5 } },
    'embedder.queryPrefix: expected a text, or none, found 5',
  ],
  [{ dataDir: 'm', embedder: { modle: 'a/b' } }, 'modle: no such option; did you mean model?'],
  [
    { dataDir: 'm', settings: { metricsOpen: 'yes' } },
    'settings.metricsOpen: expected true or false, found "yes"',
  ],
  [{ dataDir: 'm', settings: { auditDays: -1 } }, 'settings.auditDays: expected a number from 0'],
  [{ dataDir: 'm', settings: { auditDay: 1 } }, 'auditDay: no such option; did you mean auditDays'],
  [
    { dataDir: 'm', settings: { mongodb: { uri: 5, database: 'v' } } },
    'settings.mongodb.uri: expected the address of a server, found "number"',
  ],
  [
    { dataDir: 'm', settings: { embedding: { url: 'http://e', model: 'm', dimensions: '4' } } },
    'settings.embedding.dimensions: expected the length of its vectors',
  ],
  [
    { dataDir: 'm', settings: { models: { url: 'http://m', standard: 5 } } },
    'settings.models.standard: expected the name of a model',
  ],
  [
    { dataDir: 'm', principal: { name: 5, tenants: 'all', bound: {} } },
    'principal.name: expected a text, found 5',
  ],
  [
    { dataDir: 'm', principal: { name: 'a', tenants: [5], bound: {} } },
    "principal.tenants: expected a list of texts, or 'all', found [5]",
  ],
  [
    { dataDir: 'm', principal: { name: 'a', tenants: 'all', bound: { userId: 5 } } },
    'principal.bound.userId: expected a text, found 5',
  ],
  [
    { dataDir: 'm', principal: { name: 'a', tenants: 'all', bound: {}, role: 'root' } },
    "principal.role: expected one of 'read', ",
  ],
  [{ dataDir: 'm', log: () => undefined }, 'log: expected an object with the methods debug'],
  [{ dataDir: 'm', log: { info: () => undefined } }, 'log: expected an object with the methods'],
  [null, 'options: expected an object'],
  ['memory', 'options: expected an object'],
  [{ dataDir: 'package.json' }, 'dataDir: expected the path of a folder, found "package.json"'],
  [{ dataDir: 'm', policy: 'nope.yaml' }, 'There is no policy at nope.yaml'],
])('the library refuses the options %j of a JavaScript caller', async (options, said) => {
  // @ts-expect-error: what the compiler refuses in TypeScript.
  const failure = await failureOf(openVarve(options));
  expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
  expect(failure.message).toContain(said);
});

test('a closed library refuses calls and says why, and may be closed twice', async () => {
  const varve = await openVarve({ dataDir, ...NO_ENVIRONMENT });
  await varve.memory.add({ ...ABOUT, layer: 'user', content: 'Dana likes tea.' });
  await varve.close();
  await varve.close();
  await varve[Symbol.asyncDispose]();
  const failure = await failureOf(varve.memory.search({ ...ABOUT, query: 'tea' }));
  expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
  expect(failure.message).toContain('This Varve was closed');
});

describe('the policy of the library', () => {
  test('given as an object sets budget, limits, hierarchy and depths of its tenant', async () => {
    const policy = {
      tenant: 'acme',
      budget: { tokens: 1_234 },
      context: { maxTokens: 400 },
      hierarchy: { projects: [{ id: 'checkout', team: 'payments' }] },
      layers: { project: { depths: ['sentence' as const], updateOnChanges: 5 } },
    };
    await using varve = await openVarve({ dataDir, policy, ...NO_ENVIRONMENT });
    expect(await varve.budget.get({ tenant: 'acme' })).toMatchObject({ tokens: { limit: 1_234 } });
    await varve.memory.add({ ...ABOUT, layer: 'project', content: 'Launch is on December 1.' });
    await varve.memory.add({ ...ABOUT, layer: 'team', content: 'Payments owns the checkout.' });
    await varve.refresh({ tenant: 'acme' });
    const context = await varve.context.assemble({ ...ABOUT, query: 'When is the launch?' });
    expect(context.limit).toBe(400);
    const about = { tenant: 'acme', layer: 'project' as const, identifiers: ABOUT.identifiers };
    expect(await varve.summary.get({ ...about, depth: 'sentence' })).toMatchObject({
      text: 'Launch is on December 1.',
    });
    expect(await varve.summary.get({ ...about, depth: 'detailed' })).toBeNull();
    const teams = { tenant: 'acme', identifiers: { teamId: 'payments' } };
    expect((await varve.memory.list({ ...teams, layers: ['team'] })).memories).toHaveLength(1);
  });

  test.each(['tenant.yaml', '.'])('is read from the YAML of %s', async (place) => {
    const folder = path.join(dataDir, 'declared');
    await mkdir(folder);
    await writeFile(path.join(folder, 'tenant.yaml'), TENANT_YAML);
    const policy = path.join(folder, place);
    await using varve = await openVarve({ dataDir, policy, ...NO_ENVIRONMENT });
    expect(await varve.budget.get({ tenant: 'acme' })).toMatchObject({ tokens: { limit: 4_321 } });
  });

  test('is read from the policies folder in the data folder unless it is null', async () => {
    await mkdir(path.join(dataDir, 'policies'));
    await writeFile(path.join(dataDir, 'policies', 'tenant.yaml'), TENANT_YAML);
    {
      await using varve = await openVarve({ dataDir, policy: null, ...NO_ENVIRONMENT });
      expect(await varve.budget.get({ tenant: 'acme' })).toMatchObject({ tokens: { limit: null } });
    }
    await using varve = await openVarve({ dataDir, ...NO_ENVIRONMENT });
    expect(await varve.budget.get({ tenant: 'acme' })).toMatchObject({ tokens: { limit: 4_321 } });
  });

  test('is refused with the field of a mistake, and nothing is applied', async () => {
    const policy = { tenant: 'acme', budget: { tokens: -1 } };
    const failure = await failureOf(openVarve({ dataDir, policy, ...NO_ENVIRONMENT }));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(String(failure)).toContain('spec.budget.tokens');
    const missing = { dataDir, policy: path.join(dataDir, 'none.yaml'), ...NO_ENVIRONMENT };
    expect(await failureOf(openVarve(missing))).toMatchObject({ code: 'INVALID_INPUT' });
    const fresh = path.join(dataDir, 'fresh');
    await failureOf(openVarve({ dataDir: fresh, policy, ...NO_ENVIRONMENT }));
    expect(existsSync(fresh)).toBe(false);
  });

  test('needs model prices for a budget in dollars', async () => {
    const policy = { tenant: 'acme', budget: { dollars: '5.00' } };
    const models = { url: 'http://127.0.0.1:9/v1', standard: 'a-model' };
    const failure = await failureOf(openVarve({ dataDir, policy, models, ...NO_ENVIRONMENT }));
    expect(failure).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('models.standard.inputDollarsPerMillion') as string,
    });
  });
});

describe('models and embedder of the library', () => {
  test('a model given by name uses OpenAI, the key from the environment, and default numbers', () => {
    const { settings } = planned({ models: { standard: 'a-model' } }, { OPENAI_API_KEY: 'sk-1' });
    const model = {
      name: 'a-model',
      inputDollarsPerMillion: 0,
      outputDollarsPerMillion: 0,
      contextTokens: 128_000,
      outputTokensMax: 16_384,
      thinkingTokens: 0,
    };
    expect(settings.models).toEqual({
      url: 'https://api.openai.com/v1',
      apiKey: 'sk-1',
      standard: model,
      economy: model,
    });
  });

  test('the OpenAI key is not sent to another endpoint', () => {
    const url = 'https://models.example/v1';
    const embedding = { url, model: 'e', dimensions: 8 };
    const options = { models: { url, standard: 'a-model' }, embedding };
    const { settings } = planned(options, { OPENAI_API_KEY: 'sk-1' });
    expect(settings.models?.apiKey).toBeUndefined();
    expect(settings.embedding?.apiKey).toBeUndefined();
  });

  test.each([
    ['models', { models: { standard: 'a-model' } }, {}],
    ['models', { models: { standard: 'a-model' } }, { OPENAI_API_KEY: '' }],
    ['models', { models: { apiKey: '', standard: 'a-model' } }, {}],
    ['embedding', { embedding: { model: 'e', dimensions: 8 } }, {}],
  ])('%s of OpenAI without a key are refused: %j, %j', (option, options, environment) => {
    expect(thrownBy(() => planned(options, environment))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`${option}.apiKey or OPENAI_API_KEY`) as string,
    });
  });

  test('numbers that leave no room are refused, and the error names the option', () => {
    const models = { apiKey: 'sk-1', standard: { name: 'a-model', contextTokens: 8_000 } };
    expect(thrownBy(() => planned({ models }))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('models.standard.contextTokens') as string,
    });
  });

  test('a refresh reports the failure if the endpoint refuses the key', async () => {
    await using server = await startModelServer({ keys: new Set(['sk-right']) });
    const models = { url: server.baseUrl, apiKey: 'sk-wrong', standard: 'a-model' };
    await using varve = await openVarve({ dataDir, models, ...NO_ENVIRONMENT });
    await varve.memory.add({ ...ABOUT, layer: 'project', content: 'Launch is on December 1.' });
    const report = await varve.refresh({ tenant: 'acme' });
    expect(report).toMatchObject({ generated: 0 });
    expect(report.failures).toEqual([
      {
        code: 'UNAUTHENTICATED',
        batches: 1,
        message: expect.stringContaining('the option models.apiKey') as string,
      },
    ]);
    const message = expect.stringMatching(/^1 scope waits until 20/u) as string;
    const later = await varve.refresh({ tenant: 'acme' });
    expect(later.failures).toEqual([{ code: 'UNAUTHENTICATED', batches: 0, message }]);
  });

  test.each([
    ['a cut answer', { kind: 'CutStream' }, 1],
    ['a failure of the server', { kind: 'Refuse', status: 500 }, 0],
  ] as const)('a refresh counts what %s was charged', async (why, behavior, calls) => {
    await using server = await startModelServer();
    server.script.push(behavior);
    const standard = { name: 'a-model', inputDollarsPerMillion: 1, outputDollarsPerMillion: 1 };
    const models = { url: server.baseUrl, standard };
    await using varve = await openVarve({ dataDir, models, ...NO_ENVIRONMENT });
    const tenant = `charged-${String(calls)}`;
    const of = { tenant, layer: 'project', identifiers: { projectId: 'a' } } as const;
    await varve.memory.add({ ...of, content: `Launch is after ${why}.` });
    const report = await varve.refresh({ tenant });
    expect(report).toMatchObject({ modelCalls: calls, failures: [{ code: 'PROVIDER_ERROR' }] });
    const { tokens } = await varve.budget.get({ tenant });
    expect(report.inputTokens + report.outputTokens).toBe(tokens.spent);
    expect(tokens.spent > 0).toBe(calls > 0);
  });

  test('a refresh reports a model answer that it cannot use', async () => {
    await using server = await startModelServer();
    server.script.push({ kind: 'Answer', fault: 'PlainProse' });
    const models = { url: server.baseUrl, standard: 'a-model' };
    await using varve = await openVarve({ dataDir, models, ...NO_ENVIRONMENT });
    const of = { tenant: 'prose', layer: 'project', identifiers: { projectId: 'a' } } as const;
    await varve.memory.add({ ...of, content: 'Launch is on December 1.' });
    const { refused, failures } = await varve.refresh({ tenant: 'prose' });
    expect(refused).toBe(1);
    expect(failures).toMatchObject([{ code: 'MODEL_OUTPUT_INVALID', batches: 0 }]);
  });

  test('a budget of 3,000 tokens is enough for a summary at all depths', async () => {
    await using server = await startModelServer();
    const models = { url: server.baseUrl, standard: 'a-model' };
    const policy = { tenant: 'acme', budget: { tokens: 3_000 } };
    await using varve = await openVarve({ dataDir, models, policy, ...NO_ENVIRONMENT });
    await varve.memory.add({ ...ABOUT, layer: 'project', content: 'Launch is on December 1.' });
    expect(await varve.refresh({ tenant: 'acme' })).toMatchObject({ generated: 1, modelCalls: 1 });
  });
});

describe('the environment of the library', () => {
  test('the variables of the commands are read, and options override them', () => {
    const environment = {
      VARVE_DATA_DIR: '/data/varve',
      VARVE_EMBEDDING_URL: 'https://vectors.example/v1',
      VARVE_EMBEDDING_MODEL: 'e',
      VARVE_EMBEDDING_DIMENSIONS: '8',
      VARVE_MODEL_STANDARD: 'of-the-environment',
      VARVE_MODEL_STANDARD_INPUT_PRICE: '1',
      VARVE_MODEL_STANDARD_OUTPUT_PRICE: '2',
      OPENAI_API_KEY: 'sk-1',
    };
    expect(planned({}, environment)).toMatchObject({
      dataDir: '/data/varve',
      settings: { embedding: { model: 'e' }, models: { standard: { name: 'of-the-environment' } } },
    });
    const options = { dataDir: 'memory', models: { standard: 'of-the-caller' } };
    expect(planned(options, environment)).toMatchObject({
      dataDir: 'memory',
      settings: { models: { standard: { name: 'of-the-caller' } } },
    });
  });

  test('MONGODB_URI applies only if no folder is named', () => {
    const environment = { MONGODB_URI: 'mongodb://127.0.0.1:27017' };
    expect(planned({}, environment).settings.mongodb).toMatchObject({ database: 'varve' });
    expect(planned({ dataDir: 'memory' }, environment).settings.mongodb).toBeUndefined();
  });

  test('a wrong variable is refused by name before any file is created', async () => {
    const place = path.join(dataDir, 'memory');
    const environment = { VARVE_EMBEDDING_URL: 'https://vectors.example/v1' };
    const failure = await failureOf(openVarve({ dataDir: place, environment }));
    expect(String(failure)).toContain('VARVE_EMBEDDING_MODEL');
    expect(await readdir(dataDir)).toEqual([]);
  });
});

test('ENG-05: a variable sets the limit of contexts of a tenant without a policy', async () => {
  const environment = { MEMORY_CONTEXT_MAX_TOKENS: '90', TRANSCRIPT_RETENTION_DAYS: '7' };
  await using varve = await openVarve({ dataDir, environment });
  const { budget } = await varve.context.assemble({ ...ABOUT, query: 'soup', maxTokens: 500 });
  expect(budget).toMatchObject({ requested: 500, applied: 90 });
});

describe('the embedder of the library', () => {
  test('a local model finds a memory that shares no word with the question', async () => {
    const folder = path.join(dataDir, 'model');
    await writeTinyModel(folder);
    const embedder = { model: folder };
    const options = { dataDir: path.join(dataDir, 'data'), embedder, ...NO_ENVIRONMENT };
    await using varve = await openVarve(options);
    await varve.memory.add({ ...ABOUT, layer: 'user', content: 'automobile' });
    await varve.memory.add({ ...ABOUT, layer: 'user', content: 'soup' });
    const asked = { ...ABOUT, query: 'car', mode: 'semantic' as const, threshold: 0 };
    const { hits, degraded } = await varve.memory.search(asked);
    expect([hits[0]?.text, degraded]).toEqual(['automobile', false]);
  });

  test.each([
    ['semantic', expect.stringContaining('VARVE_EMBEDDER=local') as unknown],
    ['hybrid', null],
    ['keyword', null],
  ] as const)('without a model, a %s search says %s', async (mode, degradedReason) => {
    await using varve = await openVarve({ dataDir, ...NO_ENVIRONMENT });
    await varve.memory.add({ ...ABOUT, layer: 'user', content: 'I like soup.' });
    const answer = await varve.memory.search({ ...ABOUT, query: 'soup', mode });
    expect(answer).toMatchObject({ degraded: degradedReason !== null, degradedReason });
    expect(answer.hits).toHaveLength(1);
  });

  test.each([
    ['timeoutMs', 0],
    ['searchWaitMs', '1s'],
  ])('an embedding option %s of %j is refused', async (name, value) => {
    const embedding = { model: 'e', dimensions: 3, [name]: value };
    const { code, message } = await failureOf(openVarve({ dataDir, embedding }));
    expect(code).toBe('INVALID_INPUT');
    expect(message).toContain(`embedding.${name}: expected milliseconds`);
  });

  test('an endpoint that never answers delays a write only briefly and no search', async () => {
    await using endpoint = await openEndpoint();
    const waits = { timeoutMs: 20, searchWaitMs: 20 };
    const embedding = { url: endpoint.url, model: 'e', dimensions: 3, ...waits };
    const options = { dataDir: path.join(dataDir, 'data'), embedding, ...NO_ENVIRONMENT };
    await using varve = await openVarve(options);
    endpoint.behaviors.push(...Array.from({ length: 100 }, () => () => undefined));
    const written = await varve.memory.add({ ...ABOUT, layer: 'user', content: 'I like soup.' });
    expect(written.embeddingGenerated).toBe(false);
    const { hits, degraded } = await varve.memory.search({ ...ABOUT, query: 'soup', threshold: 0 });
    expect([hits[0]?.text, degraded]).toEqual(['I like soup.', true]);
    const context = await varve.context.assemble({ ...ABOUT, query: 'soup' });
    expect(context.text).toContain('I like soup.');
  });

  test('an option overrides the embedder of the environment', () => {
    const environment = { VARVE_EMBEDDER: 'local', VARVE_LOCAL_MODEL: 'someone/model' };
    const local = { model: 'someone/model' };
    expect(planned({}, environment).settings).toMatchObject({ local });
    expect(planned({ embedder: 'lexical' }, environment).settings.local).toBeUndefined();
    const other = planned({ embedder: { model: './mine' } }, environment).settings.local;
    expect(other).toMatchObject({ model: './mine', url: 'https://huggingface.co' });
    const { VARVE_LOCAL_MODEL } = environment;
    expect(planned({ embedder: 'local' }, { VARVE_LOCAL_MODEL }).settings).toMatchObject({ local });
    const embedding = { apiKey: 'sk-1', model: 'an-endpoint', dimensions: 3 };
    expect(planned({ embedding }, environment).settings.local).toBeUndefined();
    const refused = thrownBy(() => planned({ embedder: 'endpoint' }));
    expect(refused.code).toBe('INVALID_INPUT');
  });

  test('a missing model folder is refused, and no file is created', async () => {
    const embedder = { model: path.join(dataDir, 'nowhere') };
    const refused = await failureOf(openVarve({ dataDir, embedder, ...NO_ENVIRONMENT }));
    expect(refused.code).toBe('NOT_FOUND');
    expect(await readdir(dataDir)).toEqual([]);
  });
});
