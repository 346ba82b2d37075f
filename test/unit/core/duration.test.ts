import { assert, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '#core/duration.ts';

describe('durations', () => {
  test.each([
    ['0s', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['90m', 5_400_000],
    ['1h30m', 5_400_000],
    ['1d12h', 129_600_000],
    ['7d', 604_800_000],
  ])('POLICY-1: %s is a duration of %d ms', (text, millis) => {
    expect(parseDuration(text)).toBe(millis);
  });

  test.each([
    ['no unit', '5'],
    ['an unknown unit', '5w'],
    ['a word', '5 minutes'],
    ['a fraction', '1.5h'],
    ['a sign', '-5m'],
    ['units out of order', '30s5m'],
    ['a repeated unit', '5m5m'],
    ['nothing', ''],
    ['surrounding spaces', ' 5m '],
    ['a line break at the end', '5m\n'],
    ['too many digits', '12345678d'],
    ['digits of another script', '٥m'],
  ])('POLICY-1: a text with %s is not a duration', (_, text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test('POLICY-1: every number of milliseconds survives formatting and parsing', () => {
    assert(
      property(nat({ max: 366 * 86_400_000 }), (millis) => {
        expect(parseDuration(formatDuration(millis))).toBe(millis);
      }),
    );
  });
});
