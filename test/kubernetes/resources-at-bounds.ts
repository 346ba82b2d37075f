/** Resources at every bound of the definitions, which somebody may have declared. */
import { API_VERSION } from '#crds/metadata.ts';
import { below, schemaOf, type Definition, type SchemaNode } from './chart-definitions.ts';

export interface AtBound {
  readonly kind: string;
  /** Such as `spec.cron`; `[]` is the first item of a list. */
  readonly at: string;
  /** One of them is taken: what else has to be there differs. */
  readonly specs: readonly object[];
}

/** In the order of the fields; each bound of each field once. */
export function resourcesAtBounds(definition: Definition): readonly AtBound[] {
  const { kind } = definition.spec.names;
  const spec = below(below(schemaOf(definition), 'properties'), 'spec');
  return pathsOf(spec, 'spec').flatMap(({ at, node }) => {
    const values = WRITTEN[`${kind} ${at}`] ?? boundsOf(node);
    return values.map((value) => {
      const specs = (BASES[kind] ?? []).flatMap((base) => {
        const changed = structuredClone(base);
        return put(changed, at.split('.').slice(1), value) ? [changed] : [];
      });
      return { kind, at, specs };
    });
  });
}

export function resourceNamed(kind: string, name: string, spec: object): object {
  return { apiVersion: API_VERSION, kind, metadata: { name }, spec };
}

interface Field {
  readonly at: string;
  readonly node: SchemaNode;
}

function pathsOf(node: SchemaNode, at: string): readonly Field[] {
  const properties = below(node, 'properties');
  const fields = Object.keys(properties).flatMap((name) => {
    const path = `${at}.${name}`;
    return [{ at: path, node: below(properties, name) }, ...pathsOf(below(properties, name), path)];
  });
  if (!('items' in node)) return fields;
  const items = below(node, 'items');
  return [...fields, { at: `${at}[]`, node: items }, ...pathsOf(items, `${at}[]`)];
}

/** The least and the most that a field takes, by its schema alone. */
function boundsOf(node: SchemaNode): readonly unknown[] {
  if (Array.isArray(node['enum'])) return node['enum'];
  const numberOf = (key: string) => (typeof node[key] === 'number' ? [node[key]] : []);
  switch (node['type']) {
    case 'boolean':
      return [false, true];
    case 'integer':
      return [...numberOf('minimum'), ...numberOf('maximum')];
    case 'string':
      return [...numberOf('minLength'), ...numberOf('maxLength')].map((length) =>
        'a'.repeat(length),
      );
    case 'array':
      return [
        ...(node['minItems'] === undefined ? [0] : numberOf('minItems')),
        ...numberOf('maxItems'),
      ].map((length) => Array.from({ length }, (_, n) => itemOf(below(node, 'items'), n)));
    default:
      return [];
  }
}

/** Different for each number. */
function itemOf(items: SchemaNode, n: number): unknown {
  if (Array.isArray(items['enum'])) return (items['enum'] as readonly unknown[])[n];
  if (items['type'] !== 'object') return `a${String(n)}`;
  const fields = Object.keys(below(items, 'properties'));
  return Object.fromEntries(fields.map((name) => [name, `a${String(n)}`]));
}

/** False where the base has not what the field lies in. */
function put(target: object, [name, ...rest]: readonly string[], value: unknown): boolean {
  if (name === undefined) return false;
  const key = name.replace('[]', '');
  const holder = target as Record<string, unknown>;
  if (!name.endsWith('[]')) {
    if (rest.length === 0) {
      holder[key] = value;
      return true;
    }
    const inner = holder[key];
    return typeof inner === 'object' && inner !== null && put(inner, rest, value);
  }
  const list = holder[key];
  if (!Array.isArray(list)) return false;
  if (rest.length === 0) {
    list[0] = value;
    return true;
  }
  return put(list[0] as object, rest, value);
}

