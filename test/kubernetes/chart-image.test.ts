/** What the Dockerfile builds, as far as that works without an engine (chart-image-steps.ts). */
import { rm, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestTemporal, type TestTemporal } from '../cluster/test-temporal.ts';
import { freePort } from '../e2e/ports.ts';
import { until } from '../e2e/until.ts';
import { startVarve, temporaryFolder, type VarveProcess } from '../e2e/varve-process.ts';
import { readProjectFile, ROOT } from '../tidy/source-file.ts';
import { buildImage, readDockerfile, type Image } from './chart-image-steps.ts';

/** Packages come through the network once. */
const BUILD_MS_MAX = 12 * 60_000;
const TOKEN = 'a-token-of-this-test-alone';

describe('the image of the Dockerfile', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let temporal: TestTemporal;
  let image: Image;
  let main = '';
  beforeAll(async () => {
    [folder, temporal] = await Promise.all([temporaryFolder(), startTestTemporal()]);
    const programs = path.dirname(process.execPath);
    image = await buildImage({ folder: folder.path, context: ROOT, programs });
    main = path.join(image.root, image.entrypoint[1] ?? '');
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await Promise.all([folder[Symbol.asyncDispose](), temporal[Symbol.asyncDispose]()]);
  });

  /** As the image starts it: its own variables, with its own paths under the stage's folder. */
  const start = (args: readonly string[], env: Readonly<Record<string, string>>): VarveProcess => {
    const own = Object.entries(image.env).map(([name, value]) => {
      return [name, value.startsWith('/') ? path.join(image.root, value) : value];
    });
    const given = { TEMPORAL_ADDRESS: temporal.address, VARVE_LOG_LEVEL: 'debug', ...env };
    return startVarve(args, {
      program: main,
      cwd: path.join(image.root, 'app'),
      env: { ...(Object.fromEntries(own) as Record<string, string>), ...given },
    });
  };

  test('contains only files and packages that run', async () => {
    const listed = (await readdir(path.join(image.root, 'app'))).toSorted();
    expect(listed).toEqual([
      'LICENSE',
      ...['activities', 'api', 'cli', 'core', 'crds', 'memory', 'node_modules', 'operator'],
      ...['package-lock.json', 'package.json', 'providers', 'store'],
      ...['workflow-bundle.js', 'workflows'],
    ]);
    const packages = await readdir(path.join(image.root, 'app', 'node_modules'));
    expect(packages).toContain('mongodb');
    expect(packages.filter((name) => ['vitest', 'knip', 'oxlint', 'node'].includes(name))).toEqual(
      [],
    );
  });

  test('runs as a non-root user on the Node version that the tests use', () => {
    expect(Number(image.user.split(':')[0])).toBeGreaterThan(0);
    const manifest = JSON.parse(readProjectFile('package.json').text) as {
      devDependencies: { node: string };
    };
    const bases = readDockerfile(readProjectFile('Dockerfile').text)
      .filter(({ name }) => name === 'FROM')
      .map(({ rest }) => rest.split(' ')[0]);
    expect(new Set(bases)).toEqual(
      new Set([`node:${manifest.devDependencies.node}-bookworm-slim`]),
    );
    expect(image.entrypoint[0]).toBe('node');
  });

  test('K8S-05: runs an API that becomes live and ready, and ends on SIGTERM', async () => {
    const port = await freePort();
    await using api = start(['api'], { VARVE_API_TOKEN: TOKEN, VARVE_API_PORT: port });
    await ready(api, port);
    api.kill('SIGTERM');
    expect((await api.ended).status).toBe(0);
  });

  test('runs workers that use the bundled workflows, not their sources', async () => {
    await rm(path.join(image.root, 'app', 'workflows'), { recursive: true });
    const [port, other] = [await freePort(), await freePort()];
    await using worker = start(['worker', '--role', 'workflows'], { VARVE_PROBE_PORT: port });
    await ready(worker, port);
    await using models = start(['worker', '--role', 'models'], { VARVE_PROBE_PORT: other });
    await ready(models, other);
    worker.kill('SIGTERM');
    models.kill('SIGTERM');
    expect((await worker.ended).status).toBe(0);
    expect((await models.ended).status).toBe(0);
  });
});

/** Throws what the process said where it ended instead. */
async function ready(running: VarveProcess, port: string): Promise<void> {
  const ended = running.ended.then(({ stdout, stderr }) => {
    throw new Error(`It ended before it was ready:\n${stdout}\n${stderr}`);
  });
  ended.catch(() => undefined);
  for (const page of ['healthz', 'readyz']) {
    const answered = until(`/${page} answers ok`, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/${page}`).catch(() => null);
      return answer !== null && answer.status === 200;
    });
    await Promise.race([answered, ended]);
  }
}
