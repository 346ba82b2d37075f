/** Gives the variants of a batch back, with or without a failure of theirs. */
import type { ErrorCode } from '#core/errors.ts';
import { isUnavailable } from '#core/refresh/scope-failure.ts';
import { failed, held, HELD_MS } from '#core/variants/variant.ts';
import type { BatchKey } from '../batch.ts';
import { settleLostAttempts } from '../lost-attempts.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import { settleVariant } from './settle-variant.ts';

export async function releaseVariants(
  ports: RefreshPorts,
  { tenant, batchId, code }: BatchKey & { readonly code: ErrorCode },
): Promise<void> {
  await settleLostAttempts(ports, { tenant, batchId });
  // They come back in another batch, so the answers for this one are useless.
  await ports.store.answers.close(tenant, batchId);
  const now = ports.platform.clock();
  for (const variant of await ports.store.variants.leased(tenant, { batchId })) {
    await settleVariant(ports, variant, (current) =>
      code === 'BUDGET_EXHAUSTED' || isUnavailable(code)
        ? held(current, now + HELD_MS)
        : failed(current, now),
    );
  }
}
