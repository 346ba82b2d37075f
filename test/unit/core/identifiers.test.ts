import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IDENTIFIER_OF, type Hierarchy, Identifiers } from '#core/identifiers.ts';
import { accessibleScopes, resolveScope } from '#core/resolve-scope.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { NO_HIERARCHY } from '#core/policy/policy-defaults.ts';

const HIERARCHY: Hierarchy = {
  teamOfProject: { checkout: 'payments' },
  orgOfTeam: { payments: 'delivery' },
  companyOfOrg: { delivery: 'acme-ltd' },
};

const idsOf = (...names: (keyof Identifiers)[]): Identifiers =>
  Object.fromEntries(names.map((name) => [name, `the-${name}`]));

describe('identifiers', () => {
  test.each(LAYERS)(
    'MEM-03: the error for a %s layer without its identifier names what is missing',
    (layer) => {
      const find = () => resolveScope('acme', layer, { identifiers: {}, hierarchy: HIERARCHY });
      const details = { layer, identifier: IDENTIFIER_OF[layer] };
      expect(find).toThrow(expect.objectContaining({ code: 'MISSING_IDENTIFIER', details }));
    },
  );

  test('MEM-22: a session scope without sessionId is refused, whatever else is given', () => {
    const { sessionId: _, ...others } = idsOf(...Object.values(IDENTIFIER_OF));
    const find = () =>
      resolveScope('acme', 'session', { identifiers: others, hierarchy: HIERARCHY });
    expect(find).toThrow(
      expect.objectContaining({
        code: 'MISSING_IDENTIFIER',
        details: { layer: 'session', identifier: 'sessionId' },
      }),
    );
  });

  test.each<[keys: (keyof Identifiers)[], accessible: Layer[]]>([
    [[], []],
    [['agentId'], ['agent']],
    [['userId'], ['user']],
    [['sessionId'], ['session']],
    [
      ['userId', 'projectId'],
      ['user', 'project', 'team', 'org', 'company'],
    ],
    [['teamId'], ['team', 'org', 'company']],
    [['orgId'], ['org', 'company']],
    [['companyId'], ['company']],
    [
      ['agentId', 'companyId'],
      ['agent', 'company'],
    ],
  ])('MEM-23: %j open %j and skip the others', (keys, accessible) => {
    const caller = { identifiers: idsOf(...keys), hierarchy: NO_HIERARCHY };
    const { scopes, skippedLayers } = accessibleScopes('acme', caller);
    expect(scopes.map(({ layer }) => layer)).toEqual(accessible);
    expect(skippedLayers).toEqual(LAYERS.filter((layer) => !accessible.includes(layer)));
  });

  test.each(['Team', '', 'teams', '__proto__', 'toString', 'x'.repeat(10_000)])(
    'MEM-24: %s is not a layer, and the error lists the valid ones',
    (layer) => {
      const find = () => resolveScope('acme', layer, { identifiers: {}, hierarchy: HIERARCHY });
      const expected = { code: 'INVALID_LAYER', retryable: false, details: { layers: LAYERS } };
      expect(find).toThrow(expect.objectContaining(expected));
    },
  );

  test.each<[given: Identifiers, layer: Layer, scopeId: string]>([
    [{ projectId: 'checkout' }, 'project', 'checkout'],
    [{ projectId: 'checkout' }, 'team', 'payments'],
    [{ projectId: 'checkout' }, 'org', 'delivery'],
    [{ projectId: 'checkout' }, 'company', 'acme-ltd'],
    [{ teamId: 'payments' }, 'company', 'acme-ltd'],
    [{ projectId: 'unknown' }, 'team', 'default'],
    [{ projectId: 'unknown' }, 'company', 'default'],
    [{ projectId: 'checkout', teamId: 'guests' }, 'team', 'guests'],
    [{ projectId: 'checkout', teamId: 'guests' }, 'org', 'default'],
    // Names of what every object has are names like any other.
    [{ projectId: 'constructor' }, 'team', 'default'],
    [{ projectId: '__proto__' }, 'company', 'default'],
    [{ teamId: 'toString' }, 'org', 'default'],
  ])('%j resolve the %s layer to %s', (identifiers, layer, scopeId) => {
    const scope = resolveScope('acme', layer, { identifiers, hierarchy: HIERARCHY });
    expect(scope).toEqual({ tenant: 'acme', layer, scopeId });
  });

  test('a scope is accessible exactly if requesting it alone succeeds', () => {
    const id = fc.string({ minLength: 1, maxLength: 8 });
    const given = fc.record(
      Object.fromEntries(Object.values(IDENTIFIER_OF).map((name) => [name, id])),
      { requiredKeys: [] },
    ) as fc.Arbitrary<Identifiers>;
    fc.assert(
      fc.property(given, (identifiers) => {
        const caller = { identifiers, hierarchy: HIERARCHY };
        const { scopes, skippedLayers } = accessibleScopes('acme', caller);
        for (const scope of scopes)
          expect(resolveScope('acme', scope.layer, caller)).toEqual(scope);
        const missing = expect.objectContaining({ code: 'MISSING_IDENTIFIER' });
        for (const layer of skippedLayers) {
          expect(() => resolveScope('acme', layer, caller)).toThrow(missing);
        }
        expect(scopes.length + skippedLayers.length).toBe(LAYERS.length);
      }),
    );
  });

  test.each([
    ['no characters', ''],
    ['half a surrogate pair', 'ann\ud800'],
    ['NUL', 'ann\0'],
    ['more than 256 characters', 'a'.repeat(257)],
  ])('an identifier with %s is invalid', (_, userId) => {
    expect(Identifiers.safeParse({ userId }).success).toBe(false);
  });
});
