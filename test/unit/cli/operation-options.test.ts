/** Options of the command line take what the fields of operations take. */
import { expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { choiceOption, numberOption } from '#cli/operation-options.ts';
import { thrownBy } from '#test/unit/failures.ts';

const { search } = OPERATIONS.memory;
const { versions } = OPERATIONS.document;

test('CLI-3: an option that is not given is no field', () => {
  expect(numberOption(search, 'limit', undefined)).toEqual({});
  expect(choiceOption(search, 'mode', undefined)).toEqual({});
});

test('CLI-3: what fits becomes the field', () => {
  expect(numberOption(search, 'limit', '7')).toEqual({ limit: 7 });
  expect(numberOption(search, 'threshold', '0.25')).toEqual({ threshold: 0.25 });
  expect(choiceOption(search, 'mode', 'keyword')).toEqual({ mode: 'keyword' });
});

test.each<[call: () => unknown, said: string]>([
  [
    () => numberOption(versions, 'limit', '51'),
    '--limit takes a whole number from 1 to 50, and not "51".',
  ],
  [
    () => numberOption(versions, 'before', '1.5'),
    '--before takes a whole number from 1 on, and not "1.5".',
  ],
  [
    () => numberOption(OPERATIONS.context.assemble, 'maxTokens', ' '),
    '--max-tokens takes a whole number from 1 on, and not " ".',
  ],
  [
    () => numberOption(OPERATIONS.dream.run, 'lookbackDays', '367'),
    '--lookback-days takes a whole number from 1 to 366, and not "367".',
  ],
  [
    () => numberOption(search, 'threshold', '1e999'),
    '--threshold takes a number from 0 to 1, and not "1e999".',
  ],
  [
    () => choiceOption(OPERATIONS.dream.list, 'state', 'Open'),
    '--state takes one of Waiting, Approved, Applied, Rejected, Outdated, and not "Open".',
  ],
])('CLI-3: what does not fit is told with what does (%#)', (call, said) => {
  const { code, message } = thrownBy(call);
  expect({ code, message }).toEqual({ code: 'INVALID_INPUT', message: said });
});
