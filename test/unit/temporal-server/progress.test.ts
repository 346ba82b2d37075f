import { expect, test } from 'vitest';

import { createProgressPrinter } from '#providers/temporal/server-progress.ts';
import { isAtLeast, parseTemporalVersion } from '#providers/temporal/server-version.ts';

function print(isTerminal: boolean, steps: number): string[] {
  const written: string[] = [];
  let clock = 0;
  const report = createProgressPrinter({
    write: (text) => written.push(text),
    isTerminal,
    now: () => clock,
  });
  for (let done = 1; done <= steps; done += 1) {
    clock += 10;
    report.step({ label: 'building', done, total: steps, unit: 'packages' });
  }
  report.line('built');
  return written;
}

test('TEMPORAL-9: a log gets one line for each tenth of a long step', () => {
  const written = print(false, 1_000);
  expect(written).toHaveLength(12);
  expect(written[5]).toBe('varve: building: 500 of 1000 packages, 5 s\n');
  expect(written.at(-1)).toBe('varve: built\n');
});

test('TEMPORAL-9: a terminal gets one line that is drawn over, ten times a second', () => {
  const written = print(true, 1_000);
  expect(written.length).toBeLessThan(110);
  expect(written.slice(0, -1).every((text) => !text.includes('\n'))).toBe(true);
  expect(written.at(-1)).toMatch(/^\r.*varve: built\n$/u);
});

test.for([
  ['temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)', '1.8.2', '1.31.2'],
  ['temporal version 0.0.0-DEV (Server 1.32.0-157.1, UI 2.51.0)', '0.0.0-DEV', '1.32.0-157.1'],
])('TEMPORAL-9: %j is understood', ([output = '', cliVersion, serverVersion]) => {
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
] as const)('TEMPORAL-9: %s at least 1.31: %s', ([version, expected]) => {
  expect(isAtLeast(version, '1.31')).toBe(expected);
});
