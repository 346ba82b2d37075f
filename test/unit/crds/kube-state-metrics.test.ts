/** The chart's file for kube-state-metrics names only existing kinds and fields. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import {
  Condition,
  DeepDreamStatus,
  LayerSummaryPolicyStatus,
  MemoryTenantStatus,
  ModelProviderStatus,
} from '#crds/status.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';

const STATUS = new Map<ResourceType, { readonly shape: object }>([
  [MEMORY_TENANT, MemoryTenantStatus],
  [LAYER_SUMMARY_POLICY, LayerSummaryPolicyStatus],
  [MODEL_PROVIDER, ModelProviderStatus],
  [DEEP_DREAM, DeepDreamStatus],
]);
const Paths = z.record(z.string(), z.array(z.string()));
const Gauge = z.object({
  path: z.tuple([z.literal('status'), z.string()]),
  labelsFromPath: Paths,
  valueFrom: z.array(z.string()),
});
const Values = z.object({
  rbac: z.object({
    extraRules: z.tuple([
      z.object({
        apiGroups: z.tuple([z.string()]),
        resources: z.array(z.string()),
        verbs: z.array(z.string()),
      }),
    ]),
  }),
  customResourceState: z.object({
    enabled: z.literal(true),
    config: z.object({
      kind: z.literal('CustomResourceStateMetrics'),
      spec: z.object({
        resources: z.array(
          z.object({
            groupVersionKind: z.record(z.string(), z.string()),
            metricNamePrefix: z.literal('varve_resource'),
            labelsFromPath: Paths,
            metrics: z.tuple([
              z.object({
                name: z.literal('condition'),
                help: z.string(),
                each: z.object({ type: z.literal('Gauge'), gauge: Gauge }),
              }),
            ]),
          }),
        ),
      }),
    }),
  }),
});

test('kube-state-metrics may read every kind and finds its conditions', () => {
  const file = readProjectFile('charts/varve/kube-state-metrics-values.yaml').text;
  const { rbac, customResourceState } = Values.parse(parse(file));
  const types = [...STATUS.keys()];
  const [rule] = rbac.extraRules;
  expect(rule.apiGroups).toEqual([...new Set(types.map(({ group }) => group))]);
  expect(rule.resources).toEqual(types.map(({ plural }) => plural));
  const { resources } = customResourceState.config.spec;
  expect(resources.map(({ groupVersionKind }) => groupVersionKind)).toEqual(
    types.map(({ group, version, kind }) => ({ group, version, kind })),
  );
  for (const [at, { metrics, labelsFromPath }] of resources.entries()) {
    const { path, labelsFromPath: own, valueFrom } = metrics[0].each.gauge;
    expect([...STATUS.values()][at]?.shape).toHaveProperty(path[1]);
    const fields = [...Object.values(own), valueFrom].flat();
    expect(Object.keys(Condition.shape)).toEqual(expect.arrayContaining(fields));
    expect(Object.keys({ ...labelsFromPath, ...own }).toSorted()).toEqual([
      'name',
      'namespace',
      'reason',
      'type',
    ]);
  }
});
