/**
 * Good and bad resources, for both of those who judge them: the schemas of crds/ and the API
 * server with the definitions printed from them. The verdict is the same for each.
 */
import { API_VERSION } from '#crds/metadata.ts';

export type Kind = 'MemoryTenant' | 'LayerSummaryPolicy' | 'ModelProvider' | 'DeepDream';

export interface Example {
  readonly kind: Kind;
  /** What it shows, completing "… is accepted" or "… is refused". */
  readonly what: string;
  readonly spec: unknown;
  readonly metadata?: object;
  /** A part of what the API server says; absent for what is accepted. */
  readonly refusal?: RegExp;
}

export function resourceOf({ kind, spec, metadata }: Example): object {
  const named = { name: 'acme', ...metadata };
  return { apiVersion: API_VERSION, kind, metadata: named, ...(spec === null ? {} : { spec }) };
}

const tenant = (what: string, spec: unknown, more: Partial<Example> = {}): Example => ({
  kind: 'MemoryTenant',
  what,
  spec,
  ...more,
});

const layer = (what: string, spec: object, refusal?: RegExp): Example => ({
  kind: 'LayerSummaryPolicy',
  what,
  spec: { tenantRef: { name: 'acme' }, layer: 'team', ...spec },
  ...(refusal === undefined ? {} : { refusal }),
});

const provider = (what: string, spec: object, refusal?: RegExp): Example => ({
  kind: 'ModelProvider',
  what,
  spec: { allowedNamespaces: ['*'], ...spec },
  ...(refusal === undefined ? {} : { refusal }),
});

const dream = (what: string, spec: object, refusal?: RegExp): Example => ({
  kind: 'DeepDream',
  what,
  spec: { tenantRef: { name: 'acme' }, cron: '30 3 * * *', ...spec },
  ...(refusal === undefined ? {} : { refusal }),
});

const MODEL = { name: 'small', classes: ['economy'], inputPrice: '0.25', outputPrice: '2' };
const BASE_URL = 'https://models.example.com/v1';
const openai = (differing: object) => ({
  openai: { baseUrl: BASE_URL, models: [MODEL], ...differing },
});
const model = (differing: object) => openai({ models: [{ ...MODEL, ...differing }] });
const only = (differing: object) => ({ openai: { baseUrl: BASE_URL, ...differing } });
const EMBEDDING = { name: 'e5', dimensions: 384, inputPrice: '0' };
const embedding = (differing: object) => only({ embedding: { ...EMBEDDING, ...differing } });
const at = (baseUrl: string) => openai({ baseUrl });

const LONG = 'a'.repeat(257);
const EMOJI = '😀'.repeat(256);

