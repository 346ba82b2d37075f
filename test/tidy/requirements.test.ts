/** Every requirement is named by a test or listed as not built, and this check can fail. */
import { describe, expect, test } from 'vitest';
import {
  judge,
  namedTests,
  projectTests,
  readRequirements,
  REQUIREMENTS_FILE,
} from './requirements.ts';
import { readProjectFile, told } from './source-file.ts';

const LIST = `# Requirements
- SUM-01 made
- SUM-02 made in part
- SUM-03 not made

## Built in part

| id | what is missing |
|---|---|
| SUM-02 | the rest |

## Not yet built

- SUM-03 not made
`;

describe('the requirements', () => {
  test('TIDY-28: each requirement is named by one to three tests or listed as not yet built, but not both', () => {
    const requirements = readRequirements(readProjectFile(REQUIREMENTS_FILE));
    expect(requirements.sentences.size).toBeGreaterThan(90);
    expect(told(judge(requirements, projectTests()))).toEqual([]);
  });
});

describe('the check of the requirements', () => {
  const requirements = readRequirements({ path: REQUIREMENTS_FILE, text: LIST });
  const sound = ['SUM-01', 'SUM-02'];

  test('TIDY-31: it accepts a consistent list', () => {
    expect(problems(sound)).toEqual([]);
  });

  test.each([
    ['no test names SUM-01; write one, or list it under "Not yet built"', ['SUM-02']],
    ['a test names SUM-03; take it out of "Not yet built"', [...sound, 'SUM-03']],
    ['there is no requirement SUM-04', [...sound, 'SUM-04']],
    ['no test names SUM-02; it is not built in part', ['SUM-01']],
    [
      '4 tests name SUM-01; keep the 3 that prove it best',
      [...sound, 'SUM-01', 'SUM-01', 'SUM-01'],
    ],
  ])('TIDY-32: it reports: %s', (problem, ids) => {
    expect(problems(ids)).toContain(problem);
  });

  test('TIDY-33: requirement ids are found in calls of test and it, in templates, and in tables', () => {
    const text = [
      `it('a (SUM-01)', () => {});`,
      'test.each([1])(`SUM-02, SUM-03: b ${c}`, () => {});',
      `describe('of SUM-05', () => {}); log('SUM-05'); const TABLE = [['SUM-04: d', 1]];`,
    ].join('\n');
    const found = namedTests({ path: 'test/a.test.ts', text });
    expect(found.map(({ id, line }) => [id, line])).toEqual([
      ['SUM-01', 1],
      ['SUM-02', 2],
      ['SUM-03', 2],
      ['SUM-04', 3],
    ]);
  });

  function problems(ids: readonly string[]): readonly string[] {
    const tests = ids.map((id) => ({ id, path: 'test/a.test.ts', line: 1 }));
    return judge(requirements, tests).map(({ problem }) => problem);
  }
});
