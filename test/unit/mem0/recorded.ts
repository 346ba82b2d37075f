/**
 * What mem0's own clients send, run against `/mem0`, but for ids and some of the values: of npm
 * 3.3.1, of PyPI 2.2.1, and the older 2.1.38 and 1.0.0, which call the first and second version of
 * the API.
 */

export interface Recorded {
  /** The method of the client. */
  readonly by: string;
  readonly method: string;
  /** `$ID` is the id of the memory that the last add answered first. */
  readonly path: string;
  readonly body?: unknown;
  /** What the answer has, at least. */
  readonly answer: unknown;
}

const PING = { status: 'ok', org_id: 'acme', project_id: 'acme' };
const ROWS = { count: 1, next: null, previous: null, results: [{ id: '$ID' }] };
const CELLO = 'Ann plays the cello.';
const VIOLA = 'Ann plays the viola.';

export const NPM_3: readonly Recorded[] = [
  { by: 'ping', method: 'GET', path: '/v1/ping/', answer: PING },
  {
    by: 'add',
    method: 'POST',
    path: '/v3/memories/add/',
    body: {
      messages: [
        { role: 'user', content: 'Hi! I am allergic to peanuts. I live in Porto.' },
        { role: 'assistant', content: 'Noted!' },
      ],
      user_id: 'ann',
      run_id: 'r1',
      metadata: { sourceApp: 'chat', source: 'form' },
    },
    answer: {
      results: [
        { memory: 'I am allergic to peanuts.', event: 'ADD', linked_memory_ids: [] },
        { memory: 'I live in Porto.', event: 'ADD', linked_memory_ids: [] },
      ],
    },
  },
  {
    by: 'search by a field that extraction has too',
    method: 'POST',
    path: '/v3/memories/search/',
    body: {
      query: 'peanuts',
      output_format: 'v1.1',
      filters: { AND: [{ user_id: 'ann' }, { metadata: { source: 'form' } }] },
    },
    answer: {
      results: [
        { id: '$ID', metadata: { sourceApp: 'chat', source: 'form', topic: 'allergy' } },
        { memory: 'I live in Porto.' },
      ],
    },
  },
  {
    by: 'update of such a field',
    method: 'PUT',
    path: '/v1/memories/$ID/',
    body: { metadata: { source: 'mail' } },
    answer: { run_id: 'r1', metadata: { sourceApp: 'chat', source: 'mail', topic: 'allergy' } },
  },
  {
    by: 'getAll of one run',
    method: 'POST',
    path: '/v3/memories/',
    body: { filters: { AND: [{ user_id: 'ann' }, { run_id: 'r1' }] } },
    answer: { count: 2, results: [{ memory: 'I live in Porto.', run_id: 'r1' }, { id: '$ID' }] },
  },
  {
    by: 'add with infer: false',
    method: 'POST',
    path: '/v3/memories/add/',
    body: {
      messages: [{ role: 'user', content: CELLO }],
      user_id: 'ann',
      agent_id: 'bot',
      infer: false,
      metadata: { topic: 'music', camelKey: 1 },
      expiration_date: '2130-01-31',
      timestamp: 1_721_577_600,
    },
    answer: { results: [{ memory: CELLO, event: 'ADD' }] },
  },
  {
    by: 'search',
    method: 'POST',
    path: '/v3/memories/search/',
    body: {
      query: 'What instrument does Ann play?',
      output_format: 'v1.1',
      top_k: 1,
      threshold: 0.1,
      rerank: true,
      filters: { user_id: 'ann' },
    },
    answer: {
      results: [
        {
          id: '$ID',
          memory: CELLO,
          user_id: 'ann',
          agent_id: 'bot',
          app_id: null,
          run_id: null,
          metadata: { topic: 'music', camelKey: 1 },
          categories: [],
          expiration_date: '2130-01-31',
        },
      ],
    },
  },
  {
    by: 'search of several entities',
    method: 'POST',
    path: '/v3/memories/search/',
    body: {
      query: 'cello',
      output_format: 'v1.1',
      filters: { OR: [{ user_id: 'ann' }, { agent_id: { in: ['bot', 'bot2'] } }] },
    },
    answer: { results: [{ id: '$ID' }, {}, {}] },
  },
  {
    by: 'getAll',
    method: 'POST',
    path: '/v3/memories/?page=1&page_size=2',
    body: { filters: { user_id: 'ann' } },
    answer: {
      count: 3,
      next: '?page=2&page_size=2',
      previous: null,
      results: [{ id: '$ID', memory: CELLO }, { memory: 'I live in Porto.' }],
    },
  },
  { by: 'get', method: 'GET', path: '/v1/memories/$ID/', answer: { id: '$ID', memory: CELLO } },
  {
    by: 'update',
    method: 'PUT',
    path: '/v1/memories/$ID/',
    body: { text: VIOLA, metadata: { topic: 'strings' } },
    answer: { id: '$ID', memory: VIOLA, metadata: { topic: 'strings', camelKey: 1 } },
  },
  {
    by: 'history',
    method: 'GET',
    path: '/v1/memories/$ID/history/',
    answer: [
      { memory_id: '$ID', event: 'ADD', old_memory: null, new_memory: CELLO, user_id: 'ann' },
      { memory_id: '$ID', event: 'UPDATE', old_memory: CELLO, new_memory: VIOLA },
    ],
  },
  {
    by: 'users',
    method: 'GET',
    path: '/v1/entities/',
    answer: { count: 1, results: [{ name: 'ann', type: 'user', total_memories: 3 }] },
  },
  {
    by: 'batchUpdate',
    method: 'PUT',
    path: '/v1/batch/',
    body: { memories: [{ memory_id: '$ID', text: 'Ann plays the violin.' }] },
    answer: { message: 'Successfully updated 1 memories' },
  },
  {
    by: 'delete',
    method: 'DELETE',
    path: '/v1/memories/$ID/',
    answer: { message: 'Memory deleted successfully!' },
  },
  {
    by: 'deleteAll',
    method: 'DELETE',
    path: '/v1/memories/?user_id=ann',
    answer: { message: 'Memories deleted successfully!' },
  },
  {
    by: 'getAll of what is left',
    method: 'POST',
    path: '/v3/memories/',
    body: { filters: { user_id: 'ann' } },
    answer: { count: 0, results: [] },
  },
];

