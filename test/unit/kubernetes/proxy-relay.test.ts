/** The proxy of the operator's proofs, when its own server is down or has lost something. */
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';

import { NO_FAULTS } from '../../cluster/api-proxy/faults.ts';
import { Relay } from '../../cluster/api-proxy/relay.ts';
import { RequestRecord } from '../../cluster/api-proxy/request-record.ts';

const LOCALHOST = '127.0.0.1';
const MAPS = '/api/v1/configmaps';

let held = new AsyncDisposableStack();
afterEach(async () => {
  await held.disposeAsync();
  held = new AsyncDisposableStack();
});

async function listening(listener: RequestListener): Promise<number> {
  const server = held.use(createServer(listener).listen(0, LOCALHOST));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The port of a server that is gone. */
async function closedPort(): Promise<number> {
  await using server = createServer().listen(0, LOCALHOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A relay before the server of a port, without faults. */
async function relayBefore(port: number) {
  const sent: ClientRequest[] = [];
  const record = new RequestRecord();
  const relay = new Relay({
    record,
    watches: new Set(),
    chance: () => 0.5,
    chances: () => NO_FAULTS,
    upstream: {
      authority: '',
      request: (method, path) => {
        const one = request({ host: LOCALHOST, port, method, path });
        sent.push(one);
        return one;
      },
      [Symbol.dispose]: () => undefined,
    },
  });
  const own = await listening((asked, answer) => relay.pass(asked, answer));
  const ask = (path: string) => fetch(`http://${LOCALHOST}:${String(own)}${path}`);
  return { record, sent, ask };
}

test('a connection that fails twice breaks only its own request', async () => {
  const { record, sent, ask } = await relayBefore(await closedPort());
  await expect(ask(MAPS)).rejects.toThrow('fetch failed');
  expect(sent.map((one) => one.emit('error', new Error('EPIPE')))).toEqual([true]);
  expect(record.since().map(({ verb, status }) => [verb, status])).toEqual([['list', null]]);
});

test('only answers that report an expired version are counted', async () => {
  const expired = JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
  const failed = JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 500 } });
  const port = await listening(({ url = '' }, answer) => {
    const isWatch = url.includes('watch=true');
    answer.writeHead(isWatch ? 200 : 410).end(isWatch ? `${expired}\n${failed}\n` : '{}');
  });
  const { record, ask } = await relayBefore(port);
  const watched = await ask(`${MAPS}?watch=true&resourceVersion=1`);
  expect(await watched.text()).toBe(`${expired}\n${failed}\n`);
  expect(record.expired).toBe(1);
  expect((await ask(`${MAPS}?continue=old`)).status).toBe(410);
  expect(record.expired).toBe(2);
});
