/** Tables that are wider than where they are shown. */
import { expect, test } from 'vitest';
import { fittedWidths, renderTable } from '#cli/demo/table.ts';

const ID = '01a2031c-7368-746f-8193-ccf22d574cd8';
const AT = '2026-11-21T02:00:00.000Z';
const LONG = 'a name that goes on for longer than a terminal is wide, and then a little';
const WHAT = 'what became of it in words';
const ROW = [ID, AT, LONG, WHAT];

test('what no terminal shows is not shortened', () => {
  const text = renderTable(['dream', 'made', 'of', 'what'], [ROW]);
  for (const cell of ROW) expect(text).toContain(cell);
});

test.each([
  [Infinity, [], [ID.length, AT.length, LONG.length, WHAT.length]],
  [120, [], [ID.length, AT.length, 26, 26]],
  [120, [3], [ID.length, AT.length, 26, WHAT.length]],
  [80, [3], [ID.length, AT.length, 6, WHAT.length]],
  [80, [], [ID.length, AT.length, 6, 6]],
])('within %j characters ids, times and the columns %j stay whole', (most, whole, fit) => {
  expect(fittedWidths([ROW], { most, whole })).toEqual(fit);
});
