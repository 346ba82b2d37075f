/** Options of the command line accept the same values as the fields of operations. */
import { expect, test, describe } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '#api/operations/table.ts';
import { exitOf } from '#cli/main.ts';
import { nodeVersionProblem } from '#cli/check-node-version.ts';
import { inputFromOptions, numberFor } from '#cli/operation-input.ts';
import { nextSteps } from '#cli/commands/init.ts';
import { expiryFrom } from '#cli/commands/keys.ts';
import {
  explainMissingPackage,
  MCP,
  missingFor,
  OPTIONAL_GROUPS,
  SERVER,
} from '#cli/optional-packages.ts';
import { commandName } from '#cli/config.ts';
import { VarveError } from '#core/errors.ts';
import { thrownBy } from '#test/unit/failures.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const { search } = OPERATIONS.memory;
const { versions } = OPERATIONS.document;

const asked = { tenant: 'acme', query: 'What now?' };
const of = { tenant: 'acme', subject: 'user/ann' };

test('CLI-3: an option that is not given sets no field', () => {
  const input = inputFromOptions(search, asked);
  expect(input).toEqual({ ...asked, identifiers: {} });
});

test('CLI-3: a valid option sets its field', () => {
  const options = { ...asked, limit: '7', threshold: '0.25', mode: 'keyword', user: 'ann' };
  expect(inputFromOptions(search, options, { explain: true })).toEqual({
    ...asked,
    limit: 7,
    threshold: 0.25,
    mode: 'keyword',
    explain: true,
    identifiers: { userId: 'ann' },
  });
  expect(inputFromOptions(versions, of).subject).toEqual({ kind: 'user', id: 'ann' });
});

test.each<[call: () => unknown, said: string]>([
  [
    () => inputFromOptions(versions, { ...of, limit: '51' }),
    '--limit takes a whole number from 1 to 50, not "51".',
  ],
  [
    () => inputFromOptions(versions, { ...of, before: '1.5' }),
    '--before takes a whole number from 1 on, not "1.5".',
  ],
  [
    () => numberFor(OPERATIONS.document.get, 'version', '0', 'The version'),
    'The version takes a whole number from 1 on, not "0".',
  ],
  [
    () => inputFromOptions(OPERATIONS.context.assemble, { ...asked, maxTokens: ' ' }),
    '--max-tokens takes a whole number from 1 on, not " ".',
  ],
  [
    () => inputFromOptions(OPERATIONS.dream.run, { ...of, lookbackDays: '367' }),
    '--lookback-days takes a whole number from 1 to 366, not "367".',
  ],
  [
    () => inputFromOptions(search, { ...asked, threshold: '1e999' }),
    '--threshold takes a number from 0 to 1, not "1e999".',
  ],
  [
    () => expiryFrom('90', 0),
    '--expires takes a duration or a date, such as 90d or 2027-01-31T00:00:00Z, not "90". ' +
      'Did you mean 90d?',
  ],
  [
    () => inputFromOptions(OPERATIONS.dream.list, { tenant: 'acme', state: 'Open' }),
    '--state takes one of Waiting, Approved, Applied, Rejected, Outdated, not "Open".',
  ],
])('CLI-3: an invalid option is refused with the values that it takes (%#)', (call, said) => {
  const { code, message } = thrownBy(call);
  expect({ code, message }).toEqual({ code: 'INVALID_INPUT', message: said });
});

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});
const manifest = Manifest.parse(JSON.parse(readProjectFile('package.json').text));

test('every optional peer is in one group, with its major version, and in devDependencies', () => {
  const { peerDependencies, devDependencies } = manifest;
  const wanted = Object.entries(peerDependencies).map(([name, range]) => {
    expect(range).toBe(`^${devDependencies[name] ?? ''}`);
    return `${name}@${range.slice(1).split('.')[0] ?? ''}`;
  });
  expect(OPTIONAL_GROUPS.flatMap(({ packages }) => packages).toSorted()).toEqual(wanted.toSorted());
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
});

test('the error about a missing optional package has the command that installs its group', () => {
  const explained = explainMissingPackage(
    coded("Cannot find package '@temporalio/client' imported from /app/x.js"),
  );
  expect(explained).toMatchObject({
    code: 'MISSING_PACKAGE',
    message: expect.stringContaining('npm install @temporalio/activity@1') as string,
    details: { package: '@temporalio/client' },
  });
});

