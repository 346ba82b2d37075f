/** Requests as bytes, valid or spoiled, and the answers to them. */
import { connect } from 'node:net';
import type { Dice } from './dice.ts';
import type { Draft } from './drafts.ts';

/** What is written to a socket. */
export interface Sent {
  readonly bytes: Buffer;
  /** Whether the request is at an end as HTTP counts it, so that an answer must come. */
  readonly isWhole: boolean;
  /** What was done to it; empty where nothing was. */
  readonly spoiling: string;
  readonly method: string;
}

export interface Answer {
  /** Null where the connection was closed without one. */
  readonly status: number | null;
  readonly body: string;
  readonly ms: number;
  /** Whether it took longer than any answer may. */
  readonly isLate: boolean;
}

export const ANSWER_WITHIN_MS = 15_000;
const SPOILED_PERCENT = 25;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** A larger head is cut off as it comes, so that the refusal may get lost under way. */
const HEAD_BYTES_MAX = 128 * 1024;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A request that changes as it is spoiled. */
interface Wire {
  method: string;
  target: string;
  version: string;
  /** Each a whole line. */
  lines: string[];
  body: Buffer | null;
  /** Lines that say how long the body is, and the body as it is framed. */
  framing: 'Length' | 'Chunks' | 'None' | readonly [lines: readonly string[], body: Buffer];
  isWhole: boolean;
}

type Spoil = (wire: Wire, dice: Dice) => void;

const without = (wire: Wire, name: string): void => {
  wire.lines = wire.lines.filter((line) => !line.toLowerCase().startsWith(`${name}:`));
};
const replaced = (name: string, values: readonly [string, ...string[]]): Spoil => {
  return (wire, dice) => {
    without(wire, name);
    wire.lines.push(`${name}: ${dice.pick(values)}`);
  };
};
const added = (lines: readonly [string, ...string[]]): Spoil => {
  return (wire, dice) => {
    wire.lines.push(dice.pick(lines));
  };
};
const framed = (lines: readonly string[], body: (body: string) => string): Spoil => {
  return (wire) => {
    const text = wire.body?.toString('latin1') ?? '{}';
    wire.framing = [lines, Buffer.from(body(text), 'latin1')];
    wire.isWhole = false;
  };
};
const hex = (text: string): string => text.length.toString(16);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const;
const ODD_METHODS = ['CONNECT', 'PROPFIND', 'QUERY', 'get', 'FOO', '', 'PO ST'] as const;
const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/JSON',
  'application/json, text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/octet-stream',
  'application/problem+json',
  '',
  ';;;',
  `application/json;${'a'.repeat(5_000)}`,
] as const;
const TARGETS = [
  '/',
  '//',
  '/v1/',
  '/v1//tenants',
  '/v1/tenants/acme/memories/%00',
  '/v1/tenants/acme/memories/%ff',
  '/v1/tenants/acme/memories/%ed%a0%80/history',
  '/v1/tenants/acme/../globex/memories',
  '/v1/tenants/acme/%2e%2e/globex/memories',
  '/v1/tenants/globex/memories',
  '/v1/tenants/__proto__/memories',
  '/v1/tenants/acme/memories?limit=1&limit=2&__proto__=x&identifiers=[',
  '/v1/tenants/acme/memories?identifiers=%7B%22userId%22%3A%22bob%22%7D&userId=zoe',
  '/__proto__',
  '/constructor.name',
  '/memory',
  '/memory.',
  '/.memory..add',
  '/memory.toString',
  '/hasOwnProperty?batch=1&input=%7B%7D',
  '/memory.add,memory.add?batch=1',
  `/${'health,'.repeat(500)}health?batch=1`,
  '/health?input=%7B',
  '/health?batch=1&input=[]',
  '/health?batch=1&input=null',
  '/mcp',
  '/mcp?tenant=globex&userId=zoe',
  '/mcp?tenant=acme&__proto__=x',
  '/mcp?tenant=acme&userId=ann&userId=bob',
  '/mem0/v1/memories/',
  '/mem0/v3/memories/search/?user_id=__proto__',
  '/mem0/tenants/globex/v1/memories/?user_id=zoe',
  '/mem0/tenants/%ff/v1/ping/',
  '/mem0/tenants//v1/entities/',
  '/openapi.json',
  '/docs',
  '/errors',
  '/metrics',
  '/healthz',
  '*',
  'http://elsewhere/v1/health',
  'http://[/health',
  'elsewhere:443',
  '/health#x',
  '/hea lth',
  '/\u{e9}',
  `/${'a'.repeat(200_000)}`,
] as const;

