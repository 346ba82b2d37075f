/** Who may read a port, and how many callers may at once. */
import { describe, expect, test } from 'vitest';
import { connectionsMax, hasToken } from '#api/http-port.ts';

const TOKEN = 'a-token-of-this-installation';
const request = (authorization?: string) => ({ headers: { authorization } });

describe('the token of a request', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('is read after %s', (scheme) => {
    expect(hasToken(request(`${scheme} ${TOKEN}`), TOKEN)).toBe(true);
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`])(
    'is not accepted as %j',
    (authorization) => {
      expect(hasToken(request(authorization), TOKEN)).toBe(false);
    },
  );

  test.each([undefined, '', 'Bearer', 'Bearer '])(
    'never matches an empty token, as with %j',
    (authorization) => {
      expect(hasToken(request(authorization), '')).toBe(false);
    },
  );
});

describe('the connections of a port', () => {
  test.each([
    { openFiles: null, most: 1_024 },
    { openFiles: 1_000_000, most: 1_024 },
    { openFiles: 1_024, most: 768 },
    { openFiles: 256, most: 64 },
    { openFiles: 3, most: 1 },
  ])('leave room for other files if $openFiles may be open', ({ openFiles, most }) => {
    expect(connectionsMax(openFiles)).toBe(most);
  });
});
