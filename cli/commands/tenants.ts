/** `varve tenants move`: hands a released tenant to another namespace of its cluster. */
import { z } from 'zod';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { TenantId } from '#core/scope.ts';
import { Namespace } from '#crds/metadata.ts';
import { withAuditAndCallLimits, openParts, type Parts } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { requireStore } from '../open-library-for-command.ts';

export interface MoveOptions {
  readonly tenant: string;
  readonly toNamespace: string;
}

const Asked = z.object({ tenant: TenantId, toNamespace: Namespace });

/** @throws VarveError INVALID_INPUT, NOT_FOUND, TENANT_CLAIMED; nothing changes then */
export async function moveCommand(config: Config, options: MoveOptions): Promise<void> {
  const { error } = Asked.safeParse(options);
  if (error?.issues[0]?.path[0] === 'tenant') {
    throw new VarveError('INVALID_INPUT', '--tenant takes 1 to 63 characters of a-z, 0-9 and -.');
  }
  if (error !== undefined) {
    const { toNamespace } = options;
    const form = '--to-namespace takes at most 63 characters: a-z, 0-9 and -';
    const message = `${form}, not "${toNamespace}".`;
    throw new VarveError('INVALID_INPUT', message);
  }
  await requireStore(config);
  const { dataDir, settings } = config;
  const opened = {
    dataDir,
    log: SILENT_LOG,
    settings: withAuditAndCallLimits(settings),
    measured: false,
  };
  await using parts = await openParts(opened);
  process.stdout.write(`${await moveTenant(parts, options)}\n`);
}

/** Returns what it did, in words. @throws VarveError NOT_FOUND, TENANT_CLAIMED */
export async function moveTenant(
  { store, audit }: Pick<Parts, 'store' | 'audit'>,
  { tenant, toNamespace }: MoveOptions,
): Promise<string> {
  const moved = await store.policies.move(tenant, toNamespace);
  if (moved.kind === 'Absent') {
    const message =
      `No MemoryTenant ever declared the tenant ${tenant}. ` +
      'kubectl get mt --all-namespaces shows which tenants are declared.';
    throw new VarveError('NOT_FOUND', message);
  }
  if (moved.kind === 'Claimed') {
    const { namespace, name } = moved.owner;
    const message =
      `MemoryTenant ${namespace}/${name} declares ${tenant}. Delete it with ` +
      'reclaimPolicy: Retain, then move the tenant.';
    throw new VarveError('TENANT_CLAIMED', message);
  }
  if (moved.kind === 'Unchanged')
    return `${tenant} already belongs to the namespace ${toNamespace}.`;
  const call = { principal: LOCAL_OPERATOR, operation: 'tenants.move', outcome: 'Done' };
  await audit?.note({ ...call, input: { tenant }, answer: null });
  const next = `declare it there, with tenantId: ${tenant}`;
  return `${tenant} now belongs to the namespace ${toNamespace}: ${next}.`;
}
