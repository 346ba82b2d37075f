/** Answers to requests that no route handles: malformed HTTP, a missing host, another method. */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { METHOD_NOT_ALLOWED } from './method-not-allowed.ts';
import { PROBLEM_TYPE, problemDocument } from './rest/problem-json.ts';

interface HttpError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

const BAD_REQUEST: HttpError = {
  status: 400,
  code: 'INVALID_INPUT',
  message: 'This is not valid HTTP: the head, or the framing of the body, cannot be read.',
};
/** By the error code of Node's HTTP parser. */
const MALFORMED: Readonly<Record<string, HttpError>> = {
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
const HOST_REQUIRED: HttpError = {
  status: 400,
  code: 'INVALID_INPUT',
  message: 'Send a header Host with the name of this server, and its port if it has one.',
};
const EXPECTATION_FAILED: HttpError = {
  status: 417,
  code: 'INVALID_INPUT',
  message: 'The header Expect must be 100-continue; leave it out otherwise.',
};
const OTHER_METHOD: HttpError = {
  status: 405,
  code: 'INVALID_INPUT',
  message: METHOD_NOT_ALLOWED,
};

/** Answers with a problem document where Node would only close the connection. */
export function answerMalformed(server: Server | TlsServer): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const response = latest.get(socket);
    // After the head of an answer, a client would read anything more as its body.
    const isMidway = response?.headersSent === true && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isMidway) socket.destroy();
    else endWith(socket, MALFORMED[error.code ?? ''] ?? BAD_REQUEST);
  });
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    answer(response, EXPECTATION_FAILED);
  });
  server.on('connect', (_: IncomingMessage, socket: Duplex) => {
    endWith(socket, OTHER_METHOD);
  });
}

/** Whether the request names its host; handlers that parse whole addresses rely on it. */
export function hasHost({ headers: { host = '' } }: IncomingMessage): boolean {
  return host !== '' && URL.canParse(`http://${host}`);
}

export function answerHostRequired(response: ServerResponse): void {
  answer(response, HOST_REQUIRED);
}

export function answerMethodNotAllowed(response: ServerResponse): void {
  response.setHeader('allow', 'GET, POST');
  answer(response, OTHER_METHOD);
}

function answer(response: ServerResponse, error: HttpError): void {
  // Nothing reads the rest of the request.
  response.setHeader('connection', 'close');
  const body = bodyOf(error);
  const length = String(Buffer.byteLength(body));
  response.writeHead(error.status, { 'content-type': PROBLEM_TYPE, 'content-length': length });
  response.end(body);
}

function endWith(socket: Duplex, error: HttpError): void {
  const body = bodyOf(error);
  const head = [
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy();
  });
}

function bodyOf({ status, code, message }: HttpError): string {
  return problemDocument(new VarveError(code, message), status);
}
