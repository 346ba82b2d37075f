import { describe, expect, test } from 'vitest';
import { restoredLines, type SourceEnd } from '#core/memory-files/restored-lines.ts';
import { lineOf } from './tier-samples.ts';

const OLD = lineOf('old', 'Rent is 900 euros.', { sources: ['mon'] });
const MIDDLE = lineOf('middle', 'Rent is 1,150 euros.', { sources: ['tue', 'mon'] });
const NEW = lineOf('new', 'Rent is 1,210 euros.', {
  sources: ['wed', 'tue', 'mon'],
  heading: 'Home',
});

function shown(gone: readonly string[], supersededBy: string | null = null): readonly string[] {
  const ends = new Map(gone.map((id): [string, SourceEnd] => [id, { at: Infinity, supersededBy }]));
  return restoredLines([NEW], [OLD, MIDDLE], ends).map(({ id }) => id);
}

describe('a line of MEMORY.md that no longer holds', () => {
  test.each([
    ['no source is gone', [], ['new']],
    ['the newest source is gone', ['wed'], ['middle']],
    ['both newer sources are gone', ['wed', 'tue'], ['old']],
    ['all sources are gone', ['wed', 'tue', 'mon'], []],
    ['only the middle source is gone', ['tue'], []],
  ])('is replaced from the archive by what still holds if %s', (_, gone, ids) => {
    expect(shown(gone)).toEqual(ids);
  });

  test('passes its heading on to the line that replaces it', () => {
    const ends = new Map([['wed', { at: Infinity, supersededBy: null }]]);
    expect(restoredLines([NEW], [OLD, MIDDLE], ends)).toEqual([{ ...MIDDLE, heading: 'Home' }]);
  });

  test('still holds if it rests on what superseded its source', () => {
    expect(shown(['mon'], 'tue')).toEqual(['new']);
    expect(shown(['mon'], 'thu')).toEqual([]);
  });

  test('may be replaced by a line that a person wrote', () => {
    const written = lineOf('by-hand', 'Rent is 850 euros.', { sources: [] });
    const newer = lineOf('newer', 'Rent is 900 euros.', { sources: ['mon', 'by-hand'] });
    const ends = new Map([['mon', { at: Infinity, supersededBy: null }]]);
    expect(restoredLines([newer], [written], ends)).toEqual([written]);
  });
});
