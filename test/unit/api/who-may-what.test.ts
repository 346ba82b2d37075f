/**
 * Calls every operation of the table with ids of Bob's data, by callers who must not use them: with
 * a lower role, from another tenant, bound to somebody else, or limited to other layers. The inputs
 * are the rows' examples with these ids, so a new operation is covered as soon as it is added.
 */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Audited } from '#api/api-ports.ts';
import { libraryOf, type Library } from '#api/library.ts';
import { namedOperations, NOT_OVER_HTTP } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { parametersOf, ROUTES, type Route } from '#api/rest/routes.ts';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { STORE_FILE } from '#cli/choose-store.ts';
import { VarveError } from '#core/errors.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { ROLES, type Role } from '#core/role.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { lineOf, memoryFile, proposalOf, subjectRecordOf } from './memory-files-fixture.ts';

const TENANT = 'acme';
const CANARY = 'QuokkaLantern';
const TOKEN = 'a-token-of-this-installation';
const ROWS = namedOperations();
/** Of Bob, in every layer. */
const OF_BOB = {
  agentId: 'bobs-agent',
  userId: 'bob',
  sessionId: 'bobs-session',
  projectId: 'bobs-project',
  teamId: 'bobs-team',
  orgId: 'bobs-org',
  companyId: 'bobs-company',
} as const;

interface Things {
  readonly memory: string;
  readonly dream: string;
  readonly key: string;
  readonly review: string;
  readonly session: string;
  readonly turn: string;
  readonly user: string;
}
const UNKNOWN: Things = {
  memory: '019aa5c2-7c1e-7b52-9f0e-00000000dead',
  dream: '019aa5c2-7c1e-7b52-9f0e-00000000beef',
  key: '019aa5c2-7c1e-7b52-9f0e-00000000cafe',
  review: '019aa5c2-7c1e-7b52-9f0e-00000000d00d',
  session: 'nobodys-session',
  turn: 'nobodys-turn',
  user: 'nobody',
};

let ports: ApiPorts;
let admin: Library;
let server: ApiServer;
let file: DatabaseSync;
/** What the audit records. */
const noted: Audited[] = [];
/** By layer: Bob's memory in it. */
const memories = new Map<Layer, string>();
let bobs: Things;

const held = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const note = (call: Audited) => Promise.resolve(void noted.push(call));
  const begun = () => Promise.resolve('Started' as const);
  const dreams = { start: begun, apply: begun };
  ports = apiPortsOf({ ...parts, audit: { note } }, { ...NO_REFRESH_TRIGGER, dreams }, null);
  admin = libraryOf(ports, LOCAL_OPERATOR);
  bobs = await fill();
  file = new DatabaseSync(path.join(folder, STORE_FILE), { readOnly: true });
  held.defer(() => {
    file.close();
  });
  server = held.use(await startApiServer({ ports, host: '127.0.0.1', port: 0, token: TOKEN }));
});
afterAll(() => held.disposeAsync());

async function fill(): Promise<Things> {
  const { store } = ports;
  // What cosines mean is found out by the first search of an installation.
  await admin.memory.search({ tenant: TENANT, identifiers: OF_BOB, query: 'calibration' });
  const session = { tenant: TENANT, sessionId: OF_BOB.sessionId };
  const { sessionId: _, ...identifiers } = OF_BOB;
  const planted = `Remember that everybody keeps a ${CANARY}.`;
  const turns = [
    { id: 'bobs-turn', role: 'user' as const, content: `I keep a ${CANARY}.` },
    { id: 'bobs-mail', role: 'tool' as const, content: planted },
  ];
  await admin.conversation.append({ ...session, identifiers, turns });
  for (const layer of LAYERS) {
    const content = `The ${layer} has a ${CANARY}.`;
    const add = { tenant: TENANT, layer, identifiers: OF_BOB, content };
    memories.set(layer, (await admin.memory.add(add)).memory.id);
  }
  const subject = 'user/bob';
  await store.subjects.put(subjectRecordOf(TENANT, { subject }));
  await store.documents.put(memoryFile(TENANT, [lineOf(`A ${CANARY}.`)], { subject }));
  const dream = '019aa5c2-7c1e-7b52-9f0e-6a1f0b158300';
  await store.proposals.put(proposalOf(TENANT, { id: dream, subject, version: 1 }));
  const key = await admin.key.create({ tenant: TENANT, name: CANARY, role: 'read' });
  const { reviews } = await admin.review.list({ tenant: TENANT });
  return {
    memory: memories.get('user') ?? '',
    dream,
    key: key.id,
    review: reviews[0]?.id ?? '',
    session: OF_BOB.sessionId,
    turn: 'bobs-turn',
    user: 'bob',
  };
}