/** Whether Node lets it pass or not, the process and the other callers are none the worse. */
const SPOILS: Readonly<Record<string, Spoil>> = {
  'other method': (wire, dice) => void (wire.method = dice.pick(METHODS)),
  'odd method': (wire, dice) => void (wire.method = dice.pick(ODD_METHODS)),
  'content type': replaced('content-type', CONTENT_TYPES),
  'no content type': (wire) => {
    without(wire, 'content-type');
  },
  target: (wire, dice) => void (wire.target = dice.pick(TARGETS)),
  'cut target': (wire, dice) =>
    void (wire.target = wire.target.slice(0, 1 + dice.below(wire.target.length))),
  'cut body': (wire, dice) =>
    void (wire.body = (wire.body ?? Buffer.from('{"a":')).subarray(0, dice.below(200))),
  'broken JSON': (wire, dice) => {
    const text = wire.body?.toString('utf8') ?? '';
    const at = dice.below(text.length + 1);
    const odd = dice.pick(['}', '{', '"', '\\', ',,', '//', '\u{feff}', 'NaN', '\0']);
    wire.body = Buffer.from(`${text.slice(0, at)}${odd}${text.slice(at)}`);
  },
  'body of bytes': (wire) =>
    void (wire.body = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80])),
  'body with a mark of order': (wire) =>
    void (wire.body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), wire.body ?? Buffer.of()])),
  'no body': (wire) => void (wire.body = null),
  'scalar body': (wire, dice) =>
    void (wire.body = Buffer.from(dice.pick(['null', '1', '""', '[]', 'true', ' ', '"a"']))),
  'authorization, none': (wire) => {
    without(wire, 'authorization');
  },
  'authorization, wrong': replaced('authorization', [
    'Bearer wrong',
    'Bearer',
    'Bearer  ',
    'Basic YTpi',
    'bearer vk_acme_00000000_x',
    `Bearer ${'a'.repeat(10_000)}`,
    'Bearer a b',
    'Bearer \u{e9}\u{ff}',
    'Bearer varve_acme___proto__',
  ]),
  'authorization, twice': added(['authorization: Bearer wrong', 'authorization: Basic YTpi']),
  'no host': (wire) => {
    without(wire, 'host');
  },
  host: replaced('host', ['', '[', 'a b', 'x:99999', '\u{e9}', 'localhost, localhost', '%']),
  'host, twice': added(['host: x']),
  version: (wire, dice) => void (wire.version = dice.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''])),
  header: added([
    'x: \0',
    'x\0: y',
    ': empty',
    'no colon',
    'x y: z',
    ' folded: x',
    'expect: 100-continue',
    'expect: something-else',
    'upgrade: websocket\r\nconnection: upgrade',
    'upgrade: h2c',
    'content-encoding: gzip',
    'content-encoding: br, x',
    'accept: text/html',
    'accept: */*;q=0',
    'accept-encoding: identity;q=0',
    'trpc-accept: application/jsonl',
    'x-trpc-source: \u{ff}',
    'origin: http://elsewhere.example',
    'origin: null',
    'origin: \u{e9}',
    'mcp-protocol-version: 1999-01-01',
    'mcp-session-id: x',
    'last-event-id: x',
    'trailer: x',
    'range: bytes=0-1',
    'if-none-match: *',
    'x-forwarded-for: ::1\r\nx-forwarded-host: [',
    'cookie: __proto__=x',
    'forwarded: for=_secret',
  ]),
  'idempotency key': replaced('idempotency-key', [
    '',
    'once',
    'x'.repeat(257),
    '\u{e9}\u{80}',
    '__proto__',
    'a, b',
  ]),
  'idempotency key, twice': added(['idempotency-key: a\r\nidempotency-key: b']),
  'no accept': (wire) => {
    without(wire, 'accept');
  },
  'many headers': (wire) => {
    wire.lines.push(...Array.from({ length: 3_000 }, (_, at) => `x-${String(at)}: y`));
  },
  'large header': added([`x: ${'y'.repeat(200_000)}`]),
  'length beyond the body': framed(['content-length: 100000'], (body) => body.slice(0, 1_000)),
  'length that is none': framed(['content-length: -1'], (body) => body),
  'length in words': framed(['content-length: ten'], (body) => body),
  'length beyond count': framed(['content-length: 99999999999999999999'], (body) => body),
  'two lengths': framed(['content-length: 2', 'content-length: 5'], (body) => body),
  'length and chunks': framed(['content-length: 5', 'transfer-encoding: chunked'], (body) => body),
  'odd coding': framed(['transfer-encoding: gzip, x'], (body) => body),
  'chunk of no length': framed(['transfer-encoding: chunked'], (body) => `zz\r\n${body}\r\n0\r\n`),
  'chunk of negative length': framed(['transfer-encoding: chunked'], (body) => `-5\r\n${body}`),
  'chunk too long': framed(['transfer-encoding: chunked'], (body) => `fffffffff\r\n${body}`),
  'chunk too short': framed(['transfer-encoding: chunked'], (body) => `1\r\n${body}\r\n0\r\n\r\n`),
  'chunks without an end': framed(
    ['transfer-encoding: chunked'],
    (body) => `${hex(body)}\r\n${body}\r\n`,
  ),
  'chunk with an extension': framed(
    ['transfer-encoding: chunked'],
    (body) => `${hex(body)};${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
  ),
  chunks: (wire) => {
    if (wire.body !== null) wire.framing = 'Chunks';
  },
  'cut head': (wire) => {
    wire.framing = [['x-cut: her'], Buffer.alloc(0)];
    wire.isWhole = false;
  },
  'body above the limit': (wire, dice) => {
    // Each is read, so they are rare.
    if (!dice.percent(5)) return;
    wire.body = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(BODY_BYTES_MAX, 'x')]);
  },
};
const SPOIL_NAMES = Object.keys(SPOILS);

export function wireOf(draft: Draft, secret: string, { host, dice }: { host: string; dice: Dice }) {
  const wire: Wire = {
    method: draft.method,
    target: draft.target,
    version: 'HTTP/1.1',
    lines: [
      `host: ${host}`,
      `authorization: Bearer ${secret}`,
      ...draft.headers.map(([name, value]) => `${name}: ${value}`),
    ],
    body: draft.body === null ? null : Buffer.from(draft.body),
    framing: 'Length',
    isWhole: true,
  };
  const spoiling = dice.percent(SPOILED_PERCENT) ? (dice.any(SPOIL_NAMES) ?? '') : '';
  SPOILS[spoiling]?.(wire, dice);
  return sentOf(wire, spoiling);
}

function sentOf(wire: Wire, spoiling: string): Sent {
  const { method, target, version, body, framing, isWhole } = wire;
  const [framingLines, framedBody] = framedOf(framing, body);
  const lines = [...wire.lines, 'connection: close', ...framingLines];
  const head = `${method} ${target} ${version}\r\n${lines.join('\r\n')}\r\n`;
  const end = spoiling === 'cut head' ? '' : '\r\n';
  const bytes = Buffer.concat([Buffer.from(`${head}${end}`, 'latin1'), framedBody]);
  const isRead = head.length <= HEAD_BYTES_MAX;
  return { bytes, isWhole: isWhole && isRead, spoiling, method };
}

function framedOf(
  framing: Wire['framing'],
  body: Buffer | null,
): readonly [lines: readonly string[], body: Buffer] {
  if (typeof framing !== 'string') return framing;
  if (body === null || framing === 'None') return [[], Buffer.alloc(0)];
  if (framing === 'Length') return [[`content-length: ${String(body.length)}`], body];
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  const end = Buffer.from('0\r\n\r\n');
  return [['transfer-encoding: chunked'], Buffer.concat([...chunks, end])];
}

/** Never fails: what goes wrong is an answer without a status, or a late one. */
export async function send({ bytes, isWhole }: Sent, { hostname, port }: URL): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const socket = connect(Number(port), hostname);
    const finish = (isLate: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...read(Buffer.concat(parts)), ms: performance.now() - startedAt, isLate });
    };
    const timer = setTimeout(finish, ANSWER_WITHIN_MS, true);
    socket.on('data', (part) => {
      length += part.length;
      if (length <= ANSWER_BYTES_MAX) parts.push(part);
    });
    // A connection that is cut while a request is refused is an answer, too.
    socket.once('error', () => undefined);
    socket.once('close', () => {
      finish(false);
    });
    socket.write(bytes);
    // What is not whole never will be: the client is gone.
    if (!isWhole) socket.end();
  });
}

function read(answer: Buffer): Pick<Answer, 'status' | 'body'> {
  const text = answer.toString('utf8');
  const from = text.startsWith('HTTP/1.1 100') ? text.indexOf('HTTP/', 1) : 0;
  const [head = '', ...rest] = text.slice(Math.max(from, 0)).split('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/u.exec(head)?.[1];
  const framedBody = rest.join('\r\n\r\n');
  const isChunked = /^transfer-encoding: *chunked/imu.test(head);
  return {
    status: status === undefined ? null : Number(status),
    body: isChunked ? unchunked(framedBody) : framedBody,
  };
}

/** By lines, not by lengths: no line of an answer in JSON looks like one of these. */
function unchunked(text: string): string {
  return text
    .split('\r\n')
    .filter((line) => !/^[\da-f]{1,8}$/u.test(line))
    .join('');
}
