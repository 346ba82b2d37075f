/**
 * One proof of the operator of each family, the same for the same seed, on a control plane of its
 * own; all of them in full by `npm run prove -- operator`. They mostly wait, so two files share
 * them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startControlPlane, type ControlPlane } from '../cluster/control-plane.ts';
import { missingForControlPlane } from '../cluster/control-plane/programs.ts';
import { describeUnless } from '../cluster/needs.ts';
import { openTestTemporal } from '../cluster/test-temporal.ts';
import type { Family } from '../fault-injection/operator/scenario.ts';
import { sampleOfProofs } from '../fault-injection/operator/scenarios.ts';
import {
  openTemporalFixture,
  type TemporalFixture,
} from '../fault-injection/operator/temporal-fixture.ts';
import { installDefinitions } from '../cluster/test-kubernetes.ts';
import { SEED } from '../fault-injection/seeded-sample.ts';

/** Each waits for the end of Leases and for a minute of the operator's time, more than once. */
const PROOF_MS_MAX = 10 * 60_000;
/** The families of what goes wrong around an operator. */
export const AROUND: readonly Family[] = ['Events', 'Requests', 'Watches', 'Servers', 'Compaction'];

const missing = await missingForControlPlane();

export function proveFamilies(name: string, families: readonly Family[]): void {
  const proofs = sampleOfProofs(SEED).filter(({ family }) => families.includes(family));
  describeUnless(missing)(name, () => {
    const held = new AsyncDisposableStack();
    let plane: ControlPlane;
    let temporal: TemporalFixture;
    beforeAll(async () => {
      plane = held.use(await startControlPlane());
      await installDefinitions(plane);
      const server = held.use(await openTestTemporal());
      temporal = held.use(await openTemporalFixture(server.address));
    });
    afterAll(() => held.disposeAsync());

    test.each(proofs)(
      `$requirement: $shows (seed ${String(SEED)})`,
      async ({ run }) => {
        expect(await run({ plane, temporal, scale: 'Sample', seed: SEED })).toEqual([]);
      },
      PROOF_MS_MAX,
    );
  });
}
