/** Valid and invalid changes of existing resources, for a watched folder and the API server. */
import type { Kind } from './resource-examples.ts';

/** In a first version and in a second. */
export interface Transition {
  readonly kind: Kind;
  readonly what: string;
  /** Where it may not be any name. */
  readonly name?: string;
  readonly before: object;
  readonly after: object;
  readonly refusal?: RegExp;
}

const OPENAI = {
  baseUrl: 'https://models.example.com/v1',
  models: [{ name: 'small', classes: ['economy'], inputPrice: '0.25', outputPrice: '2' }],
};
const LAYER_SPEC = { tenantRef: { name: 'acme' }, layer: 'team' };
const DREAM_SPEC = { tenantRef: { name: 'acme' }, cron: '30 3 * * *' };
const TENANT_ID_STAYS = /expected the same tenant id as before/;

export const TRANSITIONS: readonly Transition[] = [
  { kind: 'MemoryTenant', what: 'a new budget', before: {}, after: { budget: { tokens: 5 } } },
  {
    kind: 'MemoryTenant',
    what: 'another tenant id',
    before: { tenantId: 'a' },
    after: { tenantId: 'b' },
    refusal: TENANT_ID_STAYS,
  },
  {
    kind: 'MemoryTenant',
    what: 'a tenant id that was not set',
    before: {},
    after: { tenantId: 'b' },
    refusal: TENANT_ID_STAYS,
  },
  {
    kind: 'MemoryTenant',
    what: 'no tenant id',
    before: { tenantId: 'b' },
    after: {},
    refusal: TENANT_ID_STAYS,
  },
  {
    kind: 'MemoryTenant',
    what: 'a tenant id that equals the name',
    name: 'acme',
    before: {},
    after: { tenantId: 'acme' },
  },
  {
    kind: 'LayerSummaryPolicy',
    what: 'another maximum age',
    before: LAYER_SPEC,
    after: { ...LAYER_SPEC, maxAge: '1d' },
  },
  {
    kind: 'LayerSummaryPolicy',
    what: 'another layer',
    before: LAYER_SPEC,
    after: { ...LAYER_SPEC, layer: 'org' },
    refusal: /layer cannot be changed/,
  },
  {
    kind: 'LayerSummaryPolicy',
    what: 'another tenant',
    before: LAYER_SPEC,
    after: { ...LAYER_SPEC, tenantRef: { name: 'other' } },
    refusal: /tenantRef cannot be changed/,
  },
  {
    kind: 'DeepDream',
    what: 'another time',
    before: DREAM_SPEC,
    after: { ...DREAM_SPEC, cron: '0 4 * * *' },
  },
  {
    kind: 'DeepDream',
    what: 'another tenant of a dream',
    before: DREAM_SPEC,
    after: { ...DREAM_SPEC, tenantRef: { name: 'other' } },
    refusal: /tenantRef cannot be changed/,
  },
  {
    kind: 'ModelProvider',
    what: 'an endpoint for the summarizer',
    before: { allowedNamespaces: ['*'], extractive: {} },
    after: { allowedNamespaces: ['*'], openai: OPENAI },
  },
];
