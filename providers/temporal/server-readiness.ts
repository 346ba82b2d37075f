/** Waits until a Temporal server answers for a namespace. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Connection } from '@temporalio/client';

import { VarveError } from '#core/errors.ts';

/** A start takes about half a second, so that looking more often would only take its CPU. */
const POLL_MS = 50;
const CALL_TIMEOUT_MS = 2_000;

export interface ReadinessTarget {
  readonly ip: string;
  readonly port: number;
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Fires when waiting is of no use any more: the caller gave up or the server has ended. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when the namespace answers through gRPC and workflows of it can be counted, which needs
 * the server's frontend, history and visibility parts.
 * Errors: TIMEOUT after `timeoutMs`; the signal's reason when it fires.
 */
export async function waitUntilReady(target: ReadinessTarget): Promise<void> {
  const deadline = performance.now() + target.timeoutMs;
  // A refused gRPC connection backs off for a second, so the port is tried first.
  await retry(target, deadline, () => openPort(target));
  const { Connection } = await import('@temporalio/client');
  const connection = Connection.lazy({ address: `${target.ip}:${target.port}` });
  try {
    await retry(target, deadline, () => askNamespace(connection, target.namespace));
  } finally {
    await connection.close();
  }
}

async function retry(
  target: ReadinessTarget,
  deadline: number,
  attempt: () => Promise<void>,
): Promise<void> {
  for (;;) {
    target.signal.throwIfAborted();
    const failure = await attempt().then(
      () => undefined,
      (error: unknown) => ({ cause: error }),
    );
    target.signal.throwIfAborted();
    if (failure === undefined) return;
    if (performance.now() >= deadline) throw notReady(target, failure.cause);
    await sleep(POLL_MS);
  }
}

function openPort(target: ReadinessTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.ip, port: target.port, timeout: CALL_TIMEOUT_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

async function askNamespace(connection: Connection, namespace: string): Promise<void> {
  await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    await connection.workflowService.describeNamespace({ namespace });
    await connection.workflowService.countWorkflowExecutions({ namespace });
  });
}

function notReady(target: ReadinessTarget, cause: unknown): VarveError {
  const seconds = Math.round(target.timeoutMs / 1_000);
  return new VarveError('TIMEOUT', `Temporal didn't answer within ${seconds} s.`, { cause });
}
