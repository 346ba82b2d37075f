/** The library over a folder of its own, with direct access to its store and its file. */
import path from 'node:path';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve, type OpenVarveOptions, type Varve } from '#cli/open-varve.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { dumpOf, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { shared } from '#test/shared-fixture.ts';
import { checkedLibrary } from './checked-library.ts';

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Library extends AsyncDisposable {
  readonly varve: Varve;
  /** The same file through another connection. */
  readonly store: Store;
  readonly lines: readonly LogLine[];
  /** The same folder as another principal, or with other settings. */
  open(options?: Omit<OpenVarveOptions, 'dataDir'>): Promise<Varve>;
  /** Every row of every table. */
  dump(): Record<string, unknown>;
  declare(
    tenant: string,
    differing: (policy: TenantPolicy) => Partial<TenantPolicy>,
  ): Promise<void>;
}

export async function openLibrary(): Promise<Library> {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const lines: LogLine[] = [];
  const log = logInto(lines);
  const file = path.join(folder, STORE_FILE);
  const varve = checked(held.use(await openVarve({ dataDir: folder, log })));
  const store = held.use(
    await openSqliteStore({
      file,
      platform: createPlatform(),
      analyzer: createTextAnalyzer(),
    }),
  );
  const open = held.move();
  return {
    varve,
    store,
    lines,
    open: async (options) => checked(await openVarve({ dataDir: folder, log, ...options })),
    dump: () => dumpOf(file),
    declare: async (tenant, differing) => {
      const policy = defaultPolicy(tenant);
      const declared = { ...policy, ...differing(policy) };
      const hash = JSON.stringify(declared);
      await store.policies.put(ownerOf('test'), declared, { hash, now: Date.now() });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function checked(varve: Varve): Varve {
  const dispose = () => varve[Symbol.asyncDispose]();
  return { ...checkedLibrary(varve), close: () => varve.close(), [Symbol.asyncDispose]: dispose };
}

/** One library for the tests of a file; each takes a tenant of its own. */
export function sharedLibrary(): () => Library {
  return shared(() => openLibrary());
}

function logInto(lines: LogLine[]): Log {
  const write =
    (level: keyof Log) => (fields: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push({ level, fields, message });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

let tenantsMade = 0;

/** A tenant that no other test of the file has. */
export function newTenant(): string {
  tenantsMade += 1;
  return `tenant-${String(tenantsMade)}`;
}

/** What a call fails with, as far as callers see it; fails where it succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<Error & { code?: unknown }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('The call succeeded.');
}
