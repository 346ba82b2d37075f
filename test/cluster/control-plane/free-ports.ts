/** Ports that nothing on this machine listens on. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { LOCALHOST, type Ports } from './flags.ts';

/** All stay bound until the last is chosen, or the kernel could offer one twice. */
export async function chooseFreePorts(): Promise<Ports> {
  await using held = new AsyncDisposableStack();
  const choose = async (): Promise<number> => {
    const server = held.use(createServer());
    server.listen({ host: LOCALHOST, port: 0, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  return {
    etcd: await choose(),
    etcdPeer: await choose(),
    apiserver: await choose(),
    controllerManager: await choose(),
  };
}
