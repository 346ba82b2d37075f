import { describe, expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';

describe('settings of parts that run by themselves', () => {
  test('CONF-01: without any, nobody else can reach a port', () => {
    expect(readConfig({}, {})).toMatchObject({
      host: '127.0.0.1',
      apiToken: null,
      probePort: null,
      workflowBundle: null,
    });
  });

  test('CONF-01: an option stands above its variable', () => {
    const set = { VARVE_HOST: '0.0.0.0', VARVE_PROBE_PORT: '8081' };
    expect(readConfig(set, {})).toMatchObject({ host: '0.0.0.0', probePort: 8081 });
    expect(readConfig(set, { host: '10.0.0.1' })).toMatchObject({ host: '10.0.0.1' });
  });

  test.each([
    [{ VARVE_API_TOKEN: 'short' }, 'VARVE_API_TOKEN: a token has at least 16 characters'],
    [{ VARVE_PROBE_PORT: '70000' }, 'VARVE_PROBE_PORT: a port is a whole number'],
    [{ VARVE_HOST: '' }, 'VARVE_HOST'],
    [{ VARVE_SERVICE_ACCOUNT_AUDIENCE: 'varve' }, 'VARVE_SERVICE_ACCOUNT_TENANTS together'],
    [{ VARVE_SERVICE_ACCOUNT_TENANTS: 'team-a=acme' }, 'expected NAMESPACE=TENANT:ROLE'],
    [{ VARVE_SERVICE_ACCOUNT_TENANTS: 'team-a=acme:king' }, 'expected NAMESPACE=TENANT:ROLE'],
    [
      { VARVE_JWT_ISSUER: 'https://login.example' },
      'VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS together',
    ],
    [{ VARVE_JWT_ROLE_CLAIM: 'roles' }, 'VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS together'],
    [{ VARVE_JWT_ALGORITHMS: 'RS256,HS256' }, 'VARVE_JWT_ALGORITHMS: expected some of RS256'],
    [{ VARVE_JWT_ALGORITHMS: 'none' }, 'VARVE_JWT_ALGORITHMS: expected some of RS256'],
    [
      { VARVE_JWT_JWKS: 'http://login.example/keys' },
      'VARVE_JWT_JWKS: expected a file, or an https',
    ],
    [{ VARVE_JWT_IDENTIFIER_CLAIMS: 'userId' }, 'VARVE_JWT_IDENTIFIER_CLAIMS: expected NAME=CLAIM'],
    [
      { VARVE_JWT_IDENTIFIER_CLAIMS: 'user=sub' },
      'VARVE_JWT_IDENTIFIER_CLAIMS: expected NAME=CLAIM',
    ],
    [{ VARVE_TLS_CERT: 'tls.crt' }, 'set both VARVE_TLS_CERT (--tls-cert) and VARVE_TLS_KEY'],
  ])('CONF-01: %j is refused by its name', (environment, said) => {
    expect(() => readConfig(environment, {})).toThrow(said);
  });
});
