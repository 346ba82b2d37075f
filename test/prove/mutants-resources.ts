/** Mutants of the custom resources and of what is refused in them. */
import type { Mutant } from './mutant.ts';

export const RESOURCE_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-01',
    file: 'crds/cel.ts',
    find: 'rule: `${least}${millis} <= ${String(maxMs)}`,',
    replace: 'rule: `${least}${millis} < ${String(maxMs)}`,',
    breaks: 'a cluster refuses the longest duration, which a folder takes',
  },
  {
    id: 'K8S-01',
    file: 'crds/model-provider.ts',
    find: '    ONE_PROVIDER_RULE,\n',
    replace: '',
    breaks: 'a cluster takes a ModelProvider without any provider',
  },
  {
    id: 'K8S-01',
    file: 'crds/served-model.ts',
    find: 'if (contextTokens < outputTokensMax + SOURCE_ROOM_TOKENS) {',
    replace: 'if (contextTokens < outputTokensMax) {',
    breaks: 'a folder takes a model whose answer fills its window',
  },
  {
    id: 'K8S-01',
    file: 'crds/structural.ts',
    find: "throw unfit(path, 'has no most items')",
    replace: 'void 0',
    breaks: 'a list without a bound is printed',
  },
  {
    id: 'K8S-01',
    file: 'crds/cron.ts',
    find: ': Number(first) <= Number(last),',
    replace: ': true,',
    breaks: 'a folder takes a cron whose range descends',
  },
  {
    id: 'K8S-01',
    file: 'crds/server-fields.ts',
    find: "  'managedFields',\n",
    replace: '',
    breaks: 'a resource out of a cluster cannot be read',
  },
  {
    id: 'K8S-01',
    file: 'crds/list-items.ts',
    find: 'if (!isList(value)) return [document];',
    replace: 'return [document];',
    breaks: 'the List that kubectl prints cannot be read',
  },
  {
    id: 'K8S-01',
    file: 'crds/transitions.ts',
    find: "return [{ path: ['spec', 'tenantId'], value: tenantIdOf(resource) }];",
    replace: 'return [];',
    breaks: 'a tenant id may change in a watched folder',
  },
  {
    id: 'K8S-01',
    file: 'crds/platform-limits.ts',
    find: "request.operation == 'CREATE' || object.spec != oldObject.spec",
    replace: 'true',
    breaks: 'a resource older than a limit can never lose its finaliser',
  },
];
