/** Two operators as processes: one is killed, one is frozen past its Lease and resumed. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes, openTestKubernetes } from '../cluster/test-kubernetes.ts';
import { shared } from '#test/shared-fixture.ts';

const PROGRAM = fileURLToPath(new URL('leading-process.ts', import.meta.url));
const PATIENCE = { timeout: 90_000, interval: 100 };

type Line = Readonly<Record<string, unknown>>;

interface Leader extends Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: readonly Line[];
  said(kind: string): Line | undefined;
  /** Lets it write over what it read. */
  write(): void;
}

describeUnless(await missingForKubernetes())('leaders as processes', () => {
  const cluster = shared(openTestKubernetes);

  function start(namespace: string, identity: string): Leader {
    const args = [PROGRAM, cluster().kubeconfig, namespace, identity];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line) as Line);
    });
    return {
      child,
      lines,
      said: (kind) => lines.find((line) => line['kind'] === kind),
      write: () => void child.stdin.write('go\n'),
      [Symbol.dispose]: () => void child.kill('SIGKILL'),
    };
  }

  /** A namespace with the object that leaders write. */
  async function fixture(): Promise<string> {
    const namespace = await cluster().createNamespace();
    const name = 'written-by-leaders';
    const made = await cluster().kubectl(['create', 'configmap', name, '--namespace', namespace]);
    expect(made.status).toBe(0);
    return namespace;
  }

  /** Of the leader's term, once it leads. */
  async function epochOf(leader: Leader): Promise<number> {
    await expect.poll(() => leader.said('Leading'), PATIENCE).toBeDefined();
    return Number(leader.said('Leading')?.['epoch']);
  }

  async function written(namespace: string): Promise<unknown> {
    const args = ['get', 'configmap', 'written-by-leaders', '--namespace', namespace];
    const { stdout } = await cluster().kubectl([...args, '--output', 'jsonpath={.data}']);
    return JSON.parse(stdout);
  }

  test('a killed leader is replaced by the other one in a later term', async () => {
    const namespace = await fixture();
    using a = start(namespace, 'a');
    const epoch = await epochOf(a);
    using b = start(namespace, 'b');
    a.child.kill('SIGKILL');
    await expect.poll(() => b.said('Leading'), PATIENCE).toMatchObject({ epoch: epoch + 1 });
    b.write();
    await expect.poll(() => b.said('Stopped'), PATIENCE).toBeDefined();
    expect(await written(namespace)).toEqual({ leader: 'b', epoch: String(epoch + 1) });
  });

  test('a leader that was frozen past its Lease notices it, and its late write is refused', async () => {
    const namespace = await fixture();
    using a = start(namespace, 'a');
    const epoch = await epochOf(a);
    using b = start(namespace, 'b');
    a.child.kill('SIGSTOP');
    await expect.poll(() => b.said('Leading'), PATIENCE).toMatchObject({ epoch: epoch + 1 });
    b.write();
    await expect
      .poll(() => b.said('Written'), PATIENCE)
      .toEqual({
        kind: 'Written',
        isLeader: true,
      });
    a.write();
    a.child.kill('SIGCONT');
    await expect
      .poll(() => a.said('Refused'), PATIENCE)
      .toEqual({
        kind: 'Refused',
        isLeader: false,
        code: 'CONFLICT',
      });
    await expect.poll(() => a.said('Lost'), PATIENCE).toBeDefined();
    expect(await written(namespace)).toEqual({ leader: 'b', epoch: String(epoch + 1) });
  });
});
