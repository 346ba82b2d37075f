/** Where the API may listen: on this machine, or with a token on any address. */
import { describe, expect, test } from 'vitest';
import { checkExposure, type Exposure } from '#cli/commands/api.ts';

const BARE = { isAuthenticationSet: false, hasTls: false, isTrusted: false };
const look = (host: string, set: Partial<Exposure> = {}) =>
  checkExposure({ ...BARE, host, ...set });

describe('an API', () => {
  test.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost'])(
    'listens at %s, on this machine, without settings',
    (host) => {
      expect(look(host)).toEqual({ isReadable: false });
    },
  );

  test.each(['0.0.0.0', '::', '10.0.0.1', '127.example.com', 'localhost.example', '128.0.0.1'])(
    'is refused at %s without authentication',
    (host) => {
      expect(() => look(host)).toThrow(host);
      expect(() => look(host, { hasTls: true })).toThrow('VARVE_API_TOKEN');
    },
  );

  test('listens anywhere with a token, and reports a connection without TLS as readable', () => {
    const set = { isAuthenticationSet: true };
    expect(look('0.0.0.0', set)).toEqual({ isReadable: true });
    expect(look('0.0.0.0', { ...set, hasTls: true })).toEqual({ isReadable: false });
  });

  test('listens anywhere on a trusted network', () => {
    expect(look('0.0.0.0', { isTrusted: true })).toEqual({ isReadable: false });
  });
});
