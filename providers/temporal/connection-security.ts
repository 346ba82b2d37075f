/**
 * How a connection to a Temporal server is secured: by the variables that all of Temporal's clients
 * know (TEMPORAL_API_KEY, TEMPORAL_TLS…), so settings for their command line also work for Varve.
 */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { VarveError } from '#core/errors.ts';

/** Values of `TEMPORAL_…` variables by name; they may hold secrets and are never printed. */
export type TemporalSecurity = Readonly<Record<string, string>>;

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
export type SecuredAddress = Pick<ConnectionOptions, 'tls' | 'apiKey' | 'metadata'> & {
  readonly address: string;
};

/**
 * Returns the connection options of clients and workers. Reads certificate files at each call.
 * @throws VarveError INVALID_INPUT if the settings conflict or a file cannot be read
 */
export function securedAddress(address: string, security: TemporalSecurity | null): SecuredAddress {
  if (security === null) return { address };
  try {
    const { connectionOptions } = loadClientConnectConfig({
      disableFile: true,
      overrideEnvVars: { ...security },
    });
    const { tls, apiKey, metadata } = connectionOptions;
    return {
      address,
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(metadata === undefined ? {} : { metadata }),
    };
  } catch (cause) {
    const message =
      'The connection to Temporal cannot be protected as the TEMPORAL_TLS_… variables say. ' +
      'Check that each names one certificate or key, and that its file can be read.';
    throw new VarveError('INVALID_INPUT', message, {
      details: { variables: Object.keys(security).toSorted() },
      cause,
    });
  }
}
