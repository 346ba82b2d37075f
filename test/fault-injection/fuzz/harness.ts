/** Two tenants with data of every kind, and the texts that only their owners may get. */
import { libraryOf } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { LAYERS } from '#core/layer.ts';
import type { Role } from '#core/role.ts';
import {
  lineOf,
  memoryFile,
  proposalOf,
  subjectRecordOf,
} from '#test/unit/api/memory-files-fixture.ts';

export const OWN_TENANT = 'acme';
export const OTHER_TENANT = 'globex';
/** In every text of the other tenant. */
export const OTHER_CANARY = 'QuokkaLantern';
/** In every text of Bob, who is in the same tenant as Ann. */
export const BOB_CANARY = 'MarmotCello';

const DREAMS = {
  [OWN_TENANT]: '019aa5c2-7c1e-7b52-9f0e-6a1f0b158300',
  [OTHER_TENANT]: '019aa5c2-7c1e-7b52-9f0e-6a1f0b158301',
} as const;

/** What can be named of somebody. */
export interface Things {
  readonly tenant: string;
  readonly memory: string;
  readonly dream: string;
  readonly key: string;
  readonly session: string;
  readonly turn: string;
  readonly user: string;
}

/** An API key and what its holder is. */
export interface Caller {
  readonly name: string;
  readonly secret: string;
  /** Whether Bob's things are not its own. */
  readonly isBound: boolean;
}

export interface Harness {
  readonly anns: Things;
  readonly bobs: Things;
  readonly others: Things;
  readonly callers: readonly Caller[];
}

export async function fillHarness(ports: ApiPorts): Promise<Harness> {
  const anns = await fill(ports, { tenant: OWN_TENANT, user: 'ann', word: 'tea' });
  const bobs = await fill(ports, { tenant: OWN_TENANT, user: 'bob', word: BOB_CANARY });
  const others = await fill(ports, { tenant: OTHER_TENANT, user: 'zoe', word: OTHER_CANARY });
  const { key } = libraryOf(ports, LOCAL_OPERATOR);
  const made = async (name: string, role: Role, limits: object = {}): Promise<Caller> => {
    const created = await key.create({ tenant: OWN_TENANT, name, role, ...limits });
    return { name, secret: created.key, isBound: Object.keys(limits).length > 0 };
  };
  return {
    anns,
    bobs,
    others,
    callers: [
      await made('admin', 'admin'),
      await made('operate', 'operate'),
      await made('write', 'write'),
      await made('read', 'read'),
      await made('of-ann', 'write', { identifiers: { userId: 'ann' } }),
      await made('of-ann-admin', 'admin', { identifiers: { userId: 'ann' } }),
      await made('of-projects', 'write', { layers: ['project'] }),
    ],
  };
}

interface Filling {
  readonly tenant: typeof OWN_TENANT | typeof OTHER_TENANT;
  readonly user: string;
  /** In everything that is kept of this user. */
  readonly word: string;
}

async function fill(ports: ApiPorts, { tenant, user, word }: Filling): Promise<Things> {
  const { store } = ports;
  const admin = libraryOf(ports, LOCAL_OPERATOR);
  const session = `${user}s-session`;
  const turn = `${user}s-turn`;
  const identifiers = identifiersOf(user);
  const turns = [{ id: turn, role: 'user' as const, content: `I keep a ${word}.` }];
  await admin.conversation.append({ tenant, sessionId: session, identifiers, turns });
  const memories: Record<string, string> = {};
  for (const layer of LAYERS) {
    const content = `The ${layer} of ${user} has a ${word}.`;
    const ids = { ...identifiers, sessionId: session };
    const { memory } = await admin.memory.add({ tenant, layer, identifiers: ids, content });
    memories[layer] = memory.id;
  }
  const subject = `user/${user}` as const;
  await store.subjects.put(subjectRecordOf(tenant, { subject }));
  await store.documents.put(memoryFile(tenant, [lineOf(`A ${word}.`)], { subject }));
  const dream = DREAMS[tenant];
  await store.proposals.put(proposalOf(tenant, { id: dream, subject, version: 1 }));
  const key = await admin.key.create({ tenant, name: word, role: 'read' });
  return { tenant, memory: memories['user'] ?? '', dream, key: key.id, session, turn, user };
}

export function identifiersOf(user: string) {
  return {
    agentId: `${user}s-agent`,
    userId: user,
    projectId: `${user}s-project`,
    teamId: `${user}s-team`,
    orgId: `${user}s-org`,
    companyId: `${user}s-company`,
  };
}
