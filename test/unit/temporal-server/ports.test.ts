import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';

import { explainEnd } from '#providers/temporal/server-launch.ts';
import { choosePorts } from '#providers/temporal/server-ports.ts';

const IP = '127.0.0.1';
const PORTS = { grpc: 7_233, ui: 8_233, http: 40_001, metrics: 40_002 } as const;

test('TEMPORAL-5: ports that the user leaves open are all different', async () => {
  const ports = await choosePorts(IP, {});
  expect(new Set(Object.values(ports)).size).toBe(4);
});

test('TEMPORAL-5: ports that the user sets are kept', async () => {
  const { grpc, ui } = await choosePorts(IP, {});
  expect(await choosePorts(IP, { grpc, ui })).toMatchObject({ grpc, ui });
});

test('TEMPORAL-5: a port that the user sets is refused by number if it is taken', async () => {
  await using taken = createServer();
  taken.listen(0, IP);
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const choice = choosePorts(IP, { grpc: port });
  await expect(choice).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { port } });
});

test.for([
  ["Error: can't set frontend port 7233: can't bind", { kind: 'PortTaken', port: 7_233 }],
  ["Error: can't set UI port 8233: in use", { kind: 'PortTaken', port: 8_233 }],
  ['panic: listen tcp 127.0.0.1:8233: bind: address already in use', { port: 8_233 }],
  ['listen tcp 127.0.0.1:39999: bind: address already in use', { kind: 'PortTaken' }],
  ['Error: error creating namespace: file is not a database (26)', { kind: 'BadDatabase' }],
  ['SQL logic error: no such table: namespaces (1)', { kind: 'BadDatabase' }],
  ['database disk image is malformed (11)', { kind: 'BadDatabase' }],
  ['\tservice.go:279 +0x6b\ncreated by main.Start in goroutine 2433', { kind: 'PortTaken' }],
  ['Error: unknown flag', { kind: 'Ended' }],
  ['', { kind: 'Ended' }],
] as const)('TEMPORAL-5: the output %j explains why a server ended', ([output, reason]) => {
  expect(explainEnd(output, PORTS)).toMatchObject(reason);
});
