/** Configuration: the only place that reads the environment, once, into a frozen value. */
import path from 'node:path';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';

const PORT_MAX = 65_535;
const NOT_A_PORT = `a port is a whole number from 0 to ${String(PORT_MAX)}, 0 for a free one`;
const Port = z.coerce
  .number({ error: NOT_A_PORT })
  .refine((port) => Number.isInteger(port) && port >= 0 && port <= PORT_MAX, { error: NOT_A_PORT });

const Environment = z.object({
  VARVE_DATA_DIR: z.string().min(1).optional(),
  VARVE_POLICY_DIR: z.string().min(1).optional(),
  VARVE_API_PORT: Port.default(0),
  VARVE_TEMPORAL_PORT: Port.default(0),
  VARVE_UI_PORT: Port.default(0),
  VARVE_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('warn'),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
});

export interface Config {
  /** Everything Varve keeps on this machine for one installation. */
  readonly dataDir: string;
  readonly policyDir: string;
  /** 0 for a free one. */
  readonly apiPort: number;
  readonly temporalPort: number;
  readonly uiPort: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** A server that is already there; null to start the embedded one. */
  readonly temporalAddress: string | null;
  readonly temporalNamespace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a command's options may set; they stand above the environment. */
export interface ConfigOverrides {
  readonly dataDir?: string | undefined;
  readonly policyDir?: string | undefined;
  readonly apiPort?: string | undefined;
  readonly temporalPort?: string | undefined;
  readonly uiPort?: string | undefined;
}

/** The option that stands above each variable. */
const OPTIONS = {
  VARVE_DATA_DIR: { option: '--data-dir', field: 'dataDir' },
  VARVE_POLICY_DIR: { option: '--policy-dir', field: 'policyDir' },
  VARVE_API_PORT: { option: '--api-port', field: 'apiPort' },
  VARVE_TEMPORAL_PORT: { option: '--temporal-port', field: 'temporalPort' },
  VARVE_UI_PORT: { option: '--ui-port', field: 'uiPort' },
} as const satisfies Record<string, { option: string; field: keyof ConfigOverrides }>;

/** @throws VarveError INVALID_INPUT naming each variable or option that is wrong */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  overrides: ConfigOverrides,
): Config {
  const options = Object.entries(OPTIONS).flatMap(([variable, { option, field }]) => {
    const value = overrides[field];
    return value === undefined ? [] : [{ variable, option, value }];
  });
  const given = Object.fromEntries(options.map(({ variable, value }) => [variable, value]));
  const parsed = Environment.safeParse({ ...environment, ...given });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path: [at], message }) => {
      const source = options.find(({ variable }) => variable === at)?.option ?? String(at);
      return `${source}: ${message}`;
    });
    throw new VarveError('INVALID_INPUT', `A setting is wrong. ${wrong.join('; ')}.`);
  }
  const set = parsed.data;
  const dataDir = path.resolve(set.VARVE_DATA_DIR ?? '.varve');
  return Object.freeze({
    dataDir,
    policyDir: path.resolve(set.VARVE_POLICY_DIR ?? path.join(dataDir, 'policies')),
    apiPort: set.VARVE_API_PORT,
    temporalPort: set.VARVE_TEMPORAL_PORT,
    uiPort: set.VARVE_UI_PORT,
    logLevel: set.VARVE_LOG_LEVEL,
    temporalAddress: set.TEMPORAL_ADDRESS ?? null,
    temporalNamespace: set.TEMPORAL_NAMESPACE,
    environment,
  });
}
