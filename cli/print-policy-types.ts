/** Writes the types of a policy by name, with the words of its schemas: `npm run docs:api`. */
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inputTypes } from '#api/print-call-types.ts';
import { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { MemoryTenant } from '#crds/memory-tenant.ts';

/** Returns cli/policy-types.generated.ts; the same schemas give the same bytes. */
export function policyTypes(): string {
  return inputTypes('policy-types', {
    TenantPolicy: { schema: MemoryTenant.shape.spec, without: ['tenantId'] },
    LayerPolicy: { schema: LayerSummaryPolicy.shape.spec, without: ['tenantRef', 'layer'] },
  });
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) {
  writeFileSync(path.join(import.meta.dirname, 'policy-types.generated.ts'), policyTypes());
}