const TENANTS: readonly Example[] = [
  tenant('a tenant without a spec', null),
  tenant('a tenant with an empty spec', {}),
  tenant('a tenant id of its own', { tenantId: 'acme-1' }),
  tenant('a tenant id in capitals', { tenantId: 'Acme' }, { refusal: /expected an id of 1 to 63/ }),
  tenant('an empty tenant id', { tenantId: '' }, { refusal: /tenantId/ }),
  tenant('a tenant id of 64 characters', { tenantId: 'a'.repeat(64) }, { refusal: /tenantId/ }),
  tenant(
    'a name that is not a valid tenant id',
    {},
    { metadata: { name: 'a.b' }, refusal: /tenantId in/ },
  ),
  tenant('such a name next to a tenant id', { tenantId: 'a-b' }, { metadata: { name: 'a.b' } }),
  tenant('a name in capitals', {}, { metadata: { name: 'Acme' }, refusal: /name/ }),
  tenant(
    'a name with two dots',
    { tenantId: 'a' },
    { metadata: { name: 'a..b' }, refusal: /name/ },
  ),
  tenant('labels', {}, { metadata: { labels: { 'example.com/owner': 'team-a', empty: '' } } }),
  tenant('a label with a space', {}, { metadata: { labels: { a: 'b c' } }, refusal: /labels/ }),
  tenant(
    'a label of two slashes',
    {},
    { metadata: { labels: { 'a/b/c': '' } }, refusal: /labels/ },
  ),
  tenant('an annotation', {}, { metadata: { annotations: { 'memory.varve.dev/paused': 'true' } } }),
  tenant('erasure on deletion', { reclaimPolicy: 'Erase' }),
  tenant('an unknown reclaim policy', { reclaimPolicy: 'Delete' }, { refusal: /reclaimPolicy/ }),
  tenant('a misspelled field', { budgets: {} }, { refusal: /budgets/ }),
  tenant('a misspelled nested field', { budget: { dollar: '1' } }, { refusal: /dollar/ }),
  tenant('a budget in tokens and dollars', { budget: { tokens: 5, dollars: '25.00' } }),
  tenant('a budget of zero tokens', { budget: { tokens: 0 } }),
  tenant('negative tokens', { budget: { tokens: -1 } }, { refusal: /tokens/ }),
  tenant('too many tokens', { budget: { tokens: 1e12 + 1 } }, { refusal: /tokens/ }),
  tenant('half a token', { budget: { tokens: 0.5 } }, { refusal: /tokens/ }),
  tenant('the smallest amount', { budget: { dollars: '0.000001' } }),
  tenant(
    'an amount with seven decimal places',
    { budget: { dollars: '0.0000001' } },
    { refusal: /amount/ },
  ),
  tenant('a negative amount', { budget: { dollars: '-1' } }, { refusal: /amount in dollars/ }),
  tenant('an amount as a number', { budget: { dollars: 25 } }, { refusal: /dollars/ }),
  tenant(
    'an unknown action for an exhausted budget',
    { budget: { onExhausted: 'Stop' } },
    { refusal: /Reject/ },
  ),
  tenant('a budget in a list', { budget: [] }, { refusal: /budget/ }),
  tenant('a duration with all units', { refresh: { batchWindow: '1d2h3m4s5ms' } }),
  tenant('a duration of zero', { refresh: { batchWindow: '0s' } }),
  tenant('the longest duration', { refresh: { batchWindow: '366d' } }),
  tenant(
    'a duration above the maximum',
    { refresh: { batchWindow: '366d1ms' } },
    { refusal: /0s to 366d/ },
  ),
  tenant(
    'a duration above the maximum in hours',
    { refresh: { batchWindow: '8785h' } },
    { refusal: /0s to 366d/ },
  ),
  tenant(
    'a huge duration',
    { refresh: { batchWindow: '9999999d9999999h' } },
    { refusal: /0s to 366d/ },
  ),
  tenant(
    'a duration with units out of order',
    { refresh: { batchWindow: '1m1h' } },
    { refusal: /such as 30s/ },
  ),
  tenant(
    'a duration with a repeated unit',
    { refresh: { batchWindow: '1m1m' } },
    { refusal: /such as 30s/ },
  ),
  tenant('a fraction of an hour', { refresh: { batchWindow: '1.5h' } }, { refusal: /such as 30s/ }),
  tenant('an empty duration', { refresh: { batchWindow: '' } }, { refusal: /batchWindow/ }),
  tenant('a hierarchy', {
    hierarchy: {
      projects: [{ id: 'a', team: 'b' }],
      teams: [{ id: 'b', org: 'c' }],
      orgs: [{ id: 'c', company: 'd' }],
    },
  }),
  tenant(
    'a repeated project',
    {
      hierarchy: {
        projects: [
          { id: 'a', team: 'b' },
          { id: 'a', team: 'c' },
        ],
      },
    },
    { refusal: /Duplicate/ },
  ),
  tenant(
    'a project without a team',
    { hierarchy: { projects: [{ id: 'a' }] } },
    { refusal: /team/ },
  ),
  tenant('an empty name', { hierarchy: { teams: [{ id: '', org: 'a' }] } }, { refusal: /id/ }),
  tenant('a name of 256 emoji', { hierarchy: { teams: [{ id: EMOJI, org: 'a' }] } }),
  tenant(
    'a name of 256 emoji and a letter',
    { hierarchy: { teams: [{ id: `${EMOJI}a`, org: 'a' }] } },
    { refusal: /256/ },
  ),
  tenant(
    'a name above the maximum length',
    { hierarchy: { teams: [{ id: LONG, org: 'a' }] } },
    { refusal: /256/ },
  ),
  tenant('a context of zero tokens', { context: { maxTokens: 0 } }, { refusal: /maxTokens/ }),
  tenant('empty instructions', { context: { instructions: '' } }),
  tenant(
    'instructions above the maximum length',
    { context: { instructions: 'a'.repeat(4_001) } },
    { refusal: /4000/ },
  ),
  tenant('a model that reads sessions', { extraction: { by: 'Model' } }),
  tenant('a model that verifies', { grounding: { verify: 'economy' } }),
  tenant('an unknown verifier', { grounding: { verify: 'cheap' } }, { refusal: /grounding/ }),
  tenant(
    'an unknown reader of sessions',
    { extraction: { by: 'Nobody' } },
    { refusal: /extraction/ },
  ),
  tenant('sessions of two hours', { sessions: { endAfterSilence: '2h' } }),
  tenant(
    'sessions of half a minute',
    { sessions: { endAfterSilence: '30s' } },
    { refusal: /1m to 366d/ },
  ),
  tenant('a day of transcripts', { retention: { transcriptDays: 1 } }),
  tenant('a year of audit', { retention: { auditDays: 365 } }),
  tenant('zero days of audit', { retention: { auditDays: 0 } }, { refusal: /auditDays/ }),
  tenant(
    'zero days of transcripts',
    { retention: { transcriptDays: 0 } },
    { refusal: /transcript/ },
  ),
];