export const PYPI_2: readonly Recorded[] = [
  { by: 'MemoryClient()', method: 'GET', path: '/v1/ping/', answer: PING },
  {
    by: 'add of a text',
    method: 'POST',
    path: '/v3/memories/add/',
    body: {
      messages: [{ role: 'user', content: 'I moved to Berlin.' }],
      user_id: 'dana',
      metadata: { lang: 'en' },
    },
    answer: { results: [{ memory: 'I moved to Berlin.', event: 'ADD' }] },
  },
  {
    by: 'add of what ends it',
    method: 'POST',
    path: '/v3/memories/add/',
    body: {
      messages: [{ role: 'user', content: 'I moved from Berlin to Lyon.' }],
      filters: { user_id: 'dana' },
    },
    answer: { results: [{ event: 'ADD', linked_memory_ids: ['$ID'] }] },
  },
  {
    by: 'add with infer=False',
    method: 'POST',
    path: '/v3/memories/add/',
    body: {
      messages: [
        { role: 'user', content: 'Dana wants the decision first.' },
        { role: 'assistant', content: 'Understood.' },
      ],
      user_id: 'dana',
      run_id: 's1',
      infer: false,
    },
    answer: { results: [{ event: 'ADD' }, { memory: 'Understood.', event: 'ADD' }] },
  },
  {
    by: 'search',
    method: 'POST',
    path: '/v3/memories/search/',
    body: { query: 'decision', filters: { AND: [{ user_id: 'dana' }, { run_id: 's1' }] } },
    answer: { results: [{ id: '$ID', run_id: 's1' }, { memory: 'Understood.' }] },
  },
  {
    by: 'get_all',
    method: 'POST',
    path: '/v3/memories/',
    body: { filters: { OR: [{ user_id: 'dana' }, { user_id: 'eve' }] } },
    answer: { count: 3 },
  },
  {
    by: 'delete_all of one run',
    method: 'DELETE',
    path: '/v1/memories/?user_id=dana&run_id=s1',
    answer: { message: 'Memories deleted successfully!' },
  },
  {
    by: 'get_all after it',
    method: 'POST',
    path: '/v3/memories/',
    body: { filters: { user_id: 'dana' } },
    answer: { count: 1 },
  },
  {
    by: 'users',
    method: 'GET',
    path: '/v1/entities/',
    answer: { count: 1, results: [{ name: 'dana', type: 'user' }] },
  },
  {
    by: 'delete_users',
    method: 'DELETE',
    path: '/v2/entities/user/dana/',
    answer: { message: 'Entity deleted successfully!' },
  },
  {
    by: 'add of an app',
    method: 'POST',
    path: '/v3/memories/add/',
    body: { messages: [{ role: 'user', content: 'x y z' }], app_id: 'shop', infer: false },
    answer: { results: [{ memory: 'x y z' }] },
  },
  {
    by: 'batch_delete',
    method: 'DELETE',
    path: '/v1/batch/',
    body: { memories: [{ memory_id: '$ID' }] },
    answer: { message: 'Successfully deleted 1 memories' },
  },
  { by: 'users of none', method: 'GET', path: '/v1/entities/', answer: { count: 0, results: [] } },
];

