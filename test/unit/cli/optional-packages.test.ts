import { expect, test } from 'vitest';
import { z } from 'zod';
import { explainMissingPackage, OPTIONAL_GROUPS } from '#cli/optional-packages.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});
const manifest = Manifest.parse(JSON.parse(readProjectFile('package.json').text));

test('every optional peer stands in one group, with its major version, and is tested here', () => {
  const { peerDependencies, devDependencies } = manifest;
  const wanted = Object.entries(peerDependencies).map(([name, range]) => {
    expect(range).toBe(`^${devDependencies[name] ?? ''}`);
    return `${name}@${range.slice(1).split('.')[0] ?? ''}`;
  });
  expect(OPTIONAL_GROUPS.flatMap(({ packages }) => packages).toSorted()).toEqual(wanted.toSorted());
  expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
});

test('a missing optional package is told with the command that installs its group', () => {
  const explained = explainMissingPackage(
    coded("Cannot find package '@temporalio/client' imported from /app/x.js"),
  );
  expect(explained).toMatchObject({
    code: 'PROVIDER_REJECTED',
    message: expect.stringContaining('npm install @temporalio/activity@1') as string,
    details: { package: '@temporalio/client' },
  });
});

test.each([
  ['a file of our own', coded("Cannot find module './x.js' imported from /app/y.js")],
  ['a package that is no option', coded("Cannot find package 'zod' imported from /app/y.js")],
  ['another error', new Error('no')],
  ['no error at all', 'no'],
])('%s comes back as it is', (_, thrown) => {
  expect(explainMissingPackage(thrown)).toBe(thrown);
});

function coded(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
}