const LAYER_POLICIES: readonly Example[] = [
  layer('a layer policy with nothing but its layer', {}),
  layer('an interval equal to the maximum age', { updateInterval: '3d', maxAge: '72h' }),
  layer(
    'an interval above the maximum age',
    { updateInterval: '3d1s', maxAge: '3d' },
    /at most the maxAge/,
  ),
  layer('an interval above the default maximum age', { updateInterval: '4d' }, /team 1h and 3d/),
  layer('the same interval for a company', { layer: 'company', updateInterval: '7d' }),
  layer('a maximum age below the default interval', { maxAge: '59m' }, /at most the maxAge/),
  layer('the same maximum age for a session', { layer: 'session', maxAge: '59m' }),
  layer('an interval below a second', { updateInterval: '999ms' }, /1s to 366d/),
  layer('a maximum age of one second', { maxAge: '1s', updateInterval: '1s' }),
  layer('an unknown layer', { layer: 'galaxy' }, /layer/),
  layer('no layer', { layer: undefined }, /layer/),
  layer('no tenant', { tenantRef: undefined }, /tenantRef/),
  layer('a tenant in capitals', { tenantRef: { name: 'Acme' } }, /253 characters/),
  layer('a tenant in another namespace', { tenantRef: { name: 'a', namespace: 'b' } }, /namespace/),
  layer('two depths', { depths: ['sentence', 'detailed'] }),
  layer('a repeated depth', { depths: ['sentence', 'sentence'] }, /Duplicate/),
  layer('no depth', { depths: [] }, /depths/),
  layer('an unknown depth', { depths: ['novel'] }, /depths/),
  layer('a threshold of one', { updateOnChanges: 1 }),
  layer('a threshold of zero', { updateOnChanges: 0 }, /updateOnChanges/),
  layer('a text instead of a boolean', { skipIfUnchanged: 'yes' }, /skipIfUnchanged/),
  layer('a batch window', { batchWindow: '10s', personalized: true, modelClass: 'economy' }),
  layer('an unknown model class', { modelClass: 'premium' }, /modelClass/),
];

