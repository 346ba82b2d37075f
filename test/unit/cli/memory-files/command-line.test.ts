/** Commands and options as people are told of them. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { commandLine, type CommandPlace } from '#cli/memory-files/command-line.ts';
import { inOptionWords } from '#cli/main.ts';
import { parseInput } from '#api/parse.ts';
import { VarveError } from '#core/errors.ts';
import { failureOf } from '#test/unit/library/open-library.ts';

test.each<[CommandPlace, string]>([
  [{ tenant: 'default' }, 'varve dream show a1'],
  [{ tenant: 'acme' }, 'varve dream show a1 --tenant acme'],
  [{ tenant: 'default', dataDir: './data' }, 'varve dream show a1 --data-dir ./data'],
  [
    { tenant: 'acme', dataDir: "Ann's data" },
    String.raw`varve dream show a1 --tenant acme --data-dir 'Ann'\''s data'`,
  ],
])('a command for %j can be pasted', (place, expected) => {
  expect(commandLine(['dream', 'show', 'a1'], place)).toBe(expected);
});

describe('what is wrong with an option', () => {
  const append = {
    tenant: 'acme',
    subject: { kind: 'user', id: 'ann' },
    text: 'Ann sings.',
  };
  const long = 'x'.repeat(2_000);

  test.each<[differing: object, said: RegExp]>([
    [{ at: 'yesterday' }, /^--at takes a date and a time .* 2026-11-21T14:30:00\+01:00\.$/u],
    [{ tenant: 'A' }, /^--tenant takes 1 to 63/u],
    [{ heading: long }, /^--heading takes one line of 1 to 200 characters\.$/u],
    [{ key: long }, /^--key takes 1 to 256/u],
    [{ sources: [long] }, /^--source takes an id/u],
    [{ subject: { kind: 'team', id: 'x' } }, /^--subject takes user\/ID/u],
    [{ text: ' ' }, /^text: expected some text$/u],
  ])('%j is told by the name of the option', async (differing, said) => {
    const call = async () => parseInput(OPERATIONS.daily.append.input, { ...append, ...differing });
    const error = await failureOf(inOptionWords(call));
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(error.message).toMatch(said);
  });

  test('a reason without words is told so', async () => {
    const call = async () =>
      parseInput(OPERATIONS.dream.reject.input, { tenant: 'a', id: 'b', reason: ' ' });
    expect((await failureOf(inOptionWords(call))).message).toMatch(/^--reason takes some words/u);
  });

  test('an answer, and every other failure, stays what it is', async () => {
    expect(await inOptionWords(async () => 7)).toBe(7);
    const failure = new VarveError('CONFLICT', 'Another wrote first.');
    const call = async () => {
      throw failure;
    };
    expect(await failureOf(inOptionWords(call))).toBe(failure);
  });
});
