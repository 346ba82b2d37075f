/** `varve api`: the API alone, for a cluster where workers and operator are programs apart. */
import { createLog } from '#providers/node/log.ts';
import { createTimers } from '#providers/node/timers.ts';
import { checkExposure } from '#api/exposure.ts';
import { VarveError } from '#core/errors.ts';
import { runApi } from '../api/run-api.ts';
import type { Config } from '../config.ts';
import { aborted, endWithin, shutdownSignal } from '../shutdown.ts';
import { localToken } from '../stack/api-token.ts';
import { openTokenReaders } from '../token-readers.ts';
import { stackPaths } from '../stack/paths.ts';

/** Above the time that calls under way are given. */
const END_WITHIN_MS = 20_000;

/** @throws VarveError INVALID_INPUT without the address of a Temporal server */
export async function apiCommand(config: Config): Promise<void> {
  const { temporalAddress: address, temporalNamespace: namespace, dataDir } = config;
  const { temporalSecurity: security } = config;
  if (address === null) {
    const message = 'The API by itself needs TEMPORAL_ADDRESS, the server of its workers.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const { isReadable } = checkExposure({
    host: config.host,
    isAuthenticationSet: [config.apiToken, config.jwt, config.serviceAccounts].some(
      (each) => each !== null,
    ),
    hasTls: config.tls !== null,
    isTrusted: config.isTrustedNetwork,
  });
  const signal = shutdownSignal();
  endWithin(signal, END_WITHIN_MS);
  const log = createLog({ level: config.logLevel, destination: process.stdout });
  if (isReadable) {
    log.warn({ host: config.host }, 'tokens and memories cross the network unencrypted');
  }
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  await using api = await runApi({
    dataDir,
    settings: config.settings,
    host: config.host,
    port: config.apiPort,
    tls: config.tls,
    isRequestLogOn: config.isRequestLogOn,
    openTokenReaders: (platform) => openTokenReaders(config, platform),
    token: config.apiToken ?? (await localToken(stackPaths(dataDir).token)),
    metricsPort: config.metricsPort,
    connect: () => connectTemporal({ address, namespace, security }),
    timers: createTimers(),
    log,
  });
  process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'ready', url: api.url })}\n`);
  await aborted(signal);
}
