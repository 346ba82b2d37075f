/** Ports that another program holds. */
import { createServer, type AddressInfo } from 'node:net';

/** A port of this machine that is taken until the answer is disposed of. */
export async function takenPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** A port that was free a moment ago, for a program that can't choose one itself. */
export async function freePort(): Promise<string> {
  await using taken = await takenPort();
  return String(taken.port);
}