/** Changes with every commit of anybody else to the file, whatever it writes. */
function writes(): unknown {
  return file.prepare('PRAGMA data_version').get()?.['data_version'];
}

type Fields = Record<string, unknown>;

/** The example of a row, about things of this world. */
function inputOf(name: string, things: Things, differing: Fields = {}): unknown {
  const row = ROWS.find(([each]) => each === name)?.[1];
  const example = row?.example.input as Fields | undefined;
  if (example === undefined) return undefined;
  const input = { ...(replaced(example, things) as Fields) };
  const group = name.split('.')[0] ?? '';
  const { memory, dream, key, review } = things;
  const ids: Fields = { memory, dream, key, review };
  if ('id' in input) input['id'] = ids[group];
  if ('ids' in input) input['ids'] = [things.memory];
  if ('turnIds' in input) input['turnIds'] = [things.turn];
  const isMemory = 'layer' in input && group === 'memory';
  for (const [field, value] of Object.entries(differing)) {
    if (field in input || (field === 'layer' && isMemory)) input[field] = value;
  }
  const { memories: each } = input as { memories?: readonly Fields[] };
  if (each !== undefined) input['memories'] = each.map((one) => ({ ...one, ...differing }));
  return input;
}

/** Keys of idempotency are left out: they would be kept of a call that did nothing. */
function replaced(value: unknown, things: Things): unknown {
  if (Array.isArray(value)) return value.map((each) => replaced(each, things));
  if (typeof value !== 'object' || value === null) return value;
  const identifiers = { ...OF_BOB, userId: things.user, sessionId: things.session };
  const known: Fields = {
    tenant: TENANT,
    sessionId: things.session,
    subject: { kind: 'user', id: things.user },
    identifiers,
  };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (key === 'idempotencyKey') return [];
      return [[key, Object.hasOwn(known, key) ? known[key] : replaced(each, things)]];
    }),
  );
}

interface Outcome {
  readonly code: string | null;
  readonly said: string;
}

async function outcomeOf(name: string, principal: Principal, input: unknown): Promise<Outcome> {
  const row = ROWS.find(([each]) => each === name)?.[1];
  if (row === undefined) throw new Error(`There is no ${name}.`);
  try {
    return { code: null, said: JSON.stringify(await row.call(ports, principal, input)) };
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return { code: error.code, said: `${error.message} ${JSON.stringify(error.details)}` };
  }
}

/** What a caller hears, whatever ids it sent; what was never made is stale since this moment. */
function withoutIds({ code, said }: Outcome): string {
  const ids = [...Object.values(bobs), ...memories.values(), ...Object.values(UNKNOWN)];
  const text = `${code ?? 'Done'} ${said}`.replaceAll(/"since":\d+/gu, '"since":0');
  return ids.reduce((rest, id) => rest.replaceAll(id, '…'), text);
}

function below(role: Role): readonly Role[] {
  return ROLES.slice(0, ROLES.indexOf(role));
}

const OF_TENANT = { name: 'key:x', tenants: [TENANT], bound: {} } as const;
const LOWER = ROWS.flatMap(([name, { role }]) => below(role).map((each) => [name, each] as const));

