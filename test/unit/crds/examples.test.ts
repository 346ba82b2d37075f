/** A policy folder judges the examples that test/kubernetes gives to an API server. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { VarveError } from '#core/errors.ts';
import { readResources } from '#crds/read-resources.ts';
import { EXAMPLES, resourceOf } from '../../kubernetes/resource-examples.ts';
import { TRANSITIONS } from '../../kubernetes/resource-transitions.ts';
import { documents, file, tenant } from './policy-files.ts';

/** With the tenant that the others name, where it is none itself. */
function textOf(resource: object, kind: string): string {
  const text = stringify(resource);
  return kind === 'MemoryTenant' ? text : documents(tenant('{}'), text);
}

function problemsOf(text: string, before?: string): string {
  try {
    const known = before === undefined ? null : readResources([file('a.yaml', before)]);
    readResources([file('a.yaml', text)], known);
    return '';
  } catch (error) {
    if (error instanceof VarveError) return error.message;
    throw error;
  }
}

describe('resources in a folder', () => {
  test.each(EXAMPLES.map((example) => [example.what, example] as const))(
    '%s is accepted or refused as in the table',
    (_, example) => {
      const report = problemsOf(textOf(resourceOf(example), example.kind));
      expect(report).toMatch(example.refusal === undefined ? /^$/u : /^1 problem.*\n\na\.yaml:\d/u);
    },
  );

  test.each(TRANSITIONS.map((transition) => [transition.what, transition] as const))(
    'a change to %s is accepted or refused as in the table',
    (_, { kind, before, after, refusal, name = 'changed' }) => {
      const [old, now] = [before, after].map((spec) =>
        textOf(resourceOf({ kind, what: '', spec, metadata: { name } }), kind),
      ) as [string, string];
      const others = documents(tenant('{}', 'other'));
      const report = problemsOf(documents(others, now), documents(others, old));
      expect(report).toMatch(refusal === undefined ? /^$/u : /it cannot be changed/u);
    },
  );
});
