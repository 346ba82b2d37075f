import { describe, expect, test } from 'vitest';
import { readResources } from '#crds/read-resources.ts';
import {
  ACME,
  documents,
  errorOf,
  file,
  layerPolicy,
  problemsIn,
  problemsOf,
  tenant,
} from './policy-files.ts';

describe('invalid YAML', () => {
  test.each([
    ['a tab', `${ACME}\n\tbudget: {}`, 7],
    ['an unclosed quote', tenant('tenantId: "acme'), 6],
    ['a duplicate field', tenant('budget: {}\nbudget: {}'), 7],
    ['an unknown anchor', tenant('budget: *limits'), 6],
    ['a tag', tenant('budget: !env LIMITS'), 6],
    ['a mapping for a name', '? { a: b }\n: c', 1],
    ['a broken indentation', tenant('budget:\n    tokens: 1\n  dollars: "1"'), 8],
  ])('POLICY-5: %s is refused with its line', (_, text, line) => {
    const problems = problemsIn(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.line).toBe(line);
    expect(problems[0]?.expected).not.toBe('well-formed YAML');
  });

  test.each([
    ['anchors that expand to gigabytes', `a: &a [x, x]\n${bomb()}`],
    ['endless brackets', '['.repeat(1_000_000)],
    ['endless markers', '? '.repeat(500_000)],
    ['endless list marks', '- '.repeat(500_000)],
    ['too many documents', '---\na: 1\n'.repeat(1_001)],
    ['endless values', `[${'a,'.repeat(500_000)}]`],
    ['endless levels of indentation', indented(1_400)],
    ['pairs within pairs in a list', `[${'a: '.repeat(2_200)}]`],
    ['pairs within pairs in a mapping', `{${'a: '.repeat(2_200)}}`],
    ['pairs without spaces', `[${'"a":'.repeat(2_200)}]`],
    ['pairs around lists', `[${'a: [x]: '.repeat(2_200)}]`],
  ])('POLICY-6: %s are refused within a few seconds', (_, text) => {
    const started = performance.now();
    expect(problemsIn(text)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test('brackets and pairs at a usual depth are read', () => {
    const depth = 60;
    const nested = `${'{ a: '.repeat(depth)}1${' }'.repeat(depth)}`;
    const many = Array.from({ length: 200 }, (_, at) => `k${String(at)}: 1`).join(', ');
    for (const text of [nested, `[${many}]`, `{ ${many} }`]) {
      expect(problemsIn(`x: ${text}`).map(({ expected }) => expected)).not.toContainEqual(
        expect.stringContaining('one within the other'),
      );
    }
  });

  test('POLICY-6: ten thousand unknown fields give a short report', () => {
    const spec = Array.from({ length: 10_000 }, (_, at) => `k${at}: 1`).join('\n');
    const error = errorOf(file('tenant.yaml', tenant(spec)));
    expect(error.message.split('\n').length).toBeLessThan(130);
    expect(error.message).toContain('10000');
  });

  test('POLICY-7: a file that is not text is refused by name', () => {
    const [binary, latin] = problemsOf(
      { name: 'a.yaml', bytes: Uint8Array.of(0x61, 0x00, 0x62) },
      { name: 'b.yaml', bytes: Uint8Array.of(0xe4, 0xf6, 0xfc) },
    );
    expect(binary).toMatchObject({ file: 'a.yaml', expected: 'text in UTF-8' });
    expect(latin).toMatchObject({ file: 'b.yaml', expected: 'text in UTF-8' });
  });
});

describe('invalid resources', () => {
  test.each([
    ['another group', ACME.replace('memory.varve.dev/v1alpha1', 'apps/v1'), 'apiVersion'],
    ['another version', ACME.replace('v1alpha1', 'v1'), 'apiVersion'],
    ['no version', 'kind: MemoryTenant', 'apiVersion'],
    ['a kind of Kubernetes', ACME.replace('MemoryTenant', 'ConfigMap'), 'kind'],
    ['a misspelt kind', ACME.replace('MemoryTenant', 'MemoryTennant'), 'kind'],
    ['a text', 'hello', 'apiVersion'],
    ['a list', '- a', 'apiVersion'],
  ])('K8S-01: %s is refused, and the error names what exists', (_, text, path) => {
    const [problem] = problemsIn(text);
    expect(problem?.path).toBe(path);
    const there = /memory\.varve\.dev\/v1alpha1|MemoryTenant, LayerSummaryPolicy/;
    expect(problem?.expected).toMatch(there);
  });

  test('POLICY-8: a folder without a tenant is refused with a valid example', () => {
    for (const files of [[], [file('a.yaml', '# later\n')]]) {
      const { message } = errorOf(...files);
      const example = /example {3}([^]*)$/.exec(message)?.[1] ?? '';
      const yaml = example.replaceAll(/^ {12}/gm, '');
      expect(readResources([file('first.yaml', yaml)]).tenants).toHaveLength(1);
    }
  });

  test('POLICY-9: a duplicate resource is refused, and the error names both files', () => {
    const [problem, ...others] = problemsOf(file('a.yaml', ACME), file('b.yaml', ACME));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ file: 'b.yaml', line: 4, path: 'metadata.name' });
    expect(problem?.found).toContain('a.yaml:4');
  });

  test('POLICY-9: two tenants with one id, or two policies for one layer, are refused', () => {
    const other = tenant('tenantId: acme', 'other');
    const problems = problemsOf(
      file('a.yaml', documents(ACME, layerPolicy('layer: user', 'one'))),
      file('b.yaml', documents(other, layerPolicy('layer: user', 'two'))),
    );
    expect(problems.map(({ file: name, path }) => [name, path])).toEqual([
      ['b.yaml', 'spec.tenantId'],
      ['b.yaml', 'spec.layer'],
    ]);
    expect(problems[1]?.found).toMatch(/user layer of default\/acme.*a\.yaml/);
  });

  test('POLICY-10: a reference to a missing tenant is refused with the nearest name', () => {
    const lost = layerPolicy('layer: user').replace('name: acme }', 'name: amce }');
    const [problem] = problemsIn(documents(ACME, lost));
    expect(problem?.path).toBe('spec.tenantRef.name');
    expect(problem?.example).toBe('tenantRef: { name: acme }');
    expect(problem?.found).toContain('did you mean acme?');
  });

  test('POLICY-10: a reference does not cross namespaces', () => {
    const elsewhere = ACME.replace('name: acme', 'name: acme\n  namespace: prod');
    const [problem] = problemsIn(documents(elsewhere, layerPolicy('layer: user')));
    expect(problem?.expected).toMatch(/MemoryTenant in namespace default, which has none$/);
  });

  test('POLICY-10: an invalid tenant does not make references to it invalid', () => {
    const broken = tenant('budget: 1');
    expect(problemsIn(documents(broken, layerPolicy('layer: user')))).toHaveLength(1);
    const unreadable = file('a.yaml', `${ACME}\n\ttab: 1`);
    expect(problemsOf(unreadable, file('b.yaml', layerPolicy('layer: user')))).toHaveLength(1);
  });
});

describe('the report', () => {
  test('lists all mistakes of all files by place', () => {
    const { message, code } = errorOf(
      file('b.yaml', layerPolicy('layer: usr')),
      file('a.yaml', tenant('budget:\n  onExhausted: stop\n  dollars: 25')),
      file('c.yaml', 'a: "'),
    );
    expect(code).toBe('INVALID_INPUT');
    expect(message).toBe(
      [
        '4 problems in 3 files; nothing was applied.',
        '',
        'a.yaml:7:18  spec.budget.onExhausted',
        '  expected  one of Reject, ServeStale, Extractive',
        '  found     the text "stop"',
        '  example   onExhausted: Reject',
        '',
        'a.yaml:8:14  spec.budget.dollars',
        '  expected  an amount in dollars as text in quotes, at most 999999999.999999',
        '  found     the number 25',
        '  example   dollars: "25.00"',
        '',
        'b.yaml:7:10  spec.layer',
        '  expected  one of agent, user, session, project, team, org, company',
        '  found     the text "usr"; did you mean user?',
        '  example   layer: user',
        '',
        'c.yaml:1:5',
        '  expected  a closing quote, bracket, or a comma or colon',
        '  found     none where it has to be',
      ].join('\n'),
    );
  });

  test('POLICY-11: prints twenty problems and counts the others', () => {
    const orgs = Array.from({ length: 30 }, () => '    - {}').join('\n');
    const error = errorOf(file('a.yaml', tenant(`hierarchy:\n  orgs:\n${orgs}`)));
    expect(error.message.match(/^ {2}expected/gm)).toHaveLength(20);
    expect(error.message).toMatch(/^60 problems in 1 file; [^]*\n\nand 40 more$/);
    expect(error.details['problemCount']).toBe(60);
  });

  test('POLICY-12: does not repeat possible credentials, control characters or long text', () => {
    const key = 'sk-live-0123456789abcdefghij';
    const { message, details } = errorOf(
      file('a.yaml', tenant(`budget: { tokens: ${key} }\n${key}: 1`)),
      file('b.yaml', tenant('refresh: { batchWindow: "\\e[31mred" }', 'b')),
      file('c.yaml', tenant(`refresh: { batchWindow: ${'long '.repeat(100)} }`, 'c')),
      file('d.yaml', tenant(`budget: !secret ${key}`, 'd')),
    );
    const all = message + JSON.stringify(details);
    expect(all).not.toContain('live');
    expect(all).not.toContain('\u001B');
    expect(Math.max(...message.split('\n').map(({ length }) => length))).toBeLessThan(160);
  });
});

function bomb(): string {
  const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const level = (name: string, at: number): string => {
    const below = names[at - 1] ?? 'a';
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${below}`).join(', ')}]`;
  };
  return names.map(level).join('\n');
}

function indented(levels: number): string {
  return Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
}