const PROVIDERS: readonly Example[] = [
  provider('the summarizer without a model', { extractive: {} }),
  provider('an endpoint', openai({})),
  provider('an endpoint with all fields', {
    ...openai({
      secretRef: { name: 'openai', key: 'api-key' },
      rate: { requestsPerMinute: 500 },
    }),
    allowedNamespaces: ['team-a', 'team-b'],
  }),
  provider('neither an endpoint nor the summarizer', {}, /exactly one of openai and extractive/),
  provider(
    'both an endpoint and the summarizer',
    { ...openai({}), extractive: {} },
    /exactly one of openai/,
  ),
  provider(
    'an empty list of namespaces',
    { extractive: {}, allowedNamespaces: [] },
    /allowedNamespaces/,
  ),
  provider('a repeated namespace', { extractive: {}, allowedNamespaces: ['a', 'a'] }, /Duplicate/),
  provider('a namespace pattern', { extractive: {}, allowedNamespaces: ['a-*'] }, /"\*" for all/),
  provider(
    'a missing list of namespaces',
    { extractive: {}, allowedNamespaces: undefined },
    /allowedNamespaces/,
  ),
  provider('an address in the cluster', at('http://vllm.models.svc:8000/v1')),
  provider('an IP address', at('http://10.0.0.255:8000')),
  provider('an invalid IP address', at('http://10.0.0.256'), /http or https address/),
  provider('an invalid port', at('http://vllm:65536'), /http or https address/),
  provider('an unsupported protocol', at('ftp://example.com'), /http or https address/),
  provider('an address with a password', at('https://a:b@example.com'), /without user, password/),
  provider('an address with a query', at('https://example.com/v1?key=a'), /query and fragment/),
  provider('a Secret reference without a name', openai({ secretRef: { key: 'a' } }), /secretRef/),
  provider(
    'a Secret in another namespace',
    openai({
      secretRef: { name: 'a', key: 'b', namespace: 'c' },
    }),
    /namespace/,
  ),
  provider(
    'a path as the key of a Secret',
    openai({ secretRef: { name: 'a', key: '../b' } }),
    /253 characters/,
  ),
  provider('no model', openai({ models: [] }), /models/),
  provider(
    'neither models nor an embedding model',
    only({}),
    /expected models, embedding, or both/,
  ),
  provider('an embedding model alone', only({ embedding: EMBEDDING })),
  provider('an embedding model beside models', openai({ embedding: EMBEDDING })),
  provider(
    'an embedding model with all fields',
    embedding({ queryPrefix: 'query: ', passagePrefix: '', sendDimensions: true, textsMax: 32 }),
  ),
  provider('an embedding model without a name', embedding({ name: undefined }), /name/),
  provider('an embedding model without dimensions', embedding({ dimensions: undefined }), /dimens/),
  provider(
    'an embedding model without a price',
    embedding({ inputPrice: undefined }),
    /inputPrice/,
  ),
  provider('vectors of no length', embedding({ dimensions: 0 }), /dimensions/),
  provider('vectors that are too long', embedding({ dimensions: 8_193 }), /dimensions/),
  provider('calls of no text', embedding({ textsMax: 0 }), /textsMax/),
  provider('calls of too many texts', embedding({ textsMax: 2_049 }), /textsMax/),
  provider('a prefix that is too long', embedding({ queryPrefix: LONG }), /queryPrefix/),
  provider('a free model', model({ inputPrice: '0', outputPrice: '0' })),
  provider('a negative price', model({ inputPrice: '-0.25' }), /from 0 to 10000/),
  provider('a price above the maximum', model({ outputPrice: '10000.01' }), /from 0 to 10000/),
  provider('the highest price', model({ outputPrice: '10000' })),
  provider('no price', model({ outputPrice: undefined }), /outputPrice/),
  provider('a price as a number', model({ inputPrice: 1 }), /inputPrice/),
  provider('a reserved model name', model({ name: 'extractive' }), /other than extractive/),
  provider('a name with a space', model({ name: 'a b' }), /visible ASCII/),
  provider('a model of both classes', model({ classes: ['standard', 'economy'] })),
  provider('a repeated model class', model({ classes: ['economy', 'economy'] }), /Duplicate/),
  provider('no model class', model({ classes: [] }), /classes/),
  provider(
    'two models of two classes',
    openai({ models: [MODEL, { ...MODEL, name: 'large', classes: ['standard'] }] }),
  ),
  provider(
    'two models of one class',
    openai({ models: [MODEL, { ...MODEL, name: 'large' }] }),
    /at most one model for each class/,
  ),
  provider(
    'a repeated model',
    openai({ models: [MODEL, { ...MODEL, classes: ['standard'] }] }),
    /Duplicate/,
  ),
  provider('a small context window', model({ contextTokens: 8_000, outputTokensMax: 2_000 })),
  provider(
    'a context window that the answer fills',
    model({ contextTokens: 7_999, outputTokensMax: 2_000 }),
    /6000 more than outputTokensMax/,
  ),
  provider(
    'a context window smaller than the default answer',
    model({ contextTokens: 22_383 }),
    /6000 more/,
  ),
  provider(
    'an answer with thinking tokens',
    model({ outputTokensMax: 6_000, thinkingTokens: 4_000 }),
  ),
  provider(
    'thinking tokens that leave no room for the answer',
    model({ outputTokensMax: 6_000, thinkingTokens: 4_001 }),
    /2000 more than thinkingTokens/,
  ),
  provider('a rate of zero calls', openai({ rate: { requestsPerMinute: 0 } }), /requestsPerMinute/),
];

