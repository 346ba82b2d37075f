/** The commands of docs/operating/backup.md that bring exported resources back. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeUnless } from '../cluster/needs.ts';
import {
  installDefinitions,
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { readProjectFile } from '../tidy/source-file.ts';

const PLURALS = ['memorytenants', 'layersummarypolicies'];
const COMMAND = /^ +grep -vE '([^']+)' resources\.yaml \| kubectl apply --filename -$/mu;

describeUnless(await missingForKubernetes())('exported resources', () => {
  let cluster: TestKubernetes;
  let namespace = '';
  let exported = '';
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    namespace = await cluster.createNamespace();
    await installDefinitions(cluster);
    const tenant = { tenantId: `tenant-${namespace}`, budget: { dollars: '1.00' } };
    const policy = { tenantRef: { name: 'acme' }, layer: 'project' };
    const items = [declared('MemoryTenant', tenant), declared('LayerSummaryPolicy', policy)];
    const list = { apiVersion: 'v1', kind: 'List', items };
    await run(['apply', '--filename=-'], JSON.stringify(list));
    exported = await run(['get', 'mt,lsp', `--namespace=${namespace}`, '--output=yaml']);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const declared = (kind: string, spec: object) => ({
    apiVersion: 'memory.varve.dev/v1alpha1',
    kind,
    metadata: { name: 'acme', namespace, finalizers: ['memory.varve.dev/kept-by-the-test'] },
    spec,
  });
  const run = (args: readonly string[], input?: string) =>
    cluster.run(args, input === undefined ? {} : { input });
  const specs = async (): Promise<string> => {
    const output = '--output=jsonpath={.items[*].spec}';
    return run(['get', 'mt,lsp', `--namespace=${namespace}`, output]);
  };
  /** Gone for good, whatever their finalizers wait for. */
  const remove = async (): Promise<void> => {
    for (const plural of PLURALS) {
      const none = ['--type=merge', '--patch={"metadata":{"finalizers":null}}'];
      await run(['patch', plural, 'acme', `--namespace=${namespace}`, ...none]);
      await run(['delete', plural, 'acme', `--namespace=${namespace}`, '--timeout=60s']);
    }
  };

  test('are restored unchanged, over existing objects and into an empty namespace', async () => {
    const before = await specs();
    const [, pattern] = COMMAND.exec(readProjectFile('docs/operating/backup.md').text) ?? [];
    const restored = await without(String(pattern), exported);
    await run(['apply', '--filename=-'], restored);
    expect(await specs()).toBe(before);
    await remove();
    expect(await specs()).toBe('');
    await run(['apply', '--filename=-'], restored);
    expect(await specs()).toBe(before);
    // As it was exported it speaks of resources that are gone.
    const { status, stderr } = await cluster.kubectl(['apply', '--filename=-'], {
      input: exported,
    });
    expect(stderr).toContain('Conflict');
    expect(status).not.toBe(0);
    await remove();
  });
});

async function without(pattern: string, input: string): Promise<string> {
  const grep = spawn('grep', ['-vE', pattern]);
  grep.stdin.end(input);
  return text(grep.stdout);
}
