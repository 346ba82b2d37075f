/** Moves of a proposal from state to state, by compare-and-set. */
import { changeRecord } from '#core/compare-and-set.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { DreamPorts } from './dream-ports.ts';

/** Writers of one proposal that may come in between: a person, and another run of its dream. */
const WRITE_TRIES_MAX = 8;
/** Proposals of one subject that wait; each later one takes the place of those before it. */
const WAITING_MAX = 100;

/** From the state that `proposal` is in; one that another moved on stays where it is. */
export async function moveProposal(
  { store }: Pick<DreamPorts, 'store'>,
  { tenant, id, state: from }: Pick<Proposal, 'tenant' | 'id' | 'state'>,
  state: Proposal['state'],
): Promise<void> {
  await changeRecord(
    {
      read: () => store.proposals.get(tenant, id),
      change: (current) => (current?.state === from ? { ...current, state } : null),
      write: (changed) => store.proposals.put({ ...changed, version: changed.version + 1 }),
    },
    {
      triesMax: WRITE_TRIES_MAX,
      message: 'A proposal changes all the time; try again.',
      details: { tenant, proposalId: id },
    },
  );
}

/** Those of a subject that wait while a later one is there. */
export async function outdateWaiting(
  ports: Pick<DreamPorts, 'store'>,
  { tenant, subject, id }: Pick<Proposal, 'tenant' | 'subject' | 'id'>,
): Promise<void> {
  const query = { subject, state: 'Waiting', limit: WAITING_MAX } as const;
  for (const waiting of await ports.store.proposals.list(tenant, query)) {
    if (waiting.id !== id) await moveProposal(ports, waiting, 'Outdated');
  }
}
