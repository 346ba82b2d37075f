/** Procedures by which a person decides on what a dream proposed. */
import { VarveError } from '#core/errors.ts';
import { MEMORY_PATH } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { policyToWriteBy } from '#core/policy/policy-in-force.ts';
import { describeDream, ordered } from './dreams.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './authorize.ts';
import type { ApproveDream, DreamAnswer, RejectDream } from './schemas/dream.ts';
import { noteOutdated } from './subject-records.ts';

const PRINCIPAL_LENGTH_MAX = 256;
const KEPT = 'The approval is kept, and is applied once workflows run again.';

const OUTDATED =
  'MEMORY.md was written since this was proposed, so it is outdated. Run a dream again: ' +
  'varve dream run, or dream.run.';

/**
 * Approves a proposal and has it applied. An approval that met no server is not lost: the tick of
 * dreams applies it, and so does a repeated call.
 * @throws VarveError NOT_FOUND, CONFLICT for one that is rejected or outdated, FORBIDDEN for a
 * bound principal, PROVIDER_ERROR if it is approved and no process could be asked to apply it
 */
export async function approveDream(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, reason }: ApproveDream,
): Promise<DreamAnswer> {
  authorizeTenant(principal, tenant);
  await policyToWriteBy(ports.store.policies, tenant);
  const found = await requireProposal(ports, tenant, id);
  if (found.state === 'Applied') return describeDream(ports, principal, found);
  const approved =
    found.state === 'Approved' ? found : await approve(ports, found, { principal, reason });
  await ordered(() => ports.dreamRuns.apply({ tenant, proposalId: id }), KEPT);
  // Where nothing runs elsewhere it is applied by now.
  return describeDream(ports, principal, (await ports.store.proposals.get(tenant, id)) ?? approved);
}

/**
 * Rejects a proposal: MEMORY.md stays as it is. What it had read stays unread, and is read again
 * with the next block that comes.
 * @throws VarveError NOT_FOUND, CONFLICT for one that is decided, FORBIDDEN for a bound principal
 */
export async function rejectDream(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, reason }: RejectDream,
): Promise<DreamAnswer> {
  authorizeTenant(principal, tenant);
  await policyToWriteBy(ports.store.policies, tenant);
  const found = await requireProposal(ports, tenant, id);
  if (found.state === 'Rejected') return describeDream(ports, principal, found);
  if (found.state !== 'Waiting') throw decided(found);
  const decision = decisionOf(ports, principal, reason);
  return describeDream(
    ports,
    principal,
    await decide(ports, found, { state: 'Rejected', decision }),
  );
}

async function approve(
  ports: ApiPorts,
  proposal: Proposal,
  { principal, reason }: { principal: Principal; reason: string },
): Promise<Proposal> {
  if (proposal.state !== 'Waiting') throw decided(proposal);
  const { tenant, subject, baseVersion } = proposal;
  const latest = await ports.store.documents.latest({ tenant, subject, path: MEMORY_PATH });
  if ((latest?.version ?? 0) !== baseVersion) {
    await noteOutdated(ports, { tenant, subject }, proposal);
    await decide(ports, proposal, { state: 'Outdated' });
    throw new VarveError('CONFLICT', OUTDATED, { details: { state: 'Outdated' }, isSettled: true });
  }
  const decision = decisionOf(ports, principal, reason);
  return decide(ports, proposal, { state: 'Approved', decision });
}

async function decide(
  { store, platform }: ApiPorts,
  proposal: Proposal,
  change: Pick<Proposal, 'state'> & Partial<Pick<Proposal, 'decision'>>,
): Promise<Proposal> {
  const next = { ...proposal, ...change, version: proposal.version + 1 };
  if (await store.proposals.put(next)) {
    const event = { tenant: next.tenant, id: platform.newId(), at: platform.clock() };
    const attributes = { dreamId: next.id, state: next.state };
    await store.events.append({ ...event, type: 'memory_proposal_decided', attributes });
    return next;
  }
  throw new VarveError('CONFLICT', 'Another person decided on it at the same time; read it again.');
}

async function requireProposal({ store }: ApiPorts, tenant: string, id: string): Promise<Proposal> {
  const proposal = await store.proposals.get(tenant, id);
  if (proposal !== null) return proposal;
  const message = `There is no dream ${JSON.stringify(id)} with a proposal; see dream.list.`;
  throw new VarveError('NOT_FOUND', message);
}

function decisionOf(
  { platform }: ApiPorts,
  { name }: Principal,
  reason: string,
): NonNullable<Proposal['decision']> {
  return { at: platform.clock(), principal: name.slice(0, PRINCIPAL_LENGTH_MAX), reason };
}

function decided({ state }: Proposal): VarveError {
  const message = state === 'Outdated' ? OUTDATED : `It is ${state.toLowerCase()} already.`;
  return new VarveError('CONFLICT', message, { details: { state }, isSettled: true });
}
