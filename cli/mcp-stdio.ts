/**
 * MCP over standard input and output, one message a line. The SDK's own transport drops a line that
 * is no message without an answer, stops reading for good after a long one, and forgets the calls
 * that run when the input ends.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorCode } from '#core/error-codes.ts';
import { lineSplitter } from './line-splitter.ts';

export interface StdioTransport extends Transport {
  /** Resolves once every call that came in is answered or cancelled. */
  answered(): Promise<void>;
}

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** A longer line is refused; far above what any call needs. */
  readonly lineBytesMax?: number;
}

const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

export function stdioTransport({
  input,
  output,
  lineBytesMax = LINE_BYTES_MAX,
}: Streams): StdioTransport {
  const unanswered = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const settle = (id: unknown): void => {
    unanswered.delete(id);
    if (unanswered.size > 0) return;
    for (const go of waiting.splice(0)) go();
  };
  /** @param done called once it is written, or cannot be: a client may have stopped reading */
  const write = (message: object, done: () => void): void => {
    output.write(`${JSON.stringify(message)}\n`, done);
  };
  const refuse = (refused: Refused): void => {
    write(refusal(refused), () => {});
  };
  const receive = (line: string): void => {
    const read = messageIn(line);
    if (read === null) return;
    if ('refused' in read) {
      refuse(read.refused);
      return;
    }
    const { message } = read;
    if ('method' in message && 'id' in message) unanswered.add(message.id);
    transport.onmessage?.(message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) settle(cancelled);
  };
  const tooLong = `The message has more than ${String(lineBytesMax)} bytes.`;
  const linesOf = lineSplitter(lineBytesMax);
  const lines = (chunk: Buffer): void => {
    for (const line of linesOf(chunk)) {
      if (line !== null) receive(line.toString('utf8'));
      else refuse({ id: null, code: INVALID_REQUEST, ours: 'CONTENT_TOO_LONG', words: tooLong });
    }
  };
  const transport: StdioTransport = {
    start: () => {
      input.on('data', lines);
      return Promise.resolve();
    },
    send: async (message) => {
      await new Promise<void>((resolve) => {
        write(message, resolve);
      });
      if (!('method' in message)) settle(message.id);
    },
    close: () => {
      input.off('data', lines);
      input.pause();
      transport.onclose?.();
      return Promise.resolve();
    },
    answered: () =>
      new Promise((resolve) => {
        if (unanswered.size === 0) resolve();
        else waiting.push(resolve);
      }),
  };
  return transport;
}

/** How long a failed start waits for the first call of its client. */
const FIRST_CALL_MS = 5_000;

/**
 * Answers the first call of a client with the failure of this server to start: most clients do not
 * show what is on standard error.
 */
export async function refuseClient(
  { input, output }: Streams,
  { code: ours, message: words }: { readonly code: ErrorCode; readonly message: string },
): Promise<void> {
  const { promise: asked, resolve } = Promise.withResolvers<string | number>();
  const transport = stdioTransport({ input, output });
  const onmessage = (message: JSONRPCMessage): void => {
    if ('method' in message && 'id' in message) resolve(message.id);
  };
  // Of the SDK, whose transports know no listeners.
  Object.assign(transport, { onmessage });
  const ended = once(input, 'end').then(() => null);
  await transport.start();
  const id = await Promise.race([asked, ended, sleep(FIRST_CALL_MS, null, { ref: false })]);
  if (id !== null) {
    await transport.send(refusal({ id, code: SERVER_ERROR, ours, words }) as JSONRPCMessage);
  }
  await transport.close();
}

interface Refused {
  readonly id: string | number | null;
  readonly code: number;
  readonly ours: ErrorCode;
  readonly words: string;
}

type Read = { readonly message: JSONRPCMessage } | { readonly refused: Refused };

/** Null for an empty line. */
function messageIn(line: string): Read | null {
  if (line.trim() === '') return null;
  const ours = 'INVALID_INPUT';
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    const words = 'The line is not JSON. Send each message as JSON on a line of its own.';
    return { refused: { id: null, code: PARSE_ERROR, ours, words } };
  }
  const parsed = JSONRPCMessageSchema.safeParse(given);
  if (parsed.success) return { message: parsed.data };
  const words = Array.isArray(given)
    ? 'Batches are not served here. Send each message on a line of its own.'
    : 'The line is not a message of JSON-RPC 2.0.';
  return { refused: { id: idOf(given), code: INVALID_REQUEST, ours, words } };
}

function idOf(given: unknown): string | number | null {
  const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function refusal({ id, code, ours, words }: Refused): object {
  const data = { code: ours, retryable: false };
  return { jsonrpc: '2.0', id, error: { code, message: `${ours}: ${words}`, data } };
}

/** The SDK answers no call that was cancelled. */
function cancelledBy(message: JSONRPCMessage): unknown {
  const isCancellation = 'method' in message && message.method === 'notifications/cancelled';
  return isCancellation ? message.params?.['requestId'] : undefined;
}
