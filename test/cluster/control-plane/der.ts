/** The Distinguished Encoding Rules, as far as a certificate needs them (ITU-T X.690). Pure. */

const LONG_FORM = 0x80;
const CONTEXT = 0x80;
const CONSTRUCTED_CONTEXT = 0xa0;
const OID_BASE = 128;
/** Of the first two numbers of an OID, which share a byte. */
const OID_FIRST = 40;

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

/** Of one element: several would have to be sorted. */
export function setOf(part: Buffer): Buffer {
  return tagged(0x31, part);
}

/** A whole number that is not negative, by its bytes, the first of which is below 0x80. */
export function integer(...bytes: readonly number[]): Buffer {
  return tagged(0x02, Buffer.from(bytes));
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** @param unused bits at the end of the last byte */
export function bitString(bytes: Buffer, unused = 0): Buffer {
  return tagged(0x03, Buffer.from([unused]), bytes);
}

export function octetString(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

/** To the second; two digits of the year stand for 1950 to 2049. */
export function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/\D/gu, '');
  return tagged(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

/** @param dotted such as `2.5.4.3` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * OID_FIRST + second, ...rest.flatMap(base128)]));
}

/** An element whose meaning is its place: it holds others, or replaces the tag of a simple one. */
export function context(number: number, holding: 'Elements' | 'Bytes', content: Buffer): Buffer {
  return tagged((holding === 'Elements' ? CONSTRUCTED_CONTEXT : CONTEXT) + number, content);
}

/** Seven bits a byte, the highest first; all but the last have the eighth set. */
function base128(number: number): readonly number[] {
  const bytes = [number % OID_BASE];
  for (let left = Math.floor(number / OID_BASE); left > 0; left = Math.floor(left / OID_BASE)) {
    bytes.unshift((left % OID_BASE) + OID_BASE);
  }
  return bytes;
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf({ length }: Buffer): readonly number[] {
  if (length < LONG_FORM) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [LONG_FORM + bytes.length, ...bytes];
}
