/** Which ServiceAccounts of a cluster may call the API, out of the environment. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { ROLES } from '#core/role.ts';
import type { TokenReviewSettings } from '#providers/kubernetes/token-reviews.ts';
import { given } from './variable.ts';

const AUDIENCE_LENGTH_MAX = 256;
const PAIR = new RegExp(`^([a-z0-9-]{1,63})=([a-z0-9-]{1,63}):(${ROLES.join('|')})$`, 'u');
const listed = (text: string): string[] => text.split(/[\s,]+/u).filter((each) => each !== '');

/** Such as `team-a=acme:write,team-b=globex:read`. */
const Tenants = z
  .string()
  .refine((text) => listed(text).every((each) => PAIR.test(each)), {
    error: `expected NAMESPACE=TENANT:ROLE with commas between, where ROLE is ${ROLES.join(', ')}`,
  })
  .transform((text) =>
    Object.fromEntries(
      listed(text).map((each) => {
        const [, namespace = '', tenant = '', role = ''] = PAIR.exec(each) ?? [];
        return [namespace, { tenant, role: role as (typeof ROLES)[number] }];
      }),
    ),
  );

export const SERVICE_ACCOUNT_VARIABLES = {
  VARVE_SERVICE_ACCOUNT_AUDIENCE: given(z.string().max(AUDIENCE_LENGTH_MAX)),
  VARVE_SERVICE_ACCOUNT_TENANTS: given(Tenants),
} as const;
const Variables = z.object(SERVICE_ACCOUNT_VARIABLES);

/** @throws VarveError INVALID_INPUT where one of the two is set */
export function serviceAccountsOf(set: z.infer<typeof Variables>): TokenReviewSettings | null {
  const { VARVE_SERVICE_ACCOUNT_AUDIENCE: audience, VARVE_SERVICE_ACCOUNT_TENANTS: tenants } = set;
  if (audience === undefined && tenants === undefined) return null;
  if (audience !== undefined && tenants !== undefined) return { audience, tenants };
  const message =
    'Tokens of ServiceAccounts need VARVE_SERVICE_ACCOUNT_AUDIENCE and ' +
    'VARVE_SERVICE_ACCOUNT_TENANTS together. Set both, or neither for none.';
  throw new VarveError('INVALID_INPUT', message);
}
