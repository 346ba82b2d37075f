/** An issuer of tokens at a port of this machine, whose keys and answers a test changes. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
}

export interface Issuer extends AsyncDisposable {
  readonly jwksUrl: string;
  /** What it answers with; null for its keys. */
  answer: { readonly status: number; readonly body: string } | null;
  /** How often its keys were asked for. */
  readonly asked: () => number;
  /** Publishes a new key. */
  add(kid: string, alg?: string): Promise<SigningKey>;
  /** Publishes a key no more. */
  drop(key: SigningKey): void;
}

export async function startIssuer(): Promise<Issuer> {
  const published = new Map<string, object>();
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const { status, body } = issuer.answer ?? {
      status: 200,
      body: JSON.stringify({ keys: [...published.values()] }),
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer: Issuer = {
    jwksUrl: `http://127.0.0.1:${String(port)}/jwks`,
    answer: null,
    asked: () => asked,
    add: async (kid, alg = 'ES256') => {
      const { privateKey, publicKey } = await generateKeyPair(alg);
      published.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
      return { kid, alg, privateKey };
    },
    drop: ({ kid }) => {
      published.delete(kid);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

/** A token with exactly these claims. */
export function signed({ kid, alg, privateKey }: SigningKey, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
}
