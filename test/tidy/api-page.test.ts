/** docs/api.md matches the table that it is generated from. */
import { expect, test } from 'vitest';
import { apiPage } from '#api/print-api-docs.ts';
import { readProjectFile } from './source-file.ts';

test('API-01: docs/api.md matches the table of operations; npm run docs:api writes it', () => {
  expect(readProjectFile('docs/api.md').text).toBe(apiPage());
});
