/** The API server behind a proxy, with the rights of the user of a kubeconfig. */
import { readFile } from 'node:fs/promises';
import { Agent, request, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';

import { parse } from 'yaml';
import { z } from 'zod';

/** One user and one cluster, with everything in the file, as the tests write it. */
const Kubeconfig = z.object({
  clusters: z.tuple([
    z.object({
      cluster: z.object({ server: z.url(), 'certificate-authority-data': z.base64() }),
    }),
  ]),
  users: z.tuple([
    z.object({
      user: z.object({
        token: z.string().optional(),
        'client-certificate-data': z.base64().optional(),
        'client-key-data': z.base64().optional(),
      }),
    }),
  ]),
});

export interface Upstream extends Disposable {
  readonly authority: string;
  /** A request that was not sent yet. */
  request(method: string, url: string, headers: IncomingHttpHeaders): ClientRequest;
}

/** Of one connection, or of the coding that the proxy must be able to read. */
const OWN_HEADERS = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'accept-encoding'];

export async function openUpstream(kubeconfig: string): Promise<Upstream> {
  const read = Kubeconfig.parse(parse(await readFile(kubeconfig, 'utf8')));
  const [{ cluster }] = read.clusters;
  const [{ user }] = read.users;
  const authority = decoded(cluster['certificate-authority-data']);
  const { 'client-certificate-data': certificate, 'client-key-data': key } = user;
  const agent = new Agent({
    keepAlive: true,
    ca: authority,
    ...(certificate === undefined ? {} : { cert: decoded(certificate) }),
    ...(key === undefined ? {} : { key: decoded(key) }),
  });
  const { hostname, port } = new URL(cluster.server);
  return {
    authority,
    request: (method, url, given) => {
      const headers: IncomingHttpHeaders = { ...given };
      for (const name of OWN_HEADERS) delete headers[name];
      if (user.token !== undefined) headers.authorization ??= `Bearer ${user.token}`;
      const options: RequestOptions = { agent, hostname, port, method, path: url, headers };
      return request(options);
    },
    [Symbol.dispose]: () => {
      agent.destroy();
    },
  };
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
