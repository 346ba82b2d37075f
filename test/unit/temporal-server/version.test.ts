import { expect, test } from 'vitest';

import { isAtLeast, parseTemporalVersion } from '#providers/temporal/server-version.ts';

test.for([
  ['temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)', '1.8.2', '1.31.2'],
  ['temporal version 0.0.0-DEV (Server 1.32.0-157.1, UI 2.51.0)', '0.0.0-DEV', '1.32.0-157.1'],
])('TEMPORAL-9: %j is parsed', ([output = '', cliVersion, serverVersion]) => {
  expect(parseTemporalVersion(output)).toEqual({ cliVersion, serverVersion });
});

test.for(['', 'temporal: not found', 'tctl version 1.18.1', 'version 2 (Server )'])(
  'TEMPORAL-9: %j names no server',
  (output) => {
    expect(parseTemporalVersion(output)).toBeUndefined();
  },
);

test.for([
  ['1.31.0', true],
  ['1.31.2', true],
  ['1.31', true],
  ['1.100.0', true],
  ['2.0.0', true],
  ['1.30.9', false],
  ['1.4.0', false],
  ['0.99.0', false],
] as const)('TEMPORAL-9: %s is at least 1.31: %s', ([version, expected]) => {
  expect(isAtLeast(version, '1.31')).toBe(expected);
});
