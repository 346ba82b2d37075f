/** Which caller a token of another issuer identifies, and what that caller may do. */
import { describe, expect, test } from 'vitest';
import { callerOfAccount, callerOfClaims, type ClaimNames } from '#core/access-token-claims.ts';

const NAMES: ClaimNames = {
  tenant: 'https://acme.example/tenant',
  role: 'realm_access.roles',
  identifiers: { userId: 'sub', projectId: 'work.project' },
};
const CLAIMS = {
  sub: 'ann',
  'https://acme.example/tenant': 'acme',
  realm_access: { roles: ['offline_access', 'operate', 'read'] },
  work: { project: 'boat' },
};

describe('the claims of a token', () => {
  test('name its caller, tenant, highest role and identifiers, by name or by path', () => {
    const bound = { userId: 'ann', projectId: 'boat' };
    const caller = { name: 'jwt:ann', tenant: 'acme', role: 'operate', bound };
    expect(callerOfClaims(CLAIMS, NAMES)).toEqual({ kind: 'Caller', caller });
  });

  test('may hold one role as a string, and a claim name with dots takes precedence over a path', () => {
    const claims = { ...CLAIMS, 'realm_access.roles': 'read' };
    expect(callerOfClaims(claims, NAMES)).toMatchObject({ caller: { role: 'read' } });
  });

  test.each<[string, object, string]>([
    ['name no subject', { sub: undefined }, 'sub'],
    ['name a subject that is not a string', { sub: 7 }, 'sub'],
    ['name an empty subject', { sub: '' }, 'sub'],
    ['name a subject of more than 200 characters', { sub: 'a'.repeat(201) }, 'sub'],
    ['name no tenant', { [NAMES.tenant]: undefined }, NAMES.tenant],
    ['name two tenants', { [NAMES.tenant]: ['acme', 'other'] }, NAMES.tenant],
    ['hold no role', { realm_access: {} }, NAMES.role],
    ['hold only roles of other programs', { realm_access: { roles: ['king'] } }, NAMES.role],
    ['hold an unknown role', { realm_access: { roles: 'king' } }, NAMES.role],
    ['hold a string in the middle of a path', { realm_access: 'admin' }, NAMES.role],
    ['hold null in the middle of a path', { realm_access: null }, NAMES.role],
    ['leave out a bound identifier', { work: {} }, 'work.project'],
    ['hold a list as an identifier', { work: { project: ['boat'] } }, 'work.project'],
    ['hold an empty identifier', { work: { project: '' } }, 'work.project'],
  ])('are refused, and the result names the claim, if they %s', (_, differing, claim) => {
    const claims = { ...CLAIMS, ...differing };
    expect(callerOfClaims(claims, NAMES)).toEqual({ kind: 'Refused', claim });
  });

  test('are read from own fields only, not from inherited ones', () => {
    const names = { ...NAMES, tenant: 'constructor.name' };
    expect(callerOfClaims(CLAIMS, names)).toMatchObject({ claim: 'constructor.name' });
  });

  test('may name a subject of 200 characters', () => {
    const sub = 'a'.repeat(200);
    expect(callerOfClaims({ ...CLAIMS, sub }, NAMES)).toMatchObject({ kind: 'Caller' });
  });
});

describe('a ServiceAccount', () => {
  const TENANTS = { shop: { tenant: 'acme', role: 'write' } } as const;
  const user = (namespace: string, account = 'bot') =>
    `system:serviceaccount:${namespace}:${account}`;

  test('stands for the tenant of its namespace, with the role of the namespace', () => {
    const caller = { name: 'account:shop/bot', tenant: 'acme', role: 'write', bound: {} };
    expect(callerOfAccount(user('shop'), TENANTS)).toEqual(caller);
    expect(callerOfAccount(user('shop', 'a'.repeat(180)), TENANTS)).toMatchObject({
      role: 'write',
    });
  });

  test.each([
    ['of a namespace without a tenant', user('bank')],
    ['of a namespace named like a field of every object', user('constructor')],
    ['with a name of more than 180 characters', user('shop', 'a'.repeat(181))],
    ['without a name', user('shop', '')],
    ['that is a person', 'ann'],
    ['with more text after its name', `${user('shop')}:admin`],
    ['with more text before its name', `x${user('shop')}`],
  ])('%s stands for nobody', (_, name) => {
    expect(callerOfAccount(name, TENANTS)).toBeNull();
  });
});
