/**
 * Certificates of a control plane that lives for one test run (RFC 5280), made by Node alone: its
 * `crypto` has the keys and the signature, and a certificate is little more than what is signed.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

import {
  bitString,
  boolean,
  context,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  utcTime,
  utf8String,
} from './der.ts';

export interface Subject {
  readonly commonName: string;
  /** Groups, as RBAC reads them. */
  readonly organizations?: readonly string[];
}

export interface Purpose {
  readonly kind: 'Authority' | 'Server' | 'Client';
  /** By which a server is called. */
  readonly names?: readonly string[];
  /** Of version 4. */
  readonly addresses?: readonly string[];
}

/** In PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

export interface Signer {
  readonly subject: Subject;
  readonly key: KeyObject;
}

/** A test run takes minutes; a control plane that a person works against may stay a day. */
const LIFETIME_MS = 7 * 24 * 60 * 60_000;
/** Clocks of one machine agree; a certificate of this second must still be valid. */
const LEEWAY_MS = 60_000;
const SERIAL_BYTES = 16;
const LINE_CHARACTERS = 64;

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION = {
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
const EXTENDED = { Server: '1.3.6.1.5.5.7.3.1', Client: '1.3.6.1.5.5.7.3.2' } as const;
/** Bits of what a key is for, the first one highest: to sign, and to sign certificates. */
const DIGITAL_SIGNATURE = 0x80;
const CERTIFICATE_SIGN = 0x04;

/** @param signer null for an authority, which signs itself */
export function issue(subject: Subject, purpose: Purpose, signer: Signer | null): Issued {
  const { privateKey, publicKey } = newKeys();
  const issuer = signer ?? { subject, key: privateKey };
  const now = Date.now();
  const signed = sequence(
    context(0, 'Elements', integer(2)),
    serialNumber(),
    ECDSA_WITH_SHA256,
    nameOf(issuer.subject),
    sequence(utcTime(now - LEEWAY_MS), utcTime(now + LIFETIME_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, 'Elements', sequence(...extensionsOf(purpose, { publicKey, issuer }))),
  );
  const signature = bitString(sign('sha256', signed, issuer.key));
  const certificate = pemOf('CERTIFICATE', sequence(signed, ECDSA_WITH_SHA256, signature));
  return { certificate, key: privateKeyPem(privateKey) };
}

export function newKeys(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** As Kubernetes reads it. */
export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'sec1', format: 'pem' }).toString();
}

/** Positive, in as few bytes as it has. */
function serialNumber(): Buffer {
  const [first = 0, ...rest] = randomBytes(SERIAL_BYTES);
  return integer((first % 0x40) + 0x40, ...rest);
}

function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const parts = [...organizations.map((name) => [ORGANIZATION, name]), [COMMON_NAME, commonName]];
  return sequence(
    ...parts.map(([id = '', text = '']) => setOf(sequence(objectId(id), utf8String(text)))),
  );
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly issuer: Signer;
}

function extensionsOf(
  { kind, names = [], addresses = [] }: Purpose,
  { publicKey, issuer }: Keys,
): readonly Buffer[] {
  const isAuthority = kind === 'Authority';
  const usage = isAuthority ? DIGITAL_SIGNATURE + CERTIFICATE_SIGN : DIGITAL_SIGNATURE;
  const own = octetString(keyId(publicKey));
  const above = context(0, 'Bytes', keyId(createPublicKey(issuer.key)));
  const called = [
    ...names.map((name) => context(2, 'Bytes', Buffer.from(name))),
    ...addresses.map((address) => context(7, 'Bytes', addressBytes(address))),
  ];
  return [
    extension('keyUsage', bitString(Buffer.from([usage]), isAuthority ? 2 : 7), 'Critical'),
    extension('basicConstraints', sequence(...(isAuthority ? [boolean(true)] : [])), 'Critical'),
    extension('subjectKey', own),
    extension('authorityKey', sequence(above)),
    ...(isAuthority ? [] : [extension('extendedKeyUsage', sequence(objectId(EXTENDED[kind])))]),
    ...(called.length === 0 ? [] : [extension('subjectNames', sequence(...called))]),
  ];
}

function extension(
  name: keyof typeof EXTENSION,
  value: Buffer,
  weight: 'Critical' | 'Plain' = 'Plain',
): Buffer {
  const critical = weight === 'Critical' ? [boolean(true)] : [];
  return sequence(objectId(EXTENSION[name]), ...critical, octetString(value));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function addressBytes(address: string): Buffer {
  if (!isIPv4(address)) throw new Error(`${address} is no address of version 4.`);
  return Buffer.from(address.split('.').map(Number));
}

function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'gu')) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
