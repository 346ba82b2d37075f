/** The address of the server and the caller's identity, from the files that people have. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAccess, type Access } from '#providers/kubernetes/server-and-credentials.ts';
import { createSharedDispatcher } from '#providers/kubernetes/shared-dispatcher.ts';
import { kubeconfigText } from './scripted-api.ts';

const timer = () => 0;

describe('a kubeconfig', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'varve-access-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function written(name: string, text: string): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  }

  test('names the server, the namespace and the credentials', async () => {
    const user = { token: 'secret' };
    const kubeconfig = await written('one', kubeconfigText('https://server:6443/', user, 'team'));
    const access = openAccess({ kubeconfig, timer });
    expect([access.server, access.namespace]).toEqual(['https://server:6443', 'team']);
    expect(await access.current()).toEqual({
      server: 'https://server:6443',
      proxyUrl: null,
      headers: { authorization: 'Bearer secret' },
      tls: { rejectUnauthorized: false },
    });
  });

  test('sends a user name and password as basic authentication', async () => {
    const user = { username: 'ada', password: 'pass:word' };
    const kubeconfig = await written('basic', kubeconfigText('https://server', user));
    const { headers } = await openAccess({ kubeconfig, timer }).current();
    expect(headers).toEqual({ authorization: `Basic ${btoa('ada:pass:word')}` });
  });

  test('may name another context and consist of several files', async () => {
    const first = await written('first', kubeconfigText('https://first', { token: 'a' }));
    const text = kubeconfigText('https://second', { token: 'b' }, 'second-home');
    const second = await written(
      'second',
      text.replaceAll('"c"', '"c2"').replaceAll('"u"', '"u2"').replaceAll('"x"', '"x2"'),
    );
    const kubeconfig = [first, second].join(path.delimiter);
    expect(openAccess({ kubeconfig, timer }).server).toBe('https://first');
    const other = openAccess({ kubeconfig, context: 'x2', timer });
    expect([other.server, other.namespace]).toEqual(['https://second', 'second-home']);
    expect((await other.current()).headers).toEqual({ authorization: 'Bearer b' });
  });

  const REFUSED: readonly (readonly [string, string])[] = [
    ['that is no YAML', '{{{'],
    ['without a current context', '{"apiVersion":"v1","kind":"Config"}'],
    ['with an address that is none', kubeconfigText('server', {})],
    [
      'that sends credentials in the clear',
      kubeconfigText('http://server', { token: 'a' }).replace('-verify":true', '-verify":false'),
    ],
  ];
  test.each(REFUSED)('is refused if it is one %s', async (name, text) => {
    const kubeconfig = await written(name.replaceAll(' ', '-'), text);
    expect(() => openAccess({ kubeconfig, timer })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('is refused without naming its path if it is missing', () => {
    const kubeconfig = path.join(folder, 'missing');
    expect(() => openAccess({ kubeconfig, timer })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.not.stringContaining(folder) as string,
      }),
    );
  });

  test('has replaced certificates read again', async () => {
    let now = 0;
    const certificate = await written('client.crt', 'first');
    const key = await written('client.key', 'key');
    const user = { 'client-certificate': certificate, 'client-key': key };
    const kubeconfig = await written('tls', kubeconfigText('https://server', user));
    const access = openAccess({ kubeconfig, timer: () => now });
    await using dispatcher = createSharedDispatcher();
    const poolOf = (now: Access) => dispatcher.of(now, 'Request');
    const first = await access.current();
    expect(String(first.tls.cert)).toBe('first');
    await writeFile(certificate, 'second');
    expect(poolOf(await access.current())).toBe(poolOf(first));
    now += 10_000;
    const second = await access.current();
    expect(String(second.tls.cert)).toBe('second');
    expect(poolOf(second)).not.toBe(poolOf(first));
  });
});

describe('the connection pool', () => {
  const ACCESS: Access = {
    server: 'https://server',
    proxyUrl: null,
    headers: { authorization: 'Bearer one' },
    tls: { ca: Buffer.from('authority') },
  };

  test('is kept for a new token but not for other TLS material', async () => {
    await using dispatcher = createSharedDispatcher();
    const poolOf = (access: Access) => dispatcher.of(access, 'Request');
    const first = poolOf(ACCESS);
    const token = { ...ACCESS, headers: { authorization: 'Bearer two' } };
    expect(poolOf(token)).toBe(first);
    expect(poolOf({ ...token, tls: { ca: Buffer.from('authority') } })).toBe(first);
    expect(poolOf({ ...token, tls: { ca: Buffer.from('other') } })).not.toBe(first);
  });
});