test('init and doctor name only the packages that a project lacks', () => {
  const isThere = (name: string) => name !== 'prom-client';
  const missing = (purposes: readonly string[]) => missingFor(purposes, isThere);
  const line = missing([SERVER, MCP]) ?? '';
  expect(line).toMatch(/^npm install @temporalio\/activity@1 .* prom-client@15$/u);
  expect(missingFor([SERVER, MCP])).toBeNull();
  const found = { packageName: null, packages: [], names: ['.mcp.json'] };
  const steps = nextSteps(found, { tenant: 'acme', varve: 'varve', missing });
  expect(steps.slice(0, 3).map(({ what }) => what)).toEqual(['check', 'install', 'start']);
});

test('init prints npx commands if npx ran it, and bare commands otherwise', () => {
  const found = { packageName: null, packages: [], names: [] };
  const steps = (environment: Readonly<Record<string, string>>) =>
    nextSteps(found, { tenant: 'acme', varve: commandName(environment), missing: () => null });
  expect(steps({ npm_command: 'exec' }).map(({ how }) => how)).toEqual([
    'npx varve doctor',
    'npx varve start',
  ]);
  expect(steps({})[0]).toEqual({ what: 'check', how: 'varve doctor' });
});

test.each(['README.md', 'docs/rest.md'])('%s names the packages of the server', (page) => {
  const line = missingFor([SERVER], () => false) ?? '';
  expect(readProjectFile(page).text.replaceAll(/ \\\n\s+/gu, ' ')).toContain(line);
});

test.each([
  ['a file of our own', coded("Cannot find module './x.js' imported from /app/y.js")],
  ['a package that is not optional', coded("Cannot find package 'zod' imported from /app/y.js")],
  ['another error', new Error('no')],
  ['no error at all', 'no'],
])('%s is returned unchanged', (_, thrown) => {
  expect(explainMissingPackage(thrown)).toBe(thrown);
});

function coded(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
}

test.each(['22.16.0', '22.23.3', '24.0.0', '30.1.2'])('Node %s runs Varve', (version) => {
  expect(nodeVersionProblem(version)).toBeNull();
});

test.each(['18.20.8', '20.20.2', '22.15.1'])(
  'on Node %s, the error says what Varve needs',
  (version) => {
    expect(nodeVersionProblem(version)).toContain(
      `This is Node ${version}; Varve needs 22.16 or newer.`,
    );
  },
);

const FULL = new VarveError('PROVIDER_ERROR', 'The disk is full.');
const CLOSING = new VarveError('CANCELLED', 'It could not be closed.');

describe('how a command ends', () => {
  test.each([
    ['a VarveError', FULL],
    ['a VarveError that a closing error hides', new SuppressedError(CLOSING, FULL)],
    [
      'a VarveError that is hidden twice',
      new SuppressedError(CLOSING, new SuppressedError(CLOSING, FULL)),
    ],
  ])('CLI-EXIT-1: %s ends with its message and status', (_, error) => {
    expect(exitOf(error, false)).toEqual({
      status: 7,
      message: 'PROVIDER_ERROR: The disk is full.',
    });
  });

  test.each<[code: string, syscall: string, said: RegExp]>([
    ['EROFS', 'mkdir', /"\/data\/lock" .*read-only.*another folder/u],
    ['EACCES', 'open', /"\/data\/lock" .*this user/u],
    ['EPERM', 'chmod', /"\/data\/lock" .*this user/u],
    ['ENOSPC', 'write', /"\/data\/lock" .*no space/u],
    ['ENOTDIR', 'mkdir', /"\/data\/lock" .*not a folder/u],
    ['ENOENT', 'open', /"\/data\/lock" .*not there/u],
  ])('a refusal of the file system, %s, names the place and what to do', (code, syscall, said) => {
    const refusal = Object.assign(new Error(`${code}: x`), { code, syscall, path: '/data/lock' });
    const { status, message } = exitOf(refusal, false);
    expect(status).toBe(8);
    expect(message).toMatch(/^PROVIDER_REJECTED: /u);
    expect(message).toMatch(said);
  });

  test.each([
    ['of another kind', { code: 'EFAULT', syscall: 'open', path: '/data/lock' }],
    ['without a place', { code: 'EACCES', syscall: 'listen' }],
  ])('an error of the system %s is a program fault', (_, fields) => {
    expect(exitOf(Object.assign(new Error('x'), fields), false).status).toBe(70);
  });

  test('CLI-EXIT-2: any other error ends as a program fault, without its text', () => {
    const ending = exitOf(new TypeError('secret text'), false);
    expect(ending.status).toBe(70);
    expect(ending.message).not.toContain('secret text');
  });
});
