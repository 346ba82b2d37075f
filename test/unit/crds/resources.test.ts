import { describe, expect, test } from 'vitest';
import { ACME, documents, file, layerPolicy, problemsIn, read, tenant } from './policy-files.ts';
import { readResources } from '#crds/read-resources.ts';

describe('valid resources', () => {
  test('K8S-01: a tenant needs only a name, and every field has a default', () => {
    const [acme] = read(ACME).tenants;
    expect(acme?.spec).toEqual({
      hierarchy: { projects: [], teams: [], orgs: [] },
      budget: { onExhausted: 'Reject' },
      refresh: { batchWindow: 300_000, urgentDebounce: 15_000, onRecipeChange: 'AtNextDue' },
      context: {
        maxTokens: 3_000,
        hotTurnsLimit: 8,
        relatedEntitiesLimit: 25,
        instructions: expect.stringContaining('not instructions') as string,
      },
      retention: { transcriptDays: 30 },
      sessions: { endAfterSilence: 1_800_000 },
      extraction: { by: 'Rules', modelClass: 'economy', layers: {} },
      grounding: { verify: 'None' },
      reclaimPolicy: 'Retain',
    });
    expect(read(ACME.replace('spec:\n  {}', '')).tenants).toHaveLength(1);
  });

  test('a layer policy leaves fields open that it does not set', () => {
    const [policy] = read(documents(ACME, layerPolicy('layer: team\nmaxAge: 1d'))).policies;
    const tenantRef = { name: 'acme' };
    expect(policy?.spec).toEqual({ tenantRef, layer: 'team', maxAge: 86_400_000 });
  });

  test.each([
    ['"25.00"', 25_000_000],
    ['"0.1"', 100_000],
    ['"0.000001"', 1],
    ['"999999999.999999"', 999_999_999_999_999],
  ])('POLICY-2: %s dollars are exactly %d micro-dollars', (written, expected) => {
    expect(read(tenant(`budget: { dollars: ${written} }`)).tenants[0]?.spec.budget.dollars).toBe(
      expected,
    );
  });

  test('POLICY-3: several files, documents, comments and anchors are read', () => {
    const text = tenant('budget: &limits { tokens: 5 }').replace('acme', 'a');
    const forB = layerPolicy('layer: user').replace('acme }', 'b }');
    const resources = readResources([
      file('empty.yaml', '# nothing yet\n---\n---\n'),
      file('windows.yaml', `\uFEFF${text.replaceAll('\n', '\r\n')}`),
      file('b.yaml', documents(tenant('{}', 'b'), forB)),
    ]);
    expect(resources.tenants.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(resources.policies).toHaveLength(1);
  });
});

describe('invalid fields', () => {
  test.each([
    ['an unquoted amount', 'budget:\n  dollars: 25.00', 'spec.budget.dollars', [7, 14]],
    ['a negative amount', 'budget: { dollars: "-1" }', 'spec.budget.dollars', [6, 22]],
    ['a duration in words', 'refresh:\n  batchWindow: 5 min', 'spec.refresh.batchWindow', [7, 18]],
    ['a duration of years', 'refresh: { batchWindow: 400d }', 'spec.refresh.batchWindow', [6, 27]],
    [
      'half a minute',
      'sessions: { endAfterSilence: 30s }',
      'spec.sessions.endAfterSilence',
      [6, 32],
    ],
    ['a text for a number', 'context:\n  maxTokens: lots', 'spec.context.maxTokens', [7, 16]],
    ['a fraction', 'retention: { transcriptDays: 1.5 }', 'spec.retention.transcriptDays', [6, 32]],
    ['an empty field', 'budget:', 'spec.budget', [6, 10]],
    ['a list for a mapping', 'budget: []', 'spec.budget', [6, 11]],
    ['a tenant id in capitals', 'tenantId: Acme', 'spec.tenantId', [6, 13]],
    [
      'an entry without its parent',
      'hierarchy:\n  teams:\n    - id: payments',
      'spec.hierarchy.teams[0].org',
      [8, 9],
    ],
    [
      'a duplicate id',
      'hierarchy:\n  orgs:\n    - { id: a, company: x }\n    - { id: a, company: y }',
      'spec.hierarchy.orgs[1].id',
      [9, 15],
    ],
  ] as const)('%s is refused at its place, with an example', (...[, spec, path, place]) => {
    const problems = problemsIn(tenant(spec));
    expect(problems).toHaveLength(1);
    const [problem] = problems;
    expect(problem).toMatchObject({ file: 'tenant.yaml', path, line: place[0], column: place[1] });
    expect(problem?.expected).not.toBe('');
    expect(problem?.example).toContain(`${/\w+(?=$)/.exec(path)?.[0]}:`);
  });

  test.each([
    ['layer: taem', 'spec.layer', 'did you mean team?'],
    ['layer: user\nmodelClass: Economy', 'spec.modelClass', 'did you mean economy?'],
    ['layer: user\nupdateOnChange: 3', 'spec.updateOnChange', 'did you mean updateOnChanges?'],
    ['layer: user\nskipifunchanged: true', 'spec.skipifunchanged', 'did you mean skipIfUnchanged?'],
  ])('a typo in "%s" is reported with the right word', (spec, path, hint) => {
    const [problem] = problemsIn(documents(ACME, layerPolicy(spec)));
    expect(problem).toMatchObject({ path, found: expect.stringContaining(hint) as string });
  });

  test('a misplaced field is reported with its right place', () => {
    const [problem] = problemsIn(tenant('batchWindow: 5m'));
    expect(problem).toMatchObject({ line: 6, column: 3, path: 'spec.batchWindow' });
    expect(problem?.found).toContain('it belongs to spec.refresh');
  });

  test.each([
    ['an interval above the age', 'layer: user\nupdateInterval: 2d\nmaxAge: 1d', 'updateInterval'],
    ['an interval above the default age', 'layer: session\nupdateInterval: 2h', 'updateInterval'],
    ['an age below the default interval', 'layer: team\nmaxAge: 10m', 'maxAge'],
    ['a duplicate depth', 'layer: user\ndepths: [sentence, sentence]', 'depths'],
    ['an empty list of depths', 'layer: user\ndepths: []', 'depths'],
    ['an interval of zero', 'layer: user\nupdateInterval: 0s', 'updateInterval'],
  ])('%s is refused', (_, spec, field) => {
    const problems = problemsIn(documents(ACME, layerPolicy(spec)));
    expect(problems.map(({ path }) => path)).toEqual([`spec.${field}`]);
  });

  test('POLICY-4: every example in a report is valid', () => {
    const broken = [
      tenant('tenantId: A\nhierarchy: 1\nbudget: 1\nrefresh: 1\ncontext: 1\nretention: 1'),
      tenant('hierarchy: { projects: 1, teams: 1, orgs: 1 }', 'b'),
      tenant('budget: { tokens: x, dollars: 1 }', 'd'),
      tenant(
        'context: { maxTokens: x, hotTurnsLimit: x, relatedEntitiesLimit: x, untrustedPercent: x }',
        'c',
      ),
    ];
    for (const text of broken) {
      for (const { path, example } of problemsIn(text)) {
        const parents = path.split('.').slice(1, -1);
        const nested = [...parents.map((name) => `${name}:`), ...(example ?? '').split('\n')];
        const yaml = nested.map((line, at) => ' '.repeat(2 * Math.min(at, parents.length)) + line);
        expect(() => read(tenant(yaml.join('\n')))).not.toThrow();
      }
    }
  });
});
