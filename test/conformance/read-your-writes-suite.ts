/** After an acknowledged write, the next read is correct, without a model or a refresh. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { PartsSettings } from '#cli/store-and-model-settings.ts';
import { openFixture, type Fixture } from '#test/unit/activities/refresh-fixture.ts';

import { newTenant } from './adapter.ts';
import {
  LAYERS,
  ReadYourWritesHarness,
  type TestedApi,
  type Write,
} from './read-your-writes-harness.ts';

/** Longer than a variant waits for company. */
const STEP_MS = 11_000;
const LIMIT_MS = 300_000;

const layer = fc.constantFrom(...LAYERS);
const sentence = fc.nat({ max: 1 });
const which = fc.nat({ max: 9 });

const WRITE: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constantFrom('Add', 'AddKeyed'), layer, sentence }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('Update', 'Supersede'), which }) },
  fc.record({ kind: fc.constant('Delete'), which }),
  fc.record({ kind: fc.constant('Append'), sentence }),
  fc.record({ kind: fc.constant('DeleteTurn'), which }),
);

type Step =
  | { readonly kind: 'Write'; readonly write: Write }
  /** While the model reads, or while its answer is made a summary, somebody may write. */
  | { readonly kind: 'Refresh'; readonly during: Write | null; readonly at: Moment };

type Moment = 'Model' | 'Commit';

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Write'), write: WRITE }) },
  fc.record({
    kind: fc.constant('Refresh'),
    during: fc.option(WRITE),
    at: fc.constantFrom('Model', 'Commit'),
  }),
);

/** Begins with something to tell, so that no run is about nothing. */
const STEPS = fc.array(STEP, { minLength: 4, maxLength: 14 });

export interface ReadYourWritesRun {
  readonly settings: () => PartsSettings;
  readonly runs: number;
}

export function readYourWritesSuite(name: string, { settings, runs }: ReadYourWritesRun): void {
  describe(`correct answers after a write: ${name}`, () => {
    const moments = new Map<Moment, () => Promise<void>>();
    const pass = async (moment: Moment): Promise<void> => {
      const write = moments.get(moment);
      moments.delete(moment);
      await write?.();
    };
    let fixture: Fixture | null = null;
    beforeAll(async () => {
      fixture = await openFixture({
        settings: settings(),
        isFree: true,
        answer: async (_, extractive) => {
          await pass('Model');
          return extractive();
        },
        beforeEmbedding: () => pass('Commit'),
      });
    });
    afterAll(async () => {
      await fixture?.[Symbol.asyncDispose]();
    });

    it(
      'SUM-22: no reader shows changed or deleted statements, and each shows new ones',
      async () => {
        if (fixture === null) throw new Error('The fixture is opened before the test.');
        const open = fixture;
        const property = fc.asyncProperty(STEPS, async (steps) => {
          const face = faceOf(open);
          const harness = new ReadYourWritesHarness(face);
          await open.declare(face.tenant, ({ layers }) => ({
            layers: { ...layers, project: { ...layers.project, personalized: true } },
          }));
          for (const first of LAYERS) {
            await harness.write({ kind: 'Add', layer: first, sentence: 0 });
          }
          for (const step of steps) {
            open.advance(STEP_MS);
            if (step.kind === 'Write') await harness.write(step.write);
            else await refresh(open, { face, harness }, { step, moments });
            expect(harness.findings).toEqual([]);
          }
        });
        await fc.assert(property, { numRuns: runs });
      },
      LIMIT_MS,
    );
  });
}

async function refresh(
  fixture: Fixture,
  { face, harness }: { face: TestedApi; harness: ReadYourWritesHarness },
  {
    step: { during, at },
    moments,
  }: {
    step: Step & { readonly kind: 'Refresh' };
    moments: Map<Moment, () => Promise<void>>;
  },
): Promise<void> {
  if (during !== null) moments.set(at, () => harness.write(during));
  await fixture.round(face.tenant);
  moments.clear();
  await harness.look();
}

/** A tenant of its own, in this process. */
function faceOf({ ports }: Fixture): TestedApi {
  const tenant = newTenant();
  return {
    tenant,
    call: (operation, input) => operation.call(ports, LOCAL_OPERATOR, input),
    supersede: async (layer, { scopeId, id, content }) => {
      const { memory } = await ports.provider.add(
        tenant,
        {
          ...{ layer, scopeId, kind: 'memory', content, key: null },
          ...{ deduplicate: null, tags: [], metadata: {}, trust: 'stated' },
          origin: { channel: 'api', principal: 'tester', sources: [] },
          ...{ validFrom: null, expiresAt: null, supersedes: [id] },
        },
        { by: 'tester', idempotencyKey: null },
      );
      return memory.id;
    },
  };
}
