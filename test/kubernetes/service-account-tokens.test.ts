/** Tokens of ServiceAccounts at the API, judged by a real API server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { readConfig } from '#cli/config.ts';
import { openTokenReaders } from '#cli/access-token-settings.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { temporaryFolder } from '../conformance/sqlite-adapter.ts';
import { until } from '../e2e/until.ts';

const AUDIENCE = 'varve';
const REVIEWER = 'varve-api';
const KEPT_MS = 30_000;
const DANA = { layer: 'user', identifiers: { userId: 'dana' }, content: 'Dana likes maps.' };

describeUnless(await missingForKubernetes())('the token of a ServiceAccount', () => {
  let cluster: TestKubernetes;
  let release = '';
  let agents = '';
  let strangers = '';
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    release = await cluster.createNamespace();
    agents = await cluster.createNamespace();
    strangers = await cluster.createNamespace();
    await kubectl('create', 'serviceaccount', REVIEWER, `--namespace=${release}`);
    const grant = ['--verb=create', '--resource=tokenreviews.authentication.k8s.io'];
    await kubectl('create', 'clusterrole', release, ...grant);
    const subject = `--serviceaccount=${release}:${REVIEWER}`;
    await kubectl('create', 'clusterrolebinding', release, `--clusterrole=${release}`, subject);
    for (const namespace of [agents, strangers]) {
      await kubectl('create', 'serviceaccount', 'planner', `--namespace=${namespace}`);
    }
  });
  afterAll(async () => {
    await kubectl('delete', `clusterrole/${release}`, `clusterrolebinding/${release}`);
    await cluster[Symbol.asyncDispose]();
  });

  const kubectl = (...args: readonly string[]) => cluster.run(args);
  const tokenOf = (namespace: string, audience = AUDIENCE, account = 'planner') =>
    kubectl('create', 'token', account, `--namespace=${namespace}`, `--audience=${audience}`);

  const clock = { ahead: 0 };
  let lines: string[] = [];
  let held: AsyncDisposableStack;
  let server: ApiServer;
  beforeEach(async () => {
    clock.ahead = 0;
    lines = [];
    held = new AsyncDisposableStack();
    const kubeconfig = await cluster.serviceAccountKubeconfig(release, REVIEWER);
    server = await serve(kubeconfig);
  });
  afterEach(() => held.disposeAsync());

  async function serve(kubeconfig: string): Promise<ApiServer> {
    const note: Log['info'] = (fields, message) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const { folder } = held.use(await temporaryFolder());
    const parts = held.use(await openParts({ dataDir: folder, log }));
    const platform = { ...parts.platform, clock: () => Date.now() + clock.ahead };
    const set = {
      VARVE_SERVICE_ACCOUNT_AUDIENCE: AUDIENCE,
      VARVE_SERVICE_ACCOUNT_TENANTS: `${agents}=acme:write`,
      KUBECONFIG: kubeconfig,
    };
    const { readers } = held.use(await openTokenReaders(readConfig(set, {}), platform));
    const ports = apiPortsOf({ ...parts, platform }, NO_REFRESH_TRIGGER, null);
    const address = { host: '127.0.0.1', port: 0, token: 'a-token-of-this-installation' };
    return held.use(await startApiServer({ ports, ...address, tokenReaders: readers }));
  }

  async function send(token: string, tenant = 'acme'): Promise<{ status: number; text: string }> {
    const response = await fetch(`${server.url}/v1/tenants/${tenant}/memories`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(DANA),
    });
    return { status: response.status, text: await response.text() };
  }
  /** A rule is there a moment later: the authorizer watches. */
  const sent = (token: string) =>
    until('reviews are granted', async () => {
      const answer = await send(token);
      return answer.status === 503 ? null : answer;
    });

  test('grants only the tenant and role of its namespace', async () => {
    const token = await tokenOf(agents);
    const { status, text } = await sent(token);
    expect(status).toBe(200);
    expect(text).toContain(`"principal":"account:${agents}/planner"`);
    expect((await send(token, 'globex')).status).toBe(403);
  });

  test('is refused from another namespace, for another audience, and after a change', async () => {
    const token = await tokenOf(agents);
    expect((await sent(token)).status).toBe(200);
    const [head = '', , signature = ''] = token.split('.');
    const claims = { sub: `system:serviceaccount:${agents}:planner`, aud: [AUDIENCE] };
    const body = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 }));
    const wrong = [
      await tokenOf(strangers),
      await tokenOf(agents, 'https://kubernetes.default.svc'),
      [head, body.toString('base64url'), signature].join('.'),
      'no-token-at-all',
    ];
    for (const each of wrong) expect((await send(each)).status).toBe(401);
    expect(lines.join('')).not.toContain(token.slice(-20));
  });

  test('is valid only as long as the answer is cached once its account is deleted', async () => {
    await kubectl('create', 'serviceaccount', 'leaver', `--namespace=${agents}`);
    const token = await tokenOf(agents, AUDIENCE, 'leaver');
    expect((await sent(token)).status).toBe(200);
    await kubectl('delete', 'serviceaccount', 'leaver', `--namespace=${agents}`);
    expect((await send(token)).status).toBe(200);
    // The API server itself remembers an answer for some seconds.
    await until('the account is known to be gone', async () => {
      clock.ahead += KEPT_MS;
      return (await send(token)).status === 401;
    });
  });

  test('cannot be reviewed without permission, which only the log shows', async () => {
    await kubectl('create', 'serviceaccount', 'nobody', `--namespace=${release}`);
    server = await serve(await cluster.serviceAccountKubeconfig(release, 'nobody'));
    const { status, text } = await send(await tokenOf(agents));
    expect(status).toBe(503);
    expect(text).toContain('Kubernetes cannot say now whose token this is');
    expect(text).not.toContain('nobody');
    expect(lines.join('')).toContain('token of a ServiceAccount cannot be reviewed');
  });
});