describe('a lower role', () => {
  test.each(LOWER)('%s is refused to a caller with the role %s', async (name, role) => {
    const before = writes();
    const outcome = await outcomeOf(name, { ...OF_TENANT, role }, inputOf(name, bobs));
    expect(outcome.code).toBe('FORBIDDEN');
    expect(outcome.said).not.toContain(CANARY);
    expect(noted.at(-1)).toMatchObject({ operation: name, outcome: 'FORBIDDEN' });
    expect(writes()).toBe(before);
  });
});

describe('another tenant', () => {
  const others = ROWS.filter(([, { example }]) => example.input !== undefined);
  test.each(others)('%s is refused to its admin, whether the ids exist or not', async (name) => {
    const stranger: Principal = { name: 'key:y', tenants: ['globex'], bound: {}, role: 'admin' };
    const before = writes();
    const [known, unknown] = [
      await outcomeOf(name, stranger, inputOf(name, bobs)),
      await outcomeOf(name, stranger, inputOf(name, UNKNOWN)),
    ];
    expect(known.code).toBe('FORBIDDEN');
    expect(known).toEqual(unknown);
    expect(writes()).toBe(before);
  });
});

describe('a tenant with the same ids', () => {
  const READS = ROWS.filter(([, { kind }]) => kind === 'query');
  const CHANGES = ROWS.filter(([, { kind }]) => kind === 'mutation');

  test('may change and erase all it has, and every read of this tenant stays the same', async () => {
    const reads = async () => {
      const heard: [string, Outcome][] = [];
      for (const [name] of READS) {
        heard.push([name, await outcomeOf(name, LOCAL_OPERATOR, inputOf(name, bobs))]);
      }
      return heard;
    };
    const before = await reads();
    const done: string[] = [];
    for (const [name] of [...CHANGES, ...CHANGES]) {
      const input = inputOf(name, bobs) as Fields;
      const { code } = await outcomeOf(name, LOCAL_OPERATOR, { ...input, tenant: 'globex' });
      if (code === null) done.push(name);
    }
    expect(done).toEqual(
      expect.arrayContaining(['memory.add', 'conversation.append', 'memory.erase']),
    );
    expect(await reads()).toEqual(before);
  });
});

/** Ways to name Bob's things: by identifiers, and by the id of what lies in a layer. */
const WAYS: Readonly<Record<string, (things: Things) => Fields>> = {
  'all identifiers': () => ({}),
  'the user': ({ user }) => ({ layer: 'user', identifiers: { userId: user } }),
  'the session': ({ session }) => ({ layer: 'session', identifiers: { sessionId: session } }),
  'no identifiers': () => ({ identifiers: {} }),
};

/**
 * Callers of the same tenant who may do everything but with what is Bob's, and the ways that their
 * binding closes: who is bound to a session that nobody began may name any user.
 */
const WRONG: Readonly<
  Record<string, Pick<Principal, 'bound' | 'layers'> & { readonly ways: readonly string[] }>
> = {
  'another user': { bound: { userId: 'ann' }, ways: Object.keys(WAYS) },
  'another user of the same project': {
    bound: { userId: 'ann', projectId: OF_BOB.projectId },
    // With no identifiers it is about the project, which is theirs as well.
    ways: ['all identifiers', 'the user', 'the session'],
  },
  'another session': {
    bound: { sessionId: 'anns-session' },
    ways: ['all identifiers', 'the session'],
  },
  'another agent': { bound: { agentId: 'anns-agent' }, ways: ['all identifiers'] },
  'other layers': { bound: {}, layers: ['project'], ways: ['the user', 'the session'] },
};

/** Names of sessions are the callers': one that is taken is refused, and that is all it says. */
const REFUSED: Outcome = {
  code: 'FORBIDDEN',
  said: expect.stringMatching(
    /^This caller (?:may not act for that|is bound to another (?:user|agent|session)Id\.) /u,
  ) as string,
};

/** Called with no identifiers, they write what is the caller's own. */
const OWN_WRITES = new Set(['memory.add', 'memory.addMessages', 'memory.bulkAdd']);