const DREAMS: readonly Example[] = [
  dream('a dream every night', {}),
  dream('a time zone', { timeZone: 'Europe/Berlin' }),
  dream('a time zone with three parts', { timeZone: 'America/Argentina/Salta' }),
  dream('a misspelled time zone', { timeZone: 'Europe/Berln' }, /IANA database/),
  dream('a time zone in the wrong case', { timeZone: 'Europe/BERLIN' }, /IANA database/),
  dream('an alias of a time zone', { timeZone: 'Asia/Kolkata' }),
  dream('an alias of a time zone in the wrong case', { timeZone: 'Asia/KOLKATA' }, /IANA database/),
  dream('the old name of a time zone', { timeZone: 'US/Pacific' }),
  dream(
    'the old name of a time zone in the wrong case',
    { timeZone: 'US/PACIFIC' },
    /IANA database/,
  ),
  dream('a time zone that only JavaScript knows', { timeZone: 'SystemV/EST5' }, /IANA database/),
  dream('a UTC offset as a time zone', { timeZone: '+02:00' }, /IANA database/),
  dream('the time zone of the machine', { timeZone: 'Local' }, /IANA database/),
  dream('a path as a time zone', { timeZone: 'Etc/../passwd' }, /IANA database/),
  dream('every quarter of an hour on weekdays', { cron: '*/15 9-17 * JAN,MAR-JUN MON-FRI' }),
  dream('a cron list with steps', { cron: '0,30 1-5/2 1,15 * 0' }),
  dream('six cron fields', { cron: '0 30 3 * * *' }, /five fields of cron/),
  dream('four cron fields', { cron: '30 3 * *' }, /five fields of cron/),
  dream('a cron macro', { cron: '@daily' }, /five fields of cron/),
  dream('minute 60', { cron: '60 3 * * *' }, /minute 0-59/),
  dream('hour 24', { cron: '0 24 * * *' }, /hour 0-23/),
  dream('month 13', { cron: '0 3 * 13 *' }, /month 1-12 or JAN-DEC/),
  dream('day 7 for Sunday', { cron: '0 3 * * 7' }, /day of the week 0-6 or SUN-SAT/),
  dream('a cron step of zero', { cron: '*/0 3 * * *' }, /five fields of cron/),
  dream('a descending range of hours', { cron: '0 17-9 * * *' }, /ranges that ascend/),
  dream('a descending range of days', { cron: '0 3 * * FRI-MON' }, /ranges that ascend/),
  dream('a missing cron', { cron: undefined }, /cron/),
  dream('some subjects', { subjects: { agents: ['planner'], users: ['ann', 'bob'] } }),
  dream('no subject', { subjects: {} }, /at least one agent or user/),
  dream('a repeated subject', { subjects: { users: ['ann', 'ann'] } }, /Duplicate/),
  dream('a lookback of 366 days', { lookbackDays: 366 }),
  dream('a lookback of zero days', { lookbackDays: 0 }, /lookbackDays/),
  dream('approval by a person', { approval: 'Required', modelClass: 'economy' }),
  dream('an unknown approval', { approval: 'Auto' }, /approval/),
  dream('guards', { guards: { removedLinesPercentMax: 0, addedLinesMax: 5 } }),
  dream(
    'a guard above 100 percent',
    { guards: { removedLinesPercentMax: 101 } },
    /removedLinesPercentMax/,
  ),
];

export const EXAMPLES: readonly Example[] = [
  ...TENANTS,
  ...LAYER_POLICIES,
  ...PROVIDERS,
  ...DREAMS,
];
