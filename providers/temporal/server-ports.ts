/** Chooses free ports for a server on this machine. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { VarveError } from '#core/errors.ts';

export interface ServerPorts {
  readonly grpc: number;
  readonly ui: number;
  readonly http: number;
  readonly metrics: number;
}

/** The ports that the user set; Varve chooses the others. */
export interface DesiredPorts {
  readonly grpc?: number | undefined;
  readonly ui?: number | undefined;
}

/**
 * Returns four different free ports. Another program may take one before the server does, so a
 * start that fails on a chosen port is retried with new ones.
 * Errors: INVALID_INPUT with `details.port` when a port that the user set is taken.
 */
export async function choosePorts(ip: string, desired: DesiredPorts): Promise<ServerPorts> {
  const listeners: Server[] = [];
  // All four stay bound until the last is chosen; otherwise the kernel could offer one twice.
  const claim = async (port: number | undefined): Promise<number> => {
    const listener = await listen(ip, port);
    listeners.push(listener);
    return (listener.address() as AddressInfo).port;
  };
  try {
    return {
      grpc: await claim(desired.grpc),
      ui: await claim(desired.ui),
      http: await claim(undefined),
      metrics: await claim(undefined),
    };
  } finally {
    await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
  }
}

/** Returns the error for a port that the user set and that is not available; `cause` says why. */
export function portRefused(port: number, cause?: NodeJS.ErrnoException): VarveError {
  const inUse = cause?.code === undefined || cause.code === 'EADDRINUSE';
  const refusal = `can't be used (${cause?.code ?? ''})`;
  const problem = inUse ? 'is in use: end the program that uses it' : refusal;
  const message = `Port ${port} ${problem}, set another port, or leave it unset for a free one.`;
  return new VarveError('INVALID_INPUT', message, { details: { port }, cause });
}

function listen(ip: string, port: number | undefined): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      reject(port === undefined ? error : portRefused(port, error));
    });
    server.listen({ host: ip, port: port ?? 0, exclusive: true }, () => {
      resolve(server);
    });
  });
}
