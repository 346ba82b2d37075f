/** Calls of tenants over HTTP, and how long each takes. */
import { Agent, request } from 'node:http';

export const KINDS = ['search', 'context', 'add'] as const;
export type Kind = (typeof KINDS)[number];

export interface Tenant {
  readonly tenant: string;
  readonly key: string;
}

export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

export interface Calling extends Disposable {
  call(tenant: Tenant, kind: Kind, at: number): Promise<Answered>;
}

/** More than any load has under way, so that no call waits in the client. */
const SOCKETS_MAX = 256;
const PROJECT = 'bench';
const THINGS = ['tea', 'rowing', 'the launch', 'Lisbon', 'the budget', 'a cello', 'the invoice'];

/** What tenants remember and ask; every number gives another sentence. */
export function sentence(at: number): string {
  return `On day ${String(at)} Ann said that ${THINGS[at % THINGS.length] ?? ''} came first.`;
}

/** Part of every call: the owner of the memories. */
export const WHOSE = { identifiers: { projectId: PROJECT } } as const;

function inputOf(kind: Kind, at: number): readonly [path: string, body: object] {
  if (kind === 'search') return ['memories/search', { ...WHOSE, query: sentence(at), limit: 5 }];
  if (kind === 'context') return ['contexts', { ...WHOSE, query: sentence(at), maxTokens: 600 }];
  const content = sentence(at);
  return ['memories', { ...WHOSE, layer: 'project', content }];
}

/** Carries the server's CPU time at the moment when the call was sent. */
export const RAN_HEADER = 'x-ran';
/** Carries the kind of the call. */
export const KIND_HEADER = 'x-kind';

/** @param ran CPU time of the server so far; absent for calls that are not measured */
export function callingOf(url: string, ran?: () => number): Calling {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  return {
    async call({ tenant, key }, kind, at) {
      const [path, input] = inputOf(kind, at);
      const body = JSON.stringify(input);
      const begun = performance.now();
      const { status, text } = await post(`${url}/v1/tenants/${tenant}/${path}`, {
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          ...(ran === undefined ? {} : { [RAN_HEADER]: String(ran()), [KIND_HEADER]: kind }),
        },
        body,
      });
      return { status, body: text, ms: performance.now() - begun };
    },
    [Symbol.dispose]: () => {
      agent.destroy();
    },
  };
}

interface Posted {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Retries over a new connection if the server has just closed the one that was used. */
async function post(
  address: string,
  { agent, headers, body }: Posted,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(address, { method: 'POST', headers, agent }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
    });
  });
  sent.on('error', (error) => {
    if (sent.reusedSocket) resolve(post(address, { agent, headers, body }));
    else reject(error);
  });
  sent.end(body);
  return promise;
}
