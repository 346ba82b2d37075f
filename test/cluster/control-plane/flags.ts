/** The flags that start each part, from the paths of one control plane. Pure. */
import path from 'node:path';

import type { Part } from './programs.ts';

export interface Places {
  readonly folder: string;
  /** Where the certificates and keys lie. */
  readonly keys: string;
  readonly adminKubeconfig: string;
  readonly ports: Ports;
}

export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiserver: number;
  readonly controllerManager: number;
}

export const LOCALHOST = '127.0.0.1';

/**
 * Without these, namespaces stay Terminating, owned objects stay, roles don't aggregate and no
 * ServiceAccount is there for a pod. There are no nodes, so whatever works on pods is left out.
 */
const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'validatingadmissionpolicy-status-controller',
];

/** The arguments of a part's program. */
export function flagsOf(part: Part, places: Places): readonly string[] {
  const flags = FLAGS[part](places);
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** Where a part says whether it is well. */
export function healthOf(part: Part, { ports }: Places): string {
  const at = {
    etcd: `http://${LOCALHOST}:${ports.etcd}/health`,
    'kube-apiserver': `https://${LOCALHOST}:${ports.apiserver}/readyz`,
    'kube-controller-manager': `https://${LOCALHOST}:${ports.controllerManager}/healthz`,
  };
  return at[part];
}

type Flags = Readonly<Record<string, string>>;

const FLAGS: Readonly<Record<Part, (places: Places) => Flags>> = {
  etcd: ({ folder, ports }) => {
    const [client, peer] = [url(ports.etcd), url(ports.etcdPeer)];
    return {
      name: 'test',
      'data-dir': path.join(folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `test=${peer}`,
      'log-level': 'warn',
      // What it holds goes with the test, and a killed process loses nothing that it wrote.
      'unsafe-no-fsync': 'true',
    };
  },
  'kube-apiserver': ({ folder, keys, ports }) => ({
    'etcd-servers': url(ports.etcd),
    'bind-address': LOCALHOST,
    'advertise-address': LOCALHOST,
    'secure-port': `${ports.apiserver}`,
    'cert-dir': folder,
    'tls-cert-file': path.join(keys, 'serving.crt'),
    'tls-private-key-file': path.join(keys, 'serving.key'),
    'client-ca-file': path.join(keys, 'authority.crt'),
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': path.join(keys, 'tokens.pub'),
    'service-account-signing-key-file': path.join(keys, 'tokens.key'),
    'service-cluster-ip-range': '10.0.0.0/24',
    'endpoint-reconciler-type': 'none',
    profiling: 'false',
  }),
  'kube-controller-manager': ({ folder, keys, adminKubeconfig, ports }) => ({
    kubeconfig: adminKubeconfig,
    controllers: CONTROLLERS.join(','),
    'bind-address': LOCALHOST,
    'secure-port': `${ports.controllerManager}`,
    'cert-dir': folder,
    'tls-cert-file': path.join(keys, 'serving.crt'),
    'tls-private-key-file': path.join(keys, 'serving.key'),
    'service-account-private-key-file': path.join(keys, 'tokens.key'),
    'root-ca-file': path.join(keys, 'authority.crt'),
    'leader-elect': 'false',
    profiling: 'false',
  }),
};

function url(port: number): string {
  return `http://${LOCALHOST}:${port}`;
}
