/**
 * The key of a provider. It is read from its Secret when needed, kept for a minute, and read again
 * at once when the endpoint refuses it, so a changed key is used without a restart. It never
 * appears in an error, a log or a record.
 */
import { VarveError } from '#core/errors.ts';
import type { Clock, Log } from '#core/ports/platform.ts';
import type { Secret, SecretSource } from '#core/ports/secret-source.ts';
import type { SecretReference } from '#core/records/model-provider.ts';
import type { Config } from '../config.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';

/** A changed Secret is in use after this time, even if its old key still works. */
const KEPT_MS = 60_000;
/** Pause between attempts while the API server is unavailable. */
const AGAIN_MS = 5_000;
const READ_MS_MAX = 10_000;
/** Characters that a header can hold; an error about any other character might quote the key. */
const SENDABLE = /^[\u{21}-\u{7e}]+$/u;

export interface ProviderKey {
  /**
   * Makes a call with the key, which is null for an endpoint that needs none. If the endpoint
   * refuses the key and the Secret has another one by now, the call is made once more.
   * @throws VarveError UNAUTHENTICATED or FORBIDDEN if there is no key, or the endpoint refuses
   * every key
   */
  use<T>(call: (key: string | null) => Promise<T>): Promise<T>;
}

interface KeyParts {
  /** Name of the provider, for people who read the failure. */
  readonly provider: string;
  readonly reference: SecretReference | null;
  readonly secrets: SecretSource;
  readonly clock: Clock;
  readonly log: Log;
}

interface State {
  kept: { readonly value: string; readonly at: number } | null;
  /** Calls that need the key at the same time share one read. */
  reading: Promise<string> | null;
}

export function createProviderKey(parts: KeyParts): ProviderKey {
  const { reference } = parts;
  if (reference === null) return { use: (call) => orRefused(call(null), parts) };
  const state: State = { kept: null, reading: null };
  const read = (): Promise<string> => (state.reading ??= readInto(state, reference, parts));
  return {
    use: async (call) => {
      const key = fresh(state, parts.clock()) ?? (await read());
      try {
        return await call(key);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      // Another call may have found the new key meanwhile.
      const known = state.kept?.value ?? key;
      const renewed = known === key ? await read() : known;
      if (renewed === key) throw refused(parts);
      return orRefused(call(renewed), parts);
    },
  };
}

function fresh({ kept }: State, now: number): string | null {
  return kept !== null && now - kept.at < KEPT_MS ? kept.value : null;
}

async function readInto(
  state: State,
  reference: SecretReference,
  { provider, secrets, clock, log }: KeyParts,
): Promise<string> {
  try {
    const secret = await secrets.read(reference, AbortSignal.timeout(READ_MS_MAX));
    const value = keyOf(secret);
    const isOther = state.kept !== null && state.kept.value !== value;
    if (isOther) log.info({ provider, version: secret?.version }, 'using the changed provider key');
    state.kept = { value, at: clock() };
    return value;
  } catch (error) {
    const { kept } = state;
    if (kept === null || !isAway(error)) {
      state.kept = null;
      throw unread(error, reference, provider);
    }
    state.kept = { ...kept, at: clock() - KEPT_MS + AGAIN_MS };
    return kept.value;
  } finally {
    state.reading = null;
  }
}

/** @throws VarveError UNAUTHENTICATED */
function keyOf(secret: Secret | null): string {
  if (secret === null) {
    throw new VarveError('UNAUTHENTICATED', 'There is no such Secret, or no such key in it.');
  }
  if (SENDABLE.test(secret.value)) return secret.value;
  const message = 'It is empty, or has characters that no header can hold.';
  throw new VarveError('UNAUTHENTICATED', message);
}

/** Whether the API server gave no answer about the Secret: then the last key is the best guess. */
function isAway(error: unknown): boolean {
  return !(error instanceof VarveError && isOfKey(error));
}

function isOfKey({ code }: VarveError): boolean {
  return code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
}

function unread(cause: unknown, reference: SecretReference, provider: string): VarveError {
  const isForbidden = cause instanceof VarveError && cause.code === 'FORBIDDEN';
  const why =
    cause instanceof VarveError && isOfKey(cause)
      ? cause.message
      : 'The API server does not answer.';
  const message =
    `The key of ModelProvider ${provider} cannot be read: key ${reference.key} of Secret ` +
    `${reference.name} in the release namespace. ${why}`;
  return new VarveError(isForbidden ? 'FORBIDDEN' : 'UNAUTHENTICATED', message, {
    details: { provider },
    cause,
  });
}

async function orRefused<T>(call: Promise<T>, parts: KeyParts): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isRefusal(error) ? refused(parts) : error;
  }
}