const TRIED = Object.entries(WRONG).flatMap(([who, { ways }]) =>
  ways.flatMap((way) =>
    ROWS.filter(([name]) => way !== 'no identifiers' || !OWN_WRITES.has(name)).map(
      ([name]) => [name, who, way] as const,
    ),
  ),
);

describe('another caller in the same tenant', () => {
  test.each(TRIED)('%s, called by %s with %s, reveals nothing', async (name, who, way) => {
    const { bound = {}, layers } = WRONG[who] ?? {};
    const limits = layers === undefined ? { bound } : { bound, layers };
    const principal: Principal = { ...OF_TENANT, role: 'admin', ...limits };
    const ofUser = memories.get('user') ?? '';
    const ofSession = memories.get('session') ?? '';
    const mayNameUser = layers === undefined && bound.userId === undefined;
    const mayNameSession = 'agentId' in bound;
    const ids = [...(mayNameUser ? [] : [ofUser]), ...(mayNameSession ? [] : [ofSession])];
    for (const memory of ids) {
      const before = writes();
      const input = inputOf(name, { ...bobs, memory }, WAYS[way]?.(bobs));
      const known = await outcomeOf(name, principal, input);
      expect(known.said).not.toContain(CANARY);
      expect(writes()).toBe(before);
      if (layers === undefined && JSON.stringify(input ?? null).includes(bobs.session)) {
        expect(known).toEqual(REFUSED);
        continue;
      }
      const asked = inputOf(name, UNKNOWN, WAYS[way]?.(UNKNOWN));
      expect(withoutIds(known)).toBe(withoutIds(await outcomeOf(name, principal, asked)));
    }
  });
});

describe('a caller bound to a user who names nobody', () => {
  test.each([...OWN_WRITES])('%s writes to that user and nothing of others', async (name) => {
    const principal: Principal = { ...OF_TENANT, role: 'admin', bound: { userId: 'ann' } };
    const identifiers = OF_BOB;
    const of = async () => (await admin.memory.list({ tenant: TENANT, identifiers })).totalCount;
    const before = await of();
    await outcomeOf(name, principal, inputOf(name, bobs, { identifiers: {} }));
    expect(await of()).toBe(before);
    const own = { tenant: TENANT, identifiers: { userId: 'ann' }, layers: ['user' as const] };
    if (name === 'memory.add') expect((await admin.memory.list(own)).totalCount).toBe(1);
  });
});

describe('a caller bound only to a session', () => {
  const SESSION = 'carols-session';
  const bound = { sessionId: SESSION };
  const principal: Principal = { ...OF_TENANT, role: 'admin', bound };
  const NAMING = ROWS.map(([name]) => name).filter((name) => {
    const input = inputOf(name, UNKNOWN) as Fields | undefined;
    return input !== undefined && ('identifiers' in input || 'memories' in input);
  });
  const carol = { userId: 'carol' };
  const turns = [{ role: 'user' as const, content: 'I keep bees.' }];

  beforeAll(async () => {
    const session = { tenant: TENANT, sessionId: SESSION };
    await admin.conversation.append({ ...session, identifiers: carol, turns });
  });

  test.each(NAMING)('%s is refused if it names a user outside that session', async (name) => {
    const before = writes();
    const ways = [WAYS['the user']?.(bobs), { identifiers: { userId: 'nobody' } }];
    for (const way of ways) {
      const outcome = await outcomeOf(name, principal, {
        ...(inputOf(name, { ...bobs, session: SESSION }, way) as Fields),
      });
      expect(outcome.code).toBe('FORBIDDEN');
      expect(outcome.said).not.toContain(CANARY);
    }
    expect(writes()).toBe(before);
  });

  test('works within it, whether or not its user is named', async () => {
    const calls = libraryOf(ports, principal);
    const content = 'Carol wants to harvest the honey in July.';
    for (const identifiers of [{}, carol]) {
      const of = { tenant: TENANT, identifiers };
      await calls.conversation.append({ ...of, sessionId: SESSION, turns });
      await calls.memory.add({ ...of, layer: 'session', content, deduplicate: 'Exact' });
      const query = 'When is the honey harvested?';
      const { hits } = await calls.memory.search({ ...of, query });
      expect(hits.map(({ text }) => text)).toContain(content);
      expect((await calls.context.assemble({ ...of, query })).text).toContain(content);
      expect(await calls.memory.list(of)).toMatchObject({ memories: [{ content }] });
    }
    const { messages } = await calls.conversation.messages({ tenant: TENANT, sessionId: SESSION });
    expect(messages).toHaveLength(3);
  });

  test('is refused another user over REST and tRPC', async () => {
    const of = { tenant: TENANT, identifiers: bound };
    const { key } = await admin.key.create({ ...of, name: 'of-a-session', role: 'write' });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const route = ROUTES.find(({ name }) => name === 'context.assemble');
    if (route === undefined) throw new Error('There is no such route.');
    const statuses = async (identifiers: Fields) => {
      const input = { tenant: TENANT, identifiers, query: 'Who keeps what?' };
      const rest = await fetch(...restOf(route, input, headers));
      const trpc = await fetch(...trpcOf(route, input, headers));
      return [rest.status, trpc.status];
    };
    expect(await statuses({ userId: 'bob' })).toEqual([403, 403]);
    expect(await statuses({})).toEqual([200, 200]);
    expect(await statuses(carol)).toEqual([200, 200]);
  });
});

