/** `LayerSummaryPolicy` (lsp): when and how the summaries of one layer of a tenant are made. */
import { z } from 'zod';
import { formatDuration } from '#core/duration.ts';
import { Layer, LAYERS } from '#core/layer.ts';
import { ModelClass } from '#core/records/model-class.ts';
import { DEFAULT_LAYERS } from '#core/policy/policy-defaults.ts';
import { Depth, DEPTHS } from '#core/records/summary.ts';
import {
  asSet,
  celMap,
  celMillis,
  stays,
  withRules,
  type CelRule,
} from './kubernetes-extensions.ts';
import { field } from './field-docs.ts';
import { resourceOf, tenantRefField } from './metadata.ts';
import { durationField, isUnique } from './duration-and-price-fields.ts';

const SECOND_MS = 1_000;
const CHANGES_MAX = 1_000_000;

const Depths = field(asSet(z.array(Depth).min(1).max(DEPTHS.length).refine(isUnique)), {
  is: 'The texts that a summary has; by default, all three.',
  expected: `a list of one to three different depths out of ${DEPTHS.join(', ')}`,
  example: '[sentence, paragraph]',
});

const UpdateInterval = durationField(
  { is: 'How long after the last refresh a changed scope is due again.', example: '30m' },
  SECOND_MS,
);

const UpdateOnChanges = field(z.int().min(1).max(CHANGES_MAX), {
  is: 'After how many changes since its summary a scope is due at once.',
  example: '3',
});

const MaxAge = durationField(
  { is: 'The age at which Varve regenerates a summary even if nothing changed.', example: '24h' },
  SECOND_MS,
);

const SkipIfUnchanged = field(z.boolean(), {
  is: 'Whether Varve makes no model call if nothing changed in an interval.',
  expected: 'true or false',
  example: 'true',
});

const BatchWindow = durationField(
  {
    is:
      'How long due scopes of this layer wait for others. The default is ' +
      'batchWindow of the tenant.',
    example: '5m',
  },
  0,
);

const Personalized = field(z.boolean(), {
  is: 'Whether each user or session that reads the summary gets a variant of it.',
  expected: 'true or false',
  example: 'false',
});

const Shape = z.strictObject({
  tenantRef: tenantRefField(
    'The MemoryTenant of this namespace that the policy is for. You cannot change it.',
  ),
  layer: field(withRules(Layer, stays('layer')), {
    is: 'The layer that the policy is for. You cannot change it.',
    example: 'project',
  }),
  depths: Depths.optional(),
  updateInterval: UpdateInterval.optional(),
  updateOnChanges: UpdateOnChanges.optional(),
  maxAge: MaxAge.optional(),
  skipIfUnchanged: SkipIfUnchanged.optional(),
  batchWindow: BatchWindow.optional(),
  personalized: Personalized.optional(),
  modelClass: field(ModelClass, {
    is: 'The class of models that summarizes the layer.',
    example: 'standard',
  }).optional(),
});

const INTERVAL_OF_LAYER = celMap(defaultsOf('updateIntervalMs'));
const AGE_OF_LAYER = celMap(defaultsOf('maxAgeMs'));

const INTERVAL_WITHIN_AGE: CelRule = {
  rule:
    `(has(self.updateInterval) ? ${celMillis('self.updateInterval')} : ` +
    `${INTERVAL_OF_LAYER}[self.layer]) <= (has(self.maxAge) ? ${celMillis('self.maxAge')} : ` +
    `${AGE_OF_LAYER}[self.layer])`,
  message:
    'expected an updateInterval of at most the maxAge; one that is left out has the default of ' +
    `the layer (${defaultsText()})`,
};

const Spec = field(
  withRules(
    Shape.superRefine((spec, ctx) => {
      const issue = intervalIssue(spec);
      if (issue !== null) ctx.addIssue({ code: 'custom', ...issue });
    }),
    INTERVAL_WITHIN_AGE,
  ),
  {
    is: 'The desired settings of the layer. A field that you omit has the default of the layer.',
    expected: 'a mapping with tenantRef, layer and what differs from the defaults of the layer',
    example: '\n  tenantRef: { name: acme }\n  layer: project',
  },
);

export const LayerSummaryPolicy = resourceOf('LayerSummaryPolicy', Spec).describe(
  'When and how the summaries of one layer of a tenant are made. Of several for the same ' +
    'tenant and layer the oldest holds.',
);
export type LayerSummaryPolicy = z.infer<typeof LayerSummaryPolicy>;

/** Reports the mistake at the field that was written, since the other one may be a default. */
function intervalIssue(spec: {
  layer: Layer;
  updateInterval?: number | undefined;
  maxAge?: number | undefined;
}): { path: string[]; params: { expected: string } } | null {
  const { updateIntervalMs, maxAgeMs } = DEFAULT_LAYERS[spec.layer];
  const { updateInterval = updateIntervalMs, maxAge = maxAgeMs } = spec;
  if (updateInterval <= maxAge) return null;
  const isDefault = `, the default of the ${spec.layer} layer`;
  if (spec.updateInterval === undefined) {
    const least = `${formatDuration(updateInterval)}${isDefault}`;
    return { path: ['maxAge'], params: { expected: `at least the updateInterval (${least})` } };
  }
  const most = `${formatDuration(maxAge)}${spec.maxAge === undefined ? isDefault : ''}`;
  return { path: ['updateInterval'], params: { expected: `at most the maxAge (${most})` } };
}

function defaultsOf(setting: 'updateIntervalMs' | 'maxAgeMs'): Readonly<Record<string, number>> {
  return Object.fromEntries(LAYERS.map((layer) => [layer, DEFAULT_LAYERS[layer][setting]]));
}

/** E.g. `session 5m and 1h, agent 30m and 1d, …` */
function defaultsText(): string {
  const texts = LAYERS.map((layer) => {
    const { updateIntervalMs, maxAgeMs } = DEFAULT_LAYERS[layer];
    return `${layer} ${formatDuration(updateIntervalMs)} and ${formatDuration(maxAgeMs)}`;
  });
  return texts.join(', ');
}
