/** Keys of models where no Kubernetes is: one variable for each key of a Secret. */
import { describe, expect, test } from 'vitest';
import { environmentSecrets, variableOf } from '#cli/model-providers/secrets.ts';

describe('keys of ModelProviders without Kubernetes', () => {
  test.each([
    ['openai', 'api-key', 'VARVE_SECRET_OPENAI__API_KEY'],
    ['my.gateway-2', 'token_a', 'VARVE_SECRET_MY_GATEWAY_2__TOKEN_A'],
  ])('key of Secret %s under %s is the variable %s', async (name, key, variable) => {
    expect(variableOf({ name, key })).toBe(variable);
    const secret = await environmentSecrets({ [variable]: 'sk-1' }).read({ name, key });
    expect(secret?.value).toBe('sk-1');
  });

  test.each([{}, { VARVE_SECRET_OPENAI__API_KEY: '' }, { OPENAI_API_KEY: 'of another' }])(
    'with %j it says which variable is to be set',
    async (environment) => {
      const reference = { name: 'openai', key: 'api-key' };
      await expect(environmentSecrets(environment).read(reference)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringContaining('VARVE_SECRET_OPENAI__API_KEY') as string,
      });
    },
  );
});
