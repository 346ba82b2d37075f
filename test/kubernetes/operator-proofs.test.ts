/** A few proofs of the operator, the same for the same seed, on a control plane of their own. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startControlPlane, type ControlPlane } from '../cluster/control-plane.ts';
import { missingForControlPlane } from '../cluster/control-plane/programs.ts';
import { describeUnless } from '../cluster/needs.ts';
import { OPERATOR_PROOFS } from '../prove/operator/proofs.ts';
import { installDefinitions } from '../prove/operator/world.ts';
import { SEED, seededSample } from '../prove/seeded-sample.ts';

const SAMPLE = 4;
/** Each waits for the end of Leases and for a minute of the operator's time, more than once. */
const PROOF_MS_MAX = 10 * 60_000;

describeUnless(await missingForControlPlane())('proofs of the operator', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
    await installDefinitions(plane);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  test.each(seededSample(OPERATOR_PROOFS, SAMPLE))(
    `$requirement: $shows (seed ${String(SEED)})`,
    async ({ run }) => {
      expect(await run({ plane, scale: 'Sample', seed: SEED })).toEqual([]);
    },
    PROOF_MS_MAX,
  );
});
