/** Helm itself on a control plane of its own: install, upgrade, uninstall, install again. */
import { expect, test } from 'vitest';
import { startControlPlane } from '../cluster/control-plane.ts';
import { missingForControlPlane } from '../cluster/control-plane/programs.ts';
import { helm, missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { readProjectFile } from '../tidy/source-file.ts';
import { CHART, FULL_NAME, RELEASE, valuesFile } from './chart.ts';
import { shared } from '#test/shared-fixture.ts';

const NAMESPACE = 'memory';
const TENANT = {
  apiVersion: 'memory.varve.dev/v1alpha1',
  kind: 'MemoryTenant',
  metadata: { name: 'acme', namespace: NAMESPACE },
  spec: { budget: { dollars: '25.00' } },
};

const missing = (await missingForControlPlane()) ?? (await missingForHelm());

describeUnless(missing)('a release', () => {
  const plane = shared(startControlPlane);

  const run = (...args: readonly string[]) => plane().run(args);
  const release = async (command: string, ...args: readonly string[]): Promise<void> => {
    const place = ['--namespace', NAMESPACE];
    const { status, stderr } = await helm([command, RELEASE, ...args, ...place], {
      kubeconfig: plane().kubeconfig,
    });
    if (status !== 0) throw new Error(`helm ${command}: ${stderr}`);
  };
  const chart = [CHART, `--values=${valuesFile('minimal')}`];
  const uid = () =>
    run('get', 'mt', 'acme', `--namespace=${NAMESPACE}`, '--output=jsonpath={.metadata.uid}');

  test('leaves definitions and resources when uninstalled, and uses them when installed again', async () => {
    await release('install', ...chart, '--create-namespace');
    const definition = 'customresourcedefinition/memorytenants.memory.varve.dev';
    await run('wait', '--for=condition=Established', '--timeout=60s', definition);
    const { status, stderr } = await plane().kubectl(['create', '-f-'], {
      input: JSON.stringify(TENANT),
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const first = await uid();

    await release('upgrade', ...chart, '--set', 'api.replicas=5');
    const replicas = ['get', 'deployment', `${FULL_NAME}-api`, `--namespace=${NAMESPACE}`];
    expect(await run(...replicas, '--output=jsonpath={.spec.replicas}')).toBe('5');
    expect(await uid()).toBe(first);

    await release('uninstall');
    expect(await run('get', 'deployment', `--namespace=${NAMESPACE}`, '--output=name')).toBe('');
    const left = ['get', 'clusterrole,clusterrolebinding', '--output=name'];
    expect(await run(...left)).not.toContain(FULL_NAME);
    expect(await uid()).toBe(first);

    await release('install', ...chart);
    expect(await uid()).toBe(first);
  });

  test('if the operator is gone, the documented patch allows the definitions to be deleted', async () => {
    const finalizer = '{"metadata":{"finalizers":["memory.varve.dev/kept-by-the-operator"]}}';
    await run('patch', 'mt', 'acme', `--namespace=${NAMESPACE}`, '--type=merge', `-p=${finalizer}`);
    await release('uninstall');
    const definitions = commandOf('delete', 'crd');
    const timers = await plane().kubectl([...definitions, '--timeout=5s']);
    expect(timers.stderr).toContain('timed out');
    const patch = commandOf('patch', 'mt').map((word) =>
      word.replace(/^NAME$/u, 'acme').replace(/^NAMESPACE$/u, NAMESPACE),
    );
    await run(...patch);
    await run(...definitions, '--ignore-not-found', '--timeout=60s');
    const left = await run('get', 'crd', '--output=name');
    expect(left).not.toContain('memory.varve.dev');
  });
});

/** The arguments of the command of docs/operating/remove.md that begins with these words. */
function commandOf(...first: readonly string[]): readonly string[] {
  const page = readProjectFile('docs/operating/remove.md').text.replaceAll(/\\\n/gu, ' ');
  const line = page.split('\n').find((each) => each.startsWith(`    kubectl ${first.join(' ')} `));
  const words = line?.trim().match(/'[^']*'|\S+/gu) ?? [];
  return words.slice(1).map((word) => word.replaceAll("'", ''));
}