const MODEL = {
  name: 'small',
  classes: ['economy'],
  inputPrice: '0.25',
  outputPrice: '2',
  contextTokens: 10_000_000,
  outputTokensMax: 9_000_000,
};

/** One with every field in which others lie; a second where two fields exclude each other. */
const BASES: Readonly<Record<string, readonly object[]>> = {
  MemoryTenant: [
    {
      tenantId: 'acme',
      hierarchy: {
        projects: [{ id: 'a', team: 'b' }],
        teams: [{ id: 'b', org: 'c' }],
        orgs: [{ id: 'c', company: 'd' }],
      },
      budget: {},
      refresh: {},
      context: {},
      sessions: {},
      extraction: { layers: {} },
      grounding: {},
      retention: {},
    },
  ],
  LayerSummaryPolicy: [
    {
      tenantRef: { name: 'acme' },
      layer: 'team',
      depths: ['sentence'],
      updateInterval: '1s',
      maxAge: '366d',
    },
  ],
  ModelProvider: [
    {
      allowedNamespaces: ['*'],
      openai: {
        baseUrl: 'https://models.example.com/v1',
        secretRef: { name: 'models', key: 'key' },
        models: [MODEL],
        embedding: { name: 'e5', dimensions: 384, inputPrice: '0' },
        rate: {},
      },
    },
    { allowedNamespaces: ['*'], extractive: {} },
  ],
  DeepDream: [
    {
      tenantRef: { name: 'acme' },
      cron: '30 3 * * *',
      subjects: { agents: ['*'], users: ['*'] },
      guards: {},
    },
  ],
};

/** Digits to the longest text, for 366 days. */
const LONGEST = '0000366d0000000h0000000m0000000s000000000ms';
const DURATIONS = ['0s', LONGEST];
const INTERVALS = ['1s', LONGEST];
const PRICES = ['0', '10000.000000'];
const URL_START = 'https://models.example.com/';
const URL_CHARACTERS = 2_048;

/** Bounds of what a rule limits besides the schema. */
const WRITTEN: Readonly<Record<string, readonly unknown[]>> = {
  'MemoryTenant spec.budget.dollars': ['0', '999999999.999999'],
  'MemoryTenant spec.refresh.batchWindow': DURATIONS,
  'MemoryTenant spec.sessions.endAfterSilence': ['1m', LONGEST],
  'MemoryTenant spec.refresh.urgentDebounce': DURATIONS,
  'LayerSummaryPolicy spec.updateInterval': INTERVALS,
  'LayerSummaryPolicy spec.maxAge': INTERVALS,
  'LayerSummaryPolicy spec.batchWindow': DURATIONS,
  'ModelProvider spec.openai.baseUrl': [
    'http://a',
    URL_START + 'a'.repeat(URL_CHARACTERS - URL_START.length),
  ],
  // No class may stand twice, and there are two.
  'ModelProvider spec.openai.models': [
    [MODEL],
    [MODEL, { ...MODEL, name: 'large', classes: ['standard'] }],
  ],
  'ModelProvider spec.openai.models[].inputPrice': PRICES,
  'ModelProvider spec.openai.models[].outputPrice': PRICES,
  'ModelProvider spec.openai.embedding.inputPrice': PRICES,
  'ModelProvider spec.openai.models[].contextTokens': [9_006_000, 10_000_000],
  'ModelProvider spec.openai.models[].outputTokensMax': [2_000, 9_994_000],
  'ModelProvider spec.openai.models[].thinkingTokens': [0, 8_998_000],
  'DeepDream spec.cron': ['* * * * *', `${tens(31)} ${tens(10)} * * *`],
  'DeepDream spec.timeZone': ['UTC', 'America/Argentina/ComodRivadavia'],
};

/** Items of a field of cron; 31 are the most, and 31 and 10 of them fill the 128 characters. */
function tens(count: number): string {
  return Array.from({ length: count }, () => '10').join(',');
}
