/** Which environment variables the programs that fetch and run Temporal get. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { goBuildEnvironment, programEnvironment } from '#providers/temporal/child-environment.ts';
import type { Command, Environment } from '#providers/temporal/server-platform.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { fakePlatform } from './fake-platform.ts';

const MACHINE = {
  PATH: '/usr/bin',
  HOME: 'home',
  TMPDIR: 'temporary',
  LC_ALL: 'C',
  GOMEMLIMIT: '1GiB',
};
const OF_BUILDS = {
  GOPROXY: 'https://modules.example',
  GOPRIVATE: 'example.com',
  GOMODCACHE: '/cache',
  HTTPS_PROXY: 'http://proxy:3128',
  no_proxy: 'localhost',
  SSL_CERT_FILE: '/etc/authority.pem',
  NETRC: 'its.netrc',
};
const KEPT_BACK = {
  OPENAI_API_KEY: 'a secret',
  GOOGLE_API_KEY: 'a secret',
  GOOGLE_APPLICATION_CREDENTIALS: '/a/secret.json',
  GODADDY_TOKEN: 'a secret',
  MONGODB_URI: 'mongodb://a:secret@b',
  VARVE_API_TOKEN: 'a secret',
  TEMPORAL_ADDRESS: 'elsewhere:7233',
  AWS_SECRET_ACCESS_KEY: 'a secret',
  GOOS: 'plan9',
  LD_PRELOAD: '/a/library.so',
};
const ALL = { ...MACHINE, ...OF_BUILDS, ...KEPT_BACK, GOFLAGS: '-mod=mod', GOWORK: '/go.work' };
const SET = { GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' };

test('a program gets only what it needs of its machine', () => {
  expect(programEnvironment(ALL)).toEqual(MACHINE);
});

test('a Go build also gets the settings for its modules, but no key', () => {
  expect(goBuildEnvironment(ALL)).toEqual({ ...MACHINE, ...OF_BUILDS, ...SET });
  expect(goBuildEnvironment({ GOTOOLCHAIN: 'local' })).toEqual({ ...SET, GOTOOLCHAIN: 'local' });
});

test.each([
  ['is built', { goVersion: '1.26.8', built: '1.31.2' }],
  ['is downloaded', { archive: 'an archive', downloaded: '1.31.2' }],
  ['is on PATH', { onPath: '1.31.2' }],
])('if Temporal %s, no program gets any secret', async (_, machine) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-environment-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakePlatform(machine, folder);
  const given: Environment[] = [];
  const run = async (command: Command) => {
    given.push(command.env ?? ALL);
    return fake.platform.run(command);
  };
  const platform = { ...fake.platform, env: { ...fake.platform.env, ...ALL }, run };
  await obtainTemporal({ platform, report: fake.report }).catch(() => undefined);
  expect(given.length).toBeGreaterThan(0);
  const names = new Set(given.flatMap((each) => Object.keys(each)));
  expect([...names].filter((name) => Object.hasOwn(KEPT_BACK, name))).toEqual([]);
});
