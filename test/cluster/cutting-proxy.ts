/** A line to a MongoDB server that can be cut around a command. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `Request`: the server never hears the command; `Answer`: it does it, and nobody hears of it. */
export type Cut = 'Request' | 'Answer';

export interface CuttingProxy extends AsyncDisposable {
  readonly uri: string;
  /** Cuts around the command of this number from now on, counted from 0. */
  cutAt(command: number, what: Cut): void;
  /** Whether it came to that command. */
  hasCut(): boolean;
}

/** What the driver sends by itself: it greets, and asks now and then whether the server lives. */
const GREETING = /ismaster|hello/iu;

interface State {
  left: number;
  what: Cut;
  cut: boolean;
}

export async function startCuttingProxy(uri: string): Promise<CuttingProxy> {
  const target = new URL(uri);
  const upstreamPort = Number(target.port);
  const state: State = { left: Number.POSITIVE_INFINITY, what: 'Request', cut: false };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(upstreamPort, target.hostname);
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
  target.port = String(port);
  return {
    uri: target.href,
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
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  client.on('data', (sent: Buffer) => {
    if (!GREETING.test(sent.toString('latin1'))) {
      if (state.left === 0) {
        state.cut = true;
        if (state.what === 'Request') return end();
        answerIsCut = true;
      }
      state.left -= 1;
    }
    upstream.write(sent);
  });
  upstream.on('data', (answer: Buffer) => {
    if (answerIsCut) end();
    else client.write(answer);
  });
  client.once('close', end);
  upstream.once('close', end);
}
