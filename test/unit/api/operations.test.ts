/** The table of operations: every row is complete, and every interface has it or says why not. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import { namedOperations, NOT_OVER_HTTP } from '#api/operations/table.ts';
import { COMMON_ERRORS } from '#api/operations/operation.ts';
import { parseInput } from '#api/parse-input.ts';
import { router, type AppRouter } from '#api/trpc-router.ts';
import type { Varve } from '#cli/open-varve.ts';
import { ROOT } from '#test/tidy/source-file.ts';

const ROWS = namedOperations();

describe('every operation of the table', () => {
  test.each(ROWS)('%s has the name of its place in the table', (name, row) => {
    expect(row.name).toBe(name);
  });

  test.each(ROWS)('%s has an example that fits its schemas', (_, { example, ...row }) => {
    expect(() => parseInput(row.input, example.input)).not.toThrow();
    expect(row.output.parse(example.output)).toEqual(example.output);
  });

  test.each(ROWS)('%s has a summary of one sentence', (_, { summary }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/u);
  });

  test.each(ROWS)('%s lists only errors of its own, each once', (_, { errors }) => {
    const common: readonly string[] = COMMON_ERRORS;
    expect(errors.filter((code) => common.includes(code))).toEqual([]);
    expect(new Set(errors).size).toBe(errors.length);
  });
});

describe('the faces', () => {
  const names = ROWS.map(([name]) => name);

  test('API-01: the router has every operation by its kind, except those with a reason', () => {
    const { procedures } = router._def as unknown as {
      procedures: Readonly<Record<string, { _def: { type: string } }>>;
    };
    const served = Object.entries(procedures).map(([name, { _def }]) => `${name} ${_def.type}`);
    const expected = ROWS.filter(([name]) => !Object.hasOwn(NOT_OVER_HTTP, name));
    const rows = expected.map(([name, { kind }]) => `${name} ${kind}`);
    expect(served.toSorted()).toEqual(rows.toSorted());
  });

  test('every operation that is not over HTTP exists and has a reason', () => {
    for (const [name, reason] of Object.entries(NOT_OVER_HTTP)) {
      expect(names).toContain(name);
      expect(reason).toMatch(/\.$/u);
    }
  });
});

describe('the command line', () => {
  const sources = sourcesOf('cli');

  test.each(ROWS)('%s has the commands that its row names', (name, { commands }) => {
    const isCalled = new RegExp(String.raw`\b${name.replace('.', String.raw`\.`)}\b`, 'u');
    const callers = sources.filter((text) => isCalled.test(text));
    if ('none' in commands) {
      expect(commands.none).toMatch(/^[^.]*\.$/u);
      expect(name.includes('.') ? callers : []).toEqual([]);
      return;
    }
    expect(callers.length).toBeGreaterThan(0);
    for (const word of commands.join(' ').split(' ')) {
      const isDeclared = new RegExp(String.raw`command\('${word}'\)|plain\('${word}'\)`, 'u');
      expect(sources.some((text) => isDeclared.test(text))).toBe(true);
    }
  });
});

/** The code of a folder, without comments and imports, which also name operations. */
function sourcesOf(folder: string): readonly string[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
    .map((text) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import[^;]*;/gmu, ''));
}

describe('the types of the callers', () => {
  test('an unknown layer or identifier does not compile', () => {
    const calls = [
      // @ts-expect-error -- there is no such layer
      (varve: Varve) => varve.memory.add({ tenant: 'acme', layer: 'usr', content: 'x' }),
      (varve: Varve) =>
        // @ts-expect-error -- it is called userId
        varve.memory.search({ tenant: 'acme', identifiers: { userid: 'ann' }, query: 'x' }),
      // @ts-expect-error -- there is no such field of an answer
      async (varve: Varve) => (await varve.memory.get({ tenant: 'acme', id: 'x' }))?.text,
    ];
    expect(calls).toHaveLength(3);
  });

  test('API-01: a tRPC client in another process has the same types', () => {
    const links = [httpLink({ url: 'http://127.0.0.1:1' })];
    const client = createTRPCClient<AppRouter>({ links });
    const calls = [
      // @ts-expect-error -- there is no such layer
      () => client.memory.add.mutate({ tenant: 'acme', layer: 'usr', content: 'x' }),
      async () => (await client.memory.get.query({ tenant: 'acme', id: 'x' }))?.content.length,
      // @ts-expect-error -- it is a query
      () => client.memory.get.mutate({ tenant: 'acme', id: 'x' }),
      () => client.health.query(),
    ];
    expect(calls).toHaveLength(4);
  });
});
