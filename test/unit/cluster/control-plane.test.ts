/** The parts of a control plane for tests: its certificates, and programs that a person gives. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from '../../cluster/control-plane/authority.ts';
import { missingForControlPlane, PARTS } from '../../cluster/control-plane/programs.ts';

async function temporaryFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-test-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  return { path: folder, [Symbol.asyncDispose]: remove };
}

describe('the certificates of a control plane', () => {
  test('are signed by the authority and valid only for their purpose', async () => {
    await using folder = await temporaryFolder();
    await createAuthority(folder.path);
    const read = async (name: string) =>
      new X509Certificate(await readFile(path.join(folder.path, name)));
    const [authority, serving] = [await read('authority.crt'), await read('serving.crt')];
    const shown = await issueCertificate(folder.path, 'Ännchen', ['readers', 'writers']);
    if (!('certificate' in shown)) throw new Error('a certificate was asked for');
    const client = new X509Certificate(shown.certificate);
    expect([authority.ca, serving.ca, client.ca]).toEqual([true, false, false]);
    for (const each of [authority, serving, client]) {
      expect([each.checkIssued(authority), each.verify(authority.publicKey)]).toEqual([true, true]);
      expect(each.validFromDate.getTime()).toBeLessThan(Date.now());
      expect(each.validToDate.getTime()).toBeGreaterThan(Date.now());
    }
    expect(client.checkPrivateKey(createPrivateKey(shown.key))).toBe(true);
    expect(client.subject).toBe('O=readers\nO=writers\nCN=Ännchen');
    expect(serving.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(serving.checkHost('localhost')).toBe('localhost');
    expect([serving.keyUsage, client.keyUsage]).toEqual([
      ['1.3.6.1.5.5.7.3.1'],
      ['1.3.6.1.5.5.7.3.2'],
    ]);
  });

  test('do not verify against another authority of the same name', async () => {
    await using one = await temporaryFolder();
    await using other = await temporaryFolder();
    await createAuthority(one.path);
    await createAuthority(other.path);
    const shown = await issueCertificate(one.path, 'ann', []);
    if (!('certificate' in shown)) throw new Error('a certificate was asked for');
    const stranger = new X509Certificate(await readFile(path.join(other.path, 'authority.crt')));
    expect(new X509Certificate(shown.certificate).verify(stranger.publicKey)).toBe(false);
  });
});

describe('given programs', () => {
  test.each<[readonly string[], string | null]>([
    [[], null],
    [['kube-controller-manager'], 'kube-controller-manager in the folder of KUBEBUILDER_ASSETS'],
    [['etcd', 'kubectl'], 'etcd, kubectl in the folder of KUBEBUILDER_ASSETS'],
  ])('without %j have %j reported as missing', async (...row) => {
    const [missing, words] = row;
    await using folder = await temporaryFolder();
    for (const name of [...PARTS, 'kubectl'].filter((each) => !missing.includes(each))) {
      await writeFile(path.join(folder.path, name), '');
    }
    expect(await missingForControlPlane(folder.path)).toBe(words);
  });
});
