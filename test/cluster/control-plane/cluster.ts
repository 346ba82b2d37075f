/** What tests do with an API server, whoever started it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { runProgram, type ProgramResult } from '../program.ts';
import { hasAuthority, issueCertificate, writeKubeconfig } from './authority.ts';
import { obtainProgram } from './programs.ts';

export interface KubectlOptions {
  /** Standard input, for `-f -`. */
  readonly input?: string;
  /** Whose rights it runs with; without one the administrator's. */
  readonly kubeconfig?: string;
}

export interface Cluster {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Path of the kubeconfig of a user; the groups are what RBAC knows the user by. */
  userKubeconfig(name: string, groups: readonly string[]): Promise<string>;
  /** Path of the kubeconfig of a ServiceAccount that is there, with a token of one hour. */
  serviceAccountKubeconfig(namespace: string, name: string): Promise<string>;
  /** Runs kubectl to its end; a status that is not 0 is a result, not an error. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<ProgramResult>;
  /** What kubectl says, without the space around it. @throws Error where its status is not 0 */
  run(args: readonly string[], options?: KubectlOptions): Promise<string>;
}

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.string() }) })], z.unknown()),
});

/** `keys`: the folder with the authority of this API server. */
export function createCluster(kubeconfig: string, keys: string): Cluster {
  const address = { server: serverOf(kubeconfig), keys };
  const kubectl: Cluster['kubectl'] = async (args, options = {}) => {
    const env = { PATH: process.env['PATH'], KUBECACHEDIR: path.join(keys, 'cache') };
    const flags = [`--kubeconfig=${options.kubeconfig ?? kubeconfig}`, ...args];
    return runProgram(await obtainProgram('kubectl'), flags, { env, input: options.input });
  };
  const run: Cluster['run'] = async (args, options) => {
    const { stdout, stderr, status } = await kubectl(args, options);
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  return {
    kubeconfig,
    kubectl,
    run,
    userKubeconfig: async (name, groups) => {
      await requireAuthority(keys);
      return writeKubeconfig(address, name, await issueCertificate(keys, name, groups));
    },
    serviceAccountKubeconfig: async (namespace, name) => {
      await requireAuthority(keys);
      const token = await run(['create', 'token', name, `--namespace=${namespace}`]);
      return writeKubeconfig(address, name, { token });
    },
  };
}

/** A person's own cluster has its own ways to make users. */
async function requireAuthority(keys: string): Promise<void> {
  if (await hasAuthority(keys)) return;
  throw new Error('Users are made only on a control plane of these tests.');
}

function serverOf(kubeconfig: string): string {
  const text = readFileSync(kubeconfig, 'utf8');
  const [first] = Kubeconfig.parse(parse(text)).clusters;
  return first.cluster.server;
}
