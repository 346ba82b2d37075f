/**
 * Finds the API server and our credentials, from a kubeconfig or the ServiceAccount of the pod. The
 * vendor's client reads the files, runs exec plugins and renews tokens; requests are made here.
 */
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { RequestOptions } from 'node:https';
import { VarveError } from '#core/errors.ts';
import { credentialsError } from './failure.ts';

/**
 * How long credentials are used before their files are read again. Bound tokens live an hour by
 * default, and are renewed when a fifth of that is left.
 */
const CREDENTIALS_AGE_MS_MAX = 10_000;
/** Refused credentials are read again at most this often. */
const RELOAD_MS_MIN = 5_000;

/** The TLS options of a connection. */
type TlsMaterial = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;

export interface Access {
  /** Scheme, host, port and path prefix, without a slash at the end. */
  readonly server: string;
  readonly proxyUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

export interface AccessSource {
  readonly server: string;
  /** The namespace of the context or of the pod. */
  readonly namespace: string | null;
  /** @throws VarveError UNAUTHENTICATED if the credentials cannot be read */
  current(): Promise<Access>;
  /** Forgets the credentials, which the server refused, so that they are read again. */
  forget(): void;
}

export interface AccessOptions {
  /** Files as in `KUBECONFIG`; null for the ServiceAccount of the pod. */
  readonly kubeconfig: string | null;
  /** Null for the current context. */
  readonly context?: string | null;
  /** Milliseconds that never go back. */
  readonly timer: () => number;
}

/**
 * Opens the source of credentials.
 * @throws VarveError INVALID_INPUT if the configuration cannot be read or names no server
 */
export function openAccess(options: AccessOptions): AccessSource {
  const { timer } = options;
  let config = loadConfig(options);
  let loadedAt = timer();
  let isRefused = false;
  let held: { readonly access: Promise<Access>; readonly at: number } | null = null;
  const read = async (): Promise<Access> => {
    if (isRefused) {
      // The vendor's client keeps tokens for a minute, so make a new one.
      config = loadConfig(options);
      loadedAt = timer();
      isRefused = false;
    }
    return readAccess(config);
  };
  return {
    server: serverOf(config).server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim() ?? null,
    current() {
      const now = timer();
      // Concurrent callers share one read: an exec plugin may prompt a person.
      if (held === null || now - held.at >= CREDENTIALS_AGE_MS_MAX) {
        const access = read();
        held = { access, at: now };
        access.catch(() => {
          if (held?.access === access) held = null;
        });
      }
      return held.access;
    },
    forget() {
      // A server that refuses everything must not trigger a plugin run for each request.
      if (timer() - loadedAt < RELOAD_MS_MIN) return;
      held = null;
      isRefused = true;
    },
  };
}

function loadConfig({ kubeconfig, context }: AccessOptions): KubeConfig {
  const config = new KubeConfig();
  try {
    if (kubeconfig === null) {
      config.loadFromCluster();
    } else {
      const [first = '', ...others] = kubeconfig.split(path.delimiter).filter(Boolean);
      config.loadFromFile(first);
      for (const file of others) {
        const more = new KubeConfig();
        more.loadFromFile(file);
        config.mergeConfig(more, true);
      }
    }
  } catch {
    // The vendor's message quotes the path, and a parser's message the file.
    throw invalid('The kubeconfig cannot be read. Check that the file exists and is valid YAML.');
  }
  if (context !== undefined && context !== null) config.setCurrentContext(context);
  return config;
}

function serverOf(config: KubeConfig): { server: string; proxyUrl: string | null } {
  const cluster = config.getCurrentCluster();
  if (cluster === null || !URL.canParse(cluster.server)) {
    throw invalid(
      'No Kubernetes API server is known. Name a kubeconfig with a current context, or run in a ' +
        'pod with a ServiceAccount.',
    );
  }
  const { protocol } = new URL(cluster.server);
  if (protocol !== 'https:' && !cluster.skipTLSVerify) {
    throw invalid('The address of the Kubernetes API server has to begin with https.');
  }
  const proxyUrl = cluster.proxyUrl ?? null;
  if (proxyUrl !== null && !/^https?:/u.test(proxyUrl)) {
    throw invalid('The proxy of the kubeconfig must be an HTTP proxy.');
  }
  return { server: cluster.server.replace(/\/+$/u, ''), proxyUrl };
}

async function readAccess(config: KubeConfig): Promise<Access> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch {
    throw credentialsError();
  }
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = options;
  const material = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized };
  const tls: TlsMaterial = Object.fromEntries(
    Object.entries(material).filter(([, value]) => value !== undefined && value !== null),
  );
  return { ...serverOf(config), headers: headersOf(options), tls };
}

/** Returns the headers. Token files often end in a line break, which no header may contain. */
function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const basic =
    typeof auth === 'string' ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined;
  const given = Object.entries(Array.isArray(headers) ? {} : (headers ?? {}));
  const all = basic === undefined ? given : [['authorization', basic] as const, ...given];
  return Object.fromEntries(
    all
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
}

function invalid(message: string): VarveError {
  return new VarveError('INVALID_INPUT', message);
}