/** The fields that these send with every call, once a ping has answered them. */
const OWN = { org_id: 'acme', project_id: 'acme' };
const OWN_QUERY = 'org_id=acme&project_id=acme';

export const NPM_2: readonly Recorded[] = [
  {
    by: 'add',
    method: 'POST',
    path: '/v1/memories/',
    body: { messages: [{ role: 'user', content: 'I live in Lyon.' }], user_id: 'old', ...OWN },
    answer: { results: [{ memory: 'I live in Lyon.', event: 'ADD' }] },
  },
  {
    by: 'search',
    method: 'POST',
    path: '/v1/memories/search/',
    body: { query: 'Lyon', user_id: 'old', limit: 3, ...OWN },
    answer: [{ id: '$ID' }],
  },
  {
    by: 'search with api_version v2',
    method: 'POST',
    path: '/v2/memories/search/',
    body: { query: 'Lyon', filters: { OR: [{ user_id: 'old' }] }, ...OWN },
    answer: { results: [{ id: '$ID' }] },
  },
  {
    by: 'getAll',
    method: 'GET',
    path: `/v1/memories/?user_id=old&${OWN_QUERY}`,
    answer: [{ id: '$ID' }],
  },
  {
    by: 'getAll with api_version v2',
    method: 'POST',
    path: '/v2/memories/?page=1&page_size=5',
    body: { filters: { user_id: 'old' }, ...OWN },
    answer: ROWS,
  },
  {
    by: 'deleteUser',
    method: 'DELETE',
    path: '/v1/entities/user/old/',
    answer: { message: 'Entity deleted successfully!' },
  },
];

export const PYPI_1: readonly Recorded[] = [
  {
    by: 'add',
    method: 'POST',
    path: '/v1/memories/',
    body: {
      messages: [{ role: 'user', content: 'I moved to Berlin.' }],
      user_id: 'old',
      ...OWN,
      async_mode: true,
      output_format: 'v1.1',
    },
    answer: { results: [{ memory: 'I moved to Berlin.', event: 'ADD' }] },
  },
  {
    by: 'search',
    method: 'POST',
    path: '/v2/memories/search/',
    body: { query: 'Berlin', user_id: 'old', limit: 5, ...OWN },
    answer: { results: [{ id: '$ID' }] },
  },
  {
    by: 'get_all',
    method: 'POST',
    path: '/v2/memories/',
    body: { user_id: 'old', ...OWN },
    answer: ROWS,
  },
  {
    by: 'update',
    method: 'PUT',
    path: `/v1/memories/$ID/?${OWN_QUERY}`,
    body: { text: 'I moved to Bonn.' },
    answer: { id: '$ID', memory: 'I moved to Bonn.' },
  },
  {
    by: 'delete',
    method: 'DELETE',
    path: `/v1/memories/$ID/?${OWN_QUERY}`,
    answer: { message: 'Memory deleted successfully!' },
  },
];
