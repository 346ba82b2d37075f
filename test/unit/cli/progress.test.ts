import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgress } from '#cli/progress.ts';

const STEPS = 1_000;

function printed(isTerminal: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 100 });
  const report = createProgress({ stream });
  for (let done = 1; done <= STEPS; done += 1) {
    report.step({ label: 'building', done, total: STEPS, unit: 'packages' });
  }
  report.line('built');
  return String(stream.read() ?? '');
}

test('PROGRESS-1: a log gets one line for each fifth of a long step', () => {
  const lines = printed(false).trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[2]).toBe('varve: building: 600 of 1000 packages');
  expect(lines.at(-1)).toBe('varve: built');
});

test('PROGRESS-2: a terminal gets a bar that is drawn over', () => {
  const text = printed(true);
  expect(text).toContain('varve: building █');
  expect(text).toContain('1000/1000 packages');
  expect(text.endsWith('varve: built\n')).toBe(true);
});