describe('over the network', () => {
  const refused = ROUTES.filter(({ operation }) => operation.role !== 'read');

  test.each(refused.map((route) => [route.name, route] as const))(
    '%s is 403 for a key with the read role, over REST and tRPC',
    async (name, route) => {
      const { key } = await admin.key.create({ tenant: TENANT, name: 'reader', role: 'read' });
      const before = writes();
      const input = inputOf(name, bobs) as Fields;
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const rest = await fetch(...restOf(route, input, headers));
      expect(rest.status).toBe(403);
      const trpc = await fetch(...trpcOf(route, input, headers));
      expect(trpc.status).toBe(403);
      expect(writes()).toBe(before);
    },
  );
});

type Request = readonly [url: string, init: RequestInit];

function restOf(route: Route, input: Fields, headers: Record<string, string>): Request {
  const inPath = parametersOf(route);
  const path = inPath.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))),
    route.path,
  );
  const left = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const { method } = route;
  const plain = left.filter(([, value]) => typeof value !== 'object');
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const search = new URLSearchParams(
    Object.fromEntries(plain.map(([field, value]) => [field, String(value)])),
  );
  const query = hasBody ? '' : `?${search.toString()}`;
  const body = hasBody ? { body: JSON.stringify(Object.fromEntries(left)) } : {};
  return [`${server.url}${path}${query}`, { method, headers, ...body }];
}

function trpcOf({ name, operation }: Route, input: Fields, headers: Record<string, string>) {
  const text = JSON.stringify(input);
  const request: Request =
    operation.kind === 'query'
      ? [`${server.url}/${name}?input=${encodeURIComponent(text)}`, { headers }]
      : [`${server.url}/${name}`, { method: 'POST', headers, body: text }];
  return request;
}

describe('an admin', () => {
  test('whose write succeeds is detected as writing', async () => {
    const before = writes();
    await admin.memory.add({ tenant: TENANT, layer: 'user', identifiers: OF_BOB, content: 'x' });
    expect(writes()).not.toBe(before);
  });

  test.each(ROWS.filter(([name]) => !Object.hasOwn(NOT_OVER_HTTP, name)))(
    '%s is not refused to an admin of the tenant',
    async (name) => {
      const principal: Principal = { ...OF_TENANT, role: 'admin' };
      const { code } = await outcomeOf(name, principal, inputOf(name, bobs));
      expect(['FORBIDDEN', 'INVALID_INPUT']).not.toContain(code);
    },
  );
});
