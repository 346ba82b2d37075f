import { describe, expect, it } from 'vitest';
import { readConfig } from '#cli/config.ts';
import { securedAddress, type TemporalSecurity } from '#providers/temporal/connection-security.ts';

const bytes = (value: string) => new TextEncoder().encode(value);

const ADDRESS = 'temporal.example.com:7233';

function securityIn(environment: Readonly<Record<string, string>>): TemporalSecurity | null {
  return readConfig({ TEMPORAL_ADDRESS: ADDRESS, ...environment }, {}).temporalSecurity;
}

describe('a connection to Temporal', () => {
  it.each<[string, Record<string, string>, unknown]>([
    ['may be plain', {}, { address: ADDRESS }],
    ['may use TLS', { TEMPORAL_TLS: 'true' }, { address: ADDRESS, tls: expect.anything() }],
    [
      'uses TLS with an API key',
      { TEMPORAL_API_KEY: 'a-key' },
      { address: ADDRESS, apiKey: 'a-key', tls: true },
    ],
    [
      'may use a certificate and another server name',
      {
        TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate',
        TEMPORAL_TLS_CLIENT_KEY_DATA: 'key',
        TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
      },
      {
        address: ADDRESS,
        tls: expect.objectContaining({
          serverNameOverride: 'temporal.internal',
          clientCertPair: { crt: bytes('certificate'), key: bytes('key') },
        }),
      },
    ],
  ])('%s', (_, environment, secured) => {
    expect(securedAddress(ADDRESS, securityIn(environment))).toEqual(secured);
  });

  it('fails with INVALID_INPUT for a missing file, without showing other values', () => {
    const environment = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere/tls.crt',
      TEMPORAL_TLS_CLIENT_KEY_DATA: 'a-secret-key',
    };
    const secure = () => securedAddress(ADDRESS, securityIn(environment));
    expect(secure).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(secure).toThrow(expect.not.stringContaining('a-secret-key'));
  });

  it('is plain for the embedded server, whatever is set', () => {
    const { temporalSecurity } = readConfig({ TEMPORAL_API_KEY: 'a-key' }, {});
    expect(temporalSecurity).toBeNull();
  });
});
