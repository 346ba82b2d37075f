/** A connection to a MongoDB server that can cut off a command or send it twice. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

import { MongoClient, type MongoOptions } from 'mongodb';

/**
 * `Request`: the server never hears the command; `Answer`: it does it, and nobody hears of it;
 * `Twice`: it does the command twice, and the second answer is heard.
 */
export type Cut = 'Request' | 'Answer' | 'Twice';

export interface CuttingProxy extends AsyncDisposable {
  readonly uri: string;
  /** Disturbs the command of this number from now on, counted from 0. */
  cutAt(command: number, what: Cut): void;
  /** Whether it came to that command. */
  hasCut(): boolean;
}

/** What the driver sends by itself: it greets, signs in, and asks whether the server lives. */
const GREETING = /ismaster|hello|saslStart|saslContinue|endSessions/iu;
/** Options of an address that say how its servers are reached, which is the proxy's own matter. */
const OF_THE_LINE = /^(?:tls|ssl|srv|replicaset|directconnection|loadbalanced)/iu;
const ADDRESS =
  /^mongodb(?:\+srv)?:\/\/(?<user>[^@/]*@)?[^/?]*(?<path>\/[^?]*)?(?:\?(?<query>.*))?$/u;
const LENGTH_BYTES = 4;

interface State {
  left: number;
  what: Cut;
  cut: boolean;
}

/** Leads to the primary of the address, with its user and over TLS where it has them. */
export async function startCuttingProxy(uri: string): Promise<CuttingProxy> {
  const open = await lineTo(uri);
  const state: State = { left: Number.POSITIVE_INFINITY, what: 'Request', cut: false };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = open();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // A cut line is what this is for; the driver reports it.
      socket.on('error', () => socket.destroy());
    }
    join(client, upstream, state);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    uri: addressAt(uri, port),
    cutAt(command, what) {
      Object.assign(state, { left: command, what, cut: false });
    },
    hasCut: () => state.cut,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function join(client: Socket, upstream: Socket, state: State): void {
  let answerIsCut = false;
  let unheard = 0;
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  onMessages(client, (sent) => {
    if (!GREETING.test(sent.toString('latin1'))) {
      state.left -= 1;
      if (state.left === -1) {
        state.cut = true;
        if (state.what === 'Request') return end();
        if (state.what === 'Answer') answerIsCut = true;
        else {
          unheard += 1;
          upstream.write(sent);
        }
      }
    }
    upstream.write(sent);
  });
  onMessages(upstream, (answer) => {
    if (answerIsCut) return end();
    if (unheard > 0) unheard -= 1;
    else client.write(answer);
  });
  client.once('close', end);
  upstream.once('close', end);
}

/** Each begins with its length; one may come in several pieces. */
function onMessages(socket: Socket, hear: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= LENGTH_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      hear(message);
    }
  });
}

/** What opens a line to the primary. */
async function lineTo(uri: string): Promise<() => Socket> {
  await using client = new MongoClient(uri);
  await client.connect();
  // The older name of the greeting, which every server of the protocol knows.
  const { primary } = await client.db().admin().command({ isMaster: 1 });
  const { options } = client;
  const address = String(primary ?? options.hosts[0]);
  const at = address.lastIndexOf(':');
  const place = { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
  if (!options.tls) return () => connect(place);
  const secured = { ...place, servername: place.host, ...(await tlsOf(options)) };
  return () => connectTls(secured);
}

async function tlsOf(options: MongoOptions): Promise<ConnectionOptions> {
  const { tlsCAFile, tlsCertificateKeyFile, passphrase } = options;
  const key = tlsCertificateKeyFile === undefined ? null : await readFile(tlsCertificateKeyFile);
  return {
    ...(tlsCAFile === undefined ? {} : { ca: await readFile(tlsCAFile) }),
    ...(key === null ? {} : { key, cert: key }),
    ...(passphrase === undefined ? {} : { passphrase }),
    rejectUnauthorized: options.rejectUnauthorized ?? true,
    ...(options.checkServerIdentity === undefined
      ? {}
      : { checkServerIdentity: options.checkServerIdentity }),
  };
}

/** The address with its user and options, but for the way to its servers. */
function addressAt(uri: string, port: number): string {
  const { user = '', path = '/', query = '' } = ADDRESS.exec(uri)?.groups ?? {};
  const options = new URLSearchParams(query);
  for (const name of [...options.keys()]) if (OF_THE_LINE.test(name)) options.delete(name);
  options.set('directConnection', 'true');
  return `mongodb://${user}127.0.0.1:${String(port)}${path}?${options.toString()}`;
}
