import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { endingOf } from '#cli/main.ts';

const FULL = new VarveError('PROVIDER_ERROR', 'The disk is full.');
const CLOSING = new VarveError('CANCELLED', 'It could not be closed.');

describe('how a command ends', () => {
  test.each([
    ['an error of ours', FULL],
    ['one that closing hid', new SuppressedError(CLOSING, FULL)],
    ['one that was hidden twice', new SuppressedError(CLOSING, new SuppressedError(CLOSING, FULL))],
  ])('CLI-EXIT-1: %s ends with its message and status', (_, error) => {
    expect(endingOf(error, false)).toEqual({
      status: 7,
      message: 'PROVIDER_ERROR: The disk is full.',
    });
  });

  test('CLI-EXIT-2: any other error is told as a fault of the program, without its text', () => {
    const ending = endingOf(new TypeError('secret text'), false);
    expect(ending.status).toBe(70);
    expect(ending.message).not.toContain('secret text');
  });
});
