import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProgress } from '#cli/progress-bar.ts';
import { fittedWidths, renderTable, forOutput, visible } from '#cli/terminal-text.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

test.each([
  ['\u001B[31mred', '␛[31mred'],
  ['\u0000\u0007\u007F', '␀␇␡'],
  ['over\rwritten', 'over␍written'],
  ['two\r\nlines\tand\ntabs', 'two\nlines\tand\ntabs'],
  ['\u009B2J', '<U+009B>2J'],
  ['a\u202Eb\u2066c\u200Ed\u061Ce', 'a<U+202E>b<U+2066>c<U+200E>d<U+061C>e'],
  ['\u{E0041}', '<U+E0041>'],
  ['Kiel → Malmö, 東京, مرحبا, \u{1F469}\u200D\u{1F680}', null],
])('visible shows every hidden character of %j', (text, seen) => {
  expect(visible(text)).toBe(seen ?? text);
});

test('visible text never moves the cursor or changes the direction', () => {
  const text = fc.string({ unit: ANY_CHARACTER, maxLength: 60 });
  const moving = /[\p{Bidi_Control}\p{Cc}]/u;
  fc.assert(
    fc.property(text, (said) => {
      expect(moving.test(visible(said).replaceAll(/[\n\t]/gu, ''))).toBe(false);
    }),
  );
});

test('a program gets a file unchanged, and a terminal gets visible characters', () => {
  const text = '- Ann\u001B[2K\n';
  expect(forOutput(text, {})).toBe(text);
  expect(forOutput(text, { isTTY: false })).toBe(text);
  expect(forOutput(text, { isTTY: true })).toBe('- Ann␛[2K\n');
});

const ID = '01a2031c-7368-746f-8193-ccf22d574cd8';
const AT = '2026-11-21T02:00:00.000Z';
const LONG = 'a name that goes on for longer than a terminal is wide, and then a little';
const WHAT = 'what became of it in words';
const ROW = [ID, AT, LONG, WHAT];

test('a table outside a terminal is not shortened', () => {
  const text = renderTable(['dream', 'made', 'of', 'what'], [ROW]);
  for (const cell of ROW) expect(text).toContain(cell);
});

test.each([
  [Infinity, [], [ID.length, AT.length, LONG.length, WHAT.length]],
  [120, [], [ID.length, AT.length, 26, 26]],
  [120, [3], [ID.length, AT.length, 26, WHAT.length]],
  [80, [3], [ID.length, AT.length, 6, WHAT.length]],
  [80, [], [ID.length, AT.length, 6, 6]],
])('within %j characters, ids, times and the columns %j stay whole', (most, whole, fit) => {
  expect(fittedWidths([ROW], { most, whole })).toEqual(fit);
});

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

test('PROGRESS-2: a terminal gets a bar that is redrawn', () => {
  const text = printed(true);
  expect(text).toContain('varve: building █');
  expect(text).toContain('1000/1000 packages');
  expect(text.endsWith('varve: built\n')).toBe(true);
});
