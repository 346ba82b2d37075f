/** The certificates of one control plane, and the kubeconfig files of its users. */
import { createHash, createPrivateKey } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { issue, newKeys, privateKeyPem, type Subject } from './certificate.ts';

const HASH_CHARACTERS = 12;
const AUTHORITY: Subject = { commonName: 'varve-test-authority' };
/** What the server is called on this machine and inside of the cluster. */
const SERVER_NAMES = ['localhost', 'kubernetes.default', 'kubernetes.default.svc'];
/** The last is the first of the services' range. */
const SERVER_ADDRESSES = ['127.0.0.1', '10.0.0.1'];

export interface Address {
  /** Like `https://127.0.0.1:6443`. */
  readonly server: string;
  /** Where the certificates and keys lie. */
  readonly keys: string;
}

/** What a user shows: a certificate of the authority, or a token. */
export type Credentials =
  | { readonly certificate: string; readonly key: string }
  | { readonly token: string };

/** Makes the folder with an authority, a serving certificate and the key that signs tokens. */
export async function createAuthority(keys: string): Promise<void> {
  await mkdir(keys, { recursive: true });
  const authority = issue(AUTHORITY, { kind: 'Authority' }, null);
  const signer = { subject: AUTHORITY, key: createPrivateKey(authority.key) };
  const called = { kind: 'Server', names: SERVER_NAMES, addresses: SERVER_ADDRESSES } as const;
  const serving = issue({ commonName: 'kube-apiserver' }, called, signer);
  const tokens = newKeys();
  const files = {
    'authority.crt': authority.certificate,
    'authority.key': authority.key,
    'serving.crt': serving.certificate,
    'serving.key': serving.key,
    'tokens.key': privateKeyPem(tokens.privateKey),
    'tokens.pub': tokens.publicKey.export({ type: 'spki', format: 'pem' }),
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(keys, name), text, { mode: 0o600 });
  }
}

/** A client certificate; the groups are what RBAC knows the user by, besides the name. */
export async function issueCertificate(
  keys: string,
  name: string,
  groups: readonly string[],
): Promise<Credentials> {
  const key = createPrivateKey(await readFile(path.join(keys, 'authority.key')));
  const signer = { subject: AUTHORITY, key };
  return issue({ commonName: name, organizations: groups }, { kind: 'Client' }, signer);
}

/** Writes the kubeconfig of a user and answers its path; the same user has the same file. */
export async function writeKubeconfig(
  address: Address,
  user: string,
  credentials: Credentials,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([user, address.server, credentials]));
  const file = path.join(
    address.keys,
    `${hash.digest('hex').slice(0, HASH_CHARACTERS)}.kubeconfig`,
  );
  const authority = await readFile(path.join(address.keys, 'authority.crt'));
  const text = kubeconfigText(address.server, authority, { user, credentials });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Whether the folder of a kubeconfig also holds the authority that users are made with. */
export function hasAuthority(keys: string): Promise<boolean> {
  return access(path.join(keys, 'authority.key')).then(
    () => true,
    () => false,
  );
}

/** JSON is YAML, and every client reads it. */
function kubeconfigText(
  server: string,
  authority: Buffer,
  { user, credentials }: { readonly user: string; readonly credentials: Credentials },
): string {
  const cluster = { server, 'certificate-authority-data': authority.toString('base64') };
  const shown =
    'token' in credentials
      ? { token: credentials.token }
      : {
          'client-certificate-data': base64(credentials.certificate),
          'client-key-data': base64(credentials.key),
        };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: user, user: shown }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
