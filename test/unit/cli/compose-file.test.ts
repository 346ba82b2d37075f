/** compose.yaml, as far as tests can check it without an engine. */
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { checkExposure } from '#cli/commands/api.ts';
import { DEFAULT_API_PORT } from '#api/http-server.ts';
import { readConfig } from '#cli/config.ts';
import { MODEL_VARIABLES } from '#cli/model-settings.ts';
import { TEMPORAL_CLI_VERSION } from '#providers/temporal/server-version.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const Health = z.strictObject({
  test: z.array(z.string()).min(2),
  interval: z.string().regex(/^\d+s$/u),
  timeout: z.string().regex(/^\d+s$/u),
  retries: z.int().min(1),
});
/** The fields of the Compose specification that the file uses, under their names and types. */
const Service = z.strictObject({
  build: z.string().optional(),
  image: z.string().regex(/^[a-z0-9./-]+:\d[\w.]*$/u),
  hostname: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:(\d+):\1$/u)).default([]),
  volumes: z.array(z.string().regex(/^(?:\$\{[^}]+\}|[\w-]+):\/[\w/]+(?::ro)?$/u)).default([]),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.literal('service_healthy') }))
    .default({}),
  healthcheck: Health.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
});
const Compose = z.strictObject({
  name: z.string(),
  'x-varve': z.unknown(),
  'x-environment': z.unknown(),
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
});

const { text } = readProjectFile('compose.yaml');
const document = parseDocument(text, { merge: true });
const { services, volumes } = Compose.parse(document.toJS());
const parts = Object.entries(services).filter(([, { build }]) => build !== undefined);
const part = (name: string) => z.object({ [name]: Service }).parse(services)[name] as Service;
type Service = z.infer<typeof Service>;

/** As Compose fills in `${NAME:-default}` and `${NAME:?message}`. */
const filledIn = (value: string, given: Readonly<Record<string, string>>): string =>
  value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/gu, (_, name: string, mark: string, rest: string) =>
    given[name] === undefined && mark === '-' ? rest : (given[name] ?? ''),
  );
const configOf = (name: string, given: Readonly<Record<string, string>> = {}) => {
  const { environment } = part(name);
  const token = { VARVE_API_TOKEN: 'a-token-of-this-test', ...given };
  const set = Object.entries(environment).map(([key, value]) => [key, filledIn(value, token)]);
  return readConfig(Object.fromEntries(set) as Record<string, string>, {});
};

describe('compose.yaml', () => {
  test('is valid, and names only its own volumes and services', () => {
    expect(document.errors).toEqual([]);
    for (const { volumes: mounted, depends_on: needed } of Object.values(services)) {
      const named = mounted
        .map((each) => each.split(':')[0] ?? '')
        .filter((each) => !/\$/u.test(each));
      for (const name of named) expect(Object.keys(volumes)).toContain(name);
      for (const name of Object.keys(needed)) expect(part(name).healthcheck).toBeDefined();
    }
  });

  test('runs the three parts from the image of the Dockerfile, with existing commands', () => {
    expect(parts.map(([name]) => name)).toEqual(['api', 'worker', 'operator']);
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readProjectFile('package.json').text));
    const { text: main } = readProjectFile('cli/main.ts');
    for (const [name, { command, image, environment }] of parts) {
      expect(image).toBe(`varve:${version}`);
      expect(command?.[0]).toBe(name);
      expect(main).toContain(`program.command('${name}')`);
      const options = command?.filter((word) => word.startsWith('--')) ?? [];
      for (const option of options) expect(main).toContain(`'${option} <`);
      expect(Object.keys(environment).length).toBeGreaterThan(0);
    }
  });

  test('sets only variables that the program reads', () => {
    const { text: config } = readProjectFile('cli/config.ts');
    const named = new Set(parts.flatMap(([, { environment }]) => Object.keys(environment)));
    const unknown = [...named].filter(
      (name) => !(name in MODEL_VARIABLES) && !config.includes(`\n  ${name}: `),
    );
    expect(unknown).toEqual([]);
  });

  test.each(['api', 'worker', 'operator'])('gives %s an environment that Varve accepts', (name) => {
    const config = configOf(name);
    expect(config.settings.mongodb?.uri).toBe('mongodb://mongodb:27017/?directConnection=true');
    expect(config.temporalAddress).toBe('temporal:7233');
    expect(config.settings.models).toBeUndefined();
    expect(config.settings.embedding).toBeUndefined();
  });

  test('passes the models of the shell to every part', () => {
    const given = {
      OPENAI_API_KEY: 'made-up',
      VARVE_MODEL_STANDARD: 'gpt-4o',
      VARVE_MODEL_STANDARD_INPUT_PRICE: '2.5',
      VARVE_MODEL_STANDARD_OUTPUT_PRICE: '10',
    };
    for (const name of ['api', 'worker', 'operator']) {
      expect(configOf(name, given).settings.models?.standard?.name).toBe('gpt-4o');
    }
  });

  test('publishes the API at its default port, with a token', () => {
    const { host, apiPort, apiToken } = configOf('api');
    expect(apiPort).toBe(DEFAULT_API_PORT);
    expect(part('api').ports).toEqual([`127.0.0.1:${String(apiPort)}:${String(apiPort)}`]);
    const exposure = {
      host,
      isAuthenticationSet: apiToken !== null,
      hasTls: false,
      isTrusted: false,
    };
    expect(checkExposure(exposure)).toEqual({ isReadable: true });
  });

  test('uses the Temporal version that is tested', () => {
    expect(part('temporal').image).toBe(`temporalio/temporal:${TEMPORAL_CLI_VERSION}`);
  });
});
