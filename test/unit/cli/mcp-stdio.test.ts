/** The lines of MCP over standard input and output. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { stdioTransport } from '#cli/mcp-stdio.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

async function started(lineBytesMax?: number) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const limit = lineBytesMax === undefined ? {} : { lineBytesMax };
  const transport = stdioTransport({ input, output, ...limit });
  const received: JSONRPCMessage[] = [];
  // Of the SDK, whose transports know no listeners.
  const onmessage = (message: JSONRPCMessage) => void received.push(message);
  Object.assign(transport, { onmessage });
  await transport.start();
  const send = async (...parts: readonly (string | Buffer)[]) => {
    for (const part of parts) input.write(part);
    input.end();
    await once(input, 'end');
  };
  const answers = () =>
    String(output.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return { transport, received, send, answers };
}

test('a message may come in parts, several in one, with blank lines and other line ends', async () => {
  const { received, send, answers } = await started();
  const message = { ...PING, params: { name: 'José' } };
  const line = JSON.stringify(message);
  const bytes = Buffer.from(line);
  const within = bytes.indexOf(0xc3) + 1;
  await send(bytes.subarray(0, within), bytes.subarray(within), '\r\n\n  \n', `${line}\n${line}\n`);
  expect(received).toEqual([message, message, message]);
  expect(answers()).toEqual([]);
});

test.each([
  ['that is not JSON', '{a secret', null, -32_700, 'INVALID_INPUT: The line is not JSON.'],
  ['with a batch', JSON.stringify([PING]), null, -32_600, 'INVALID_INPUT: Batches are not served'],
  ['without a version', '{"id":"a","method":"ping"}', 'a', -32_600, 'is not a message of JSON-RPC'],
  ['with a list', JSON.stringify({ ...PING, params: [1] }), 1, -32_600, 'is not a message of'],
  ['with an object as id', JSON.stringify({ ...PING, id: {} }), null, -32_600, 'is not a message'],
  ['with null', 'null', null, -32_600, 'is not a message of JSON-RPC'],
])('a line %s is refused, and the next is read', async (_, line, id, code, words) => {
  const { received, send, answers } = await started();
  await send(`${line}\n${JSON.stringify(PING)}\n`);
  const message = expect.stringContaining(words) as string;
  const error = { code, message, data: { code: 'INVALID_INPUT', retryable: false } };
  const refusals = answers();
  expect(refusals).toEqual([{ jsonrpc: '2.0', id, error }]);
  expect(JSON.stringify(refusals)).not.toContain('secret');
  expect(received).toEqual([PING]);
});

test('a line that is too long is refused once, and the next is read', async () => {
  const ping = JSON.stringify(PING);
  const { received, send, answers } = await started(ping.length);
  await send('x'.repeat(99), 'x'.repeat(99), `x\n${ping}`, '\n', `${ping} \n${ping}\n`);
  const refused = { error: { code: -32_600, data: { code: 'CONTENT_TOO_LONG' } }, id: null };
  expect(answers()).toMatchObject([refused, refused]);
  expect(received).toEqual([PING, PING]);
});

test('the end of the input waits for the answers of calls, except of cancelled ones', async () => {
  const { transport, send } = await started();
  await transport.answered();
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
  const messages = [PING, { ...PING, id: 2 }, cancelled];
  await send(messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
  let isOver = false;
  const over = transport.answered().then(() => {
    isOver = true;
  });
  await transport.send({ jsonrpc: '2.0', method: 'notifications/message' });
  expect(isOver).toBe(false);
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await over;
});
