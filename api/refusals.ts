/** What is refused before any face is asked: what is no HTTP, and what names no host. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import { PROBLEM_TYPE, problemOf } from './rest/problem.ts';

interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

const BROKEN: Refusal = {
  status: 400,
  code: 'INVALID_INPUT',
  message: 'This is no HTTP: its head, or how its body is framed, could not be read.',
};
/** By the code that Node gives a request which it could not read. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'CONTENT_TOO_LONG',
    message: 'The head is too large; send less in the address, or the input in a body.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'CONTENT_TOO_LONG',
    message: 'The extensions of a chunk are too large; send none.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'TIMEOUT',
    message: 'The request did not arrive in time; send all of it at once.',
  },
};
const NO_HOST: Refusal = {
  status: 400,
  code: 'INVALID_INPUT',
  message: 'Send a header Host with the name of this server, and its port where it has one.',
};
const EXPECTED: Refusal = {
  status: 417,
  code: 'INVALID_INPUT',
  message: 'The header Expect has 100-continue or is left out.',
};
const OTHER_METHOD: Refusal = {
  status: 405,
  code: 'INVALID_INPUT',
  message: 'Queries are sent with GET, everything else with POST.',
};

/** Has a server say in a problem of ours what Node would refuse without a word. */
export function refuseUnreadable(server: Server | TlsServer): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const response = latest.get(socket);
    // In the midst of an answer anything more would be taken for a part of it.
    const isMidway = response?.headersSent === true && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isMidway) socket.destroy();
    else endWith(socket, UNREADABLE[error.code ?? ''] ?? BROKEN);
  });
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    refuse(response, EXPECTED);
  });
  server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    endWith(socket, OTHER_METHOD);
  });
}

/** Whether it names the host it is for, as faces that read whole addresses take for granted. */
export function hasHost({ headers: { host = '' } }: IncomingMessage): boolean {
  return host !== '' && URL.canParse(`http://${host}`);
}

export function refuseHost(response: ServerResponse): void {
  refuse(response, NO_HOST);
}

export function refuseMethod(response: ServerResponse): void {
  response.setHeader('allow', 'GET, POST');
  refuse(response, OTHER_METHOD);
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  // What is still on its way has no reader any more.
  response.setHeader('connection', 'close');
  const body = bodyOf(refusal);
  const length = String(Buffer.byteLength(body));
  response.writeHead(refusal.status, { 'content-type': PROBLEM_TYPE, 'content-length': length });
  response.end(body);
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal);
  const head = [
    `HTTP/1.1 ${String(refusal.status)} ${STATUS_CODES[refusal.status] ?? ''}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy();
  });
}

function bodyOf({ status, code, message }: Refusal): string {
  return problemOf(new VarveError(code, message), status);
}
