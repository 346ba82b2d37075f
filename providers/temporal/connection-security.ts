/**
 * How a connection to a Temporal server is protected, by the variables that every client of
 * Temporal's knows (TEMPORAL_API_KEY, TEMPORAL_TLS…), so that what connects their command line
 * connects Varve.
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
 * What a client and a worker connect with. Certificates are read from their files at each call.
 * @throws VarveError INVALID_INPUT where they don't fit together or a file can't be read
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