/** Whether the endpoint refused the key, as unknown or as not permitted. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof VarveError)) return false;
  const { status } = error.details;
  return status === 401 || status === 403;
}

/** One error for both refusals, since which one an endpoint sends says little about the cause. */
function refused({ provider, reference }: KeyParts): VarveError {
  const place =
    reference === null
      ? 'It has no secretRef; add one.'
      : `Put another one into key ${reference.key} of Secret ${reference.name}.`;
  const message = `The endpoint of ModelProvider ${provider} refuses the key. ${place}`;
  return new VarveError('UNAUTHENTICATED', message, { details: { provider } });
}

/** The version of a value that does not change while the process runs. */
const VERSION = 'environment';

/**
 * Opens the source of the keys of ModelProviders: the Secrets of the namespace in a pod that may
 * read them, and variables elsewhere.
 */
export function openSecrets({
  podNamespace,
  kubeconfig,
  environment,
}: Pick<Config, 'podNamespace' | 'kubeconfig' | 'environment'>): ClusterSecrets {
  if (podNamespace !== null) return clusterSecrets(podNamespace, kubeconfig);
  const none = { [Symbol.asyncDispose]: () => Promise.resolve() };
  return { ...environmentSecrets(environment), ...none };
}

/** @param environment as read at the start of the process */
export function environmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): SecretSource {
  return {
    read: (reference) => {
      const variable = variableOf(reference);
      const value = environment[variable];
      if (value !== undefined && value !== '') return Promise.resolve({ value, version: VERSION });
      const message = `Outside of a cluster it is the variable ${variable}; set it for the worker.`;
      return Promise.reject(new VarveError('UNAUTHENTICATED', message));
    },
  };
}

/**
 * Returns e.g. `VARVE_SECRET_OPENAI__API_KEY` for the key `api-key` of the Secret `openai`. A
 * variable may only have letters, digits and `_`, so names that differ only in other characters
 * share one.
 */
export function variableOf({ name, key }: SecretReference): string {
  return `VARVE_SECRET_${asVariable(name)}__${asVariable(key)}`;
}

function asVariable(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_');
}

const USER_AGENT = 'varve-worker';

/** Reads model keys from Secrets of a cluster. */
export interface ClusterSecrets extends SecretSource, AsyncDisposable {}

/**
 * Opens the connection with the first key: a worker whose endpoints need none needs no API server.
 * @param kubeconfig null for the ServiceAccount of the pod
 */
export function clusterSecrets(namespace: string, kubeconfig: string | null): ClusterSecrets {
  const held = new AsyncDisposableStack();
  let opened: Promise<SecretSource> | null = null;
  const open = async (): Promise<SecretSource> => {
    const [{ openKubernetesApi }, { createSecretSource }, { createTimers }] = await Promise.all([
      import('#providers/kubernetes/open-kubernetes-api.ts'),
      import('#providers/kubernetes/secret-source.ts'),
      import('#providers/node/timers.ts'),
    ]);
    const options = { kubeconfig, userAgent: USER_AGENT, timers: createTimers() };
    const api: OpenKubernetesApi = held.use(openKubernetesApi(options));
    return createSecretSource(api, namespace);
  };
  return {
    read: async (reference, signal) => {
      opened ??= open();
      try {
        return await (await opened).read(reference, signal);
      } catch (error) {
        // A missing configuration may exist at the next try.
        if (error instanceof VarveError && error.code === 'INVALID_INPUT') opened = null;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
