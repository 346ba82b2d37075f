/**
 * What the platform administrator allows tenants: a ValidatingAdmissionPolicy for each kind. Its
 * parameters are one ConfigMap in the namespace of the release. A ConfigMap needs no definition, no
 * rights and no controller, unlike a kind of its own, and every tool can write it; its content is
 * checked where it is used.
 *
 * Guarantees: without the ConfigMap, or without one of its keys, nothing is limited. A resource
 * older than a limit stays; it can be deleted, and its metadata can be changed. Only a changed spec
 * must respect the limits, so no finalizer is ever stuck. The operator applies the limits to what
 * is not declared, and to what was declared before (operator/tenant/apply-platform-limits.ts).
 */
import { DAY_MS } from '#core/duration.ts';
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import { LAYERS } from '#core/layer.ts';
import { DEFAULT_LAYERS } from '#core/policy/policy-defaults.ts';
import { celMap, celMillis } from './kubernetes-extensions.ts';
import { LIMIT_FORMS, LIMITS_NAME, limitProblem, type LimitKey } from './limit-values.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from './resource-types.ts';

/**
 * CEL for the least distance between the times of a cron: within a day, and over midnight if it
 * runs every day. The process that starts dreams handles other days, time zones and daylight
 * saving, and applies the least interval as well (core/dreams/schedule-changes.ts).
 */
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;
const MINUTE_MS = 60_000;

interface CelVariable {
  readonly name: string;
  readonly expression: string;
}

/**
 * Returns variables with the minutes and hours of `object.spec.cron`, which has passed its pattern.
 * Each is computed once, however often a rule uses it.
 * @param leastMs CEL, milliseconds
 */
function cronVariables(leastMs: string): readonly CelVariable[] {
  return [
    { name: 'cron', expression: "object.spec.cron.split(' ')" },
    { name: 'minutes', expression: valuesOf(0, MINUTES_PER_HOUR) },
    { name: 'hours', expression: valuesOf(1, HOURS_PER_DAY) },
    { name: 'leastMs', expression: leastMs },
  ];
}

/** Returns CEL over `cronVariables`: whether consecutive times are always far enough apart. */
function cronIsSpaced(): string {
  const [minutes, hours, leastMs] = ['variables.minutes', 'variables.hours', 'variables.leastMs'];
  const spread = `${minutes}.min() - ${minutes}.max()`;
  const overMidnight = `(${HOURS_PER_DAY} - ${hours}.max() + ${hours}.min())`;
  const least = `[${leastMs}, ${DAY_MS}].min()`;
  const isDaily = "variables.cron[2] == '*' && variables.cron[4] == '*'";
  return [
    `${minutes}.all(a, ${minutes}.all(b, a >= b || (b - a) * ${MINUTE_MS} >= ${leastMs}))`,
    `${hours}.all(a, ${hours}.all(b, a >= b || ` +
      `((b - a) * ${MINUTES_PER_HOUR} + ${spread}) * ${MINUTE_MS} >= ${leastMs}))`,
    `(!(${isDaily}) || ` +
      `(${overMidnight} * ${MINUTES_PER_HOUR} + ${spread}) * ${MINUTE_MS} >= ${least})`,
  ].join(' && ');
}

/** Returns CEL for the values of a field, in order, from `*`, values and ranges with steps. */
function valuesOf(field: number, count: number): string {
  const all = `[${Array.from({ length: count }, (_, value) => value).join(', ')}]`;
  const first = "(p.startsWith('*') ? 0 : int(p.find('^[0-9]+')))";
  const range = "p.split('/')[0].split('-')";
  const last = `(p.startsWith('*') ? ${count - 1} : int(${range}[${range}.size() - 1]))`;
  const step = "(p.contains('/') ? int(p.split('/')[1]) : 1)";
  return (
    `${all}.filter(v, variables.cron[${field}].split(',').exists(p, ` +
    `v >= ${first} && v <= ${last} && (v - ${first}) % ${step} == 0))`
  );
}

/** The namespace of the ConfigMap in the printed binding; the chart replaces it by its own. */
const LIMITS_NAMESPACE = 'varve';

interface Validation {
  readonly expression: string;
  /** A text for people, or CEL that makes one. */
  readonly message?: string;
  readonly messageExpression?: string;
}

interface LimitedKind {
  readonly type: ResourceType;
  readonly variables?: readonly CelVariable[];
  readonly limits: readonly { readonly key: LimitKey; readonly validation: Validation }[];
}

/** Returns CEL that splits names at commas or white space. */
const listed = (key: LimitKey) => `params.data.${key}.findAll(r'[^,\\s]+')`;
const limit = (key: LimitKey) => `params.data.${key}`;
const given = (key: LimitKey) => `has(params.data) && '${key}' in params.data`;

/**
 * The rule applies only if the key is given; `refusal` is CEL for a text that says what is allowed.
 */
function bounded(key: LimitKey, rule: string, refusal: string) {
  const expression = `!(${given(key)}) || (${rule})`;
  return { key, validation: { expression, messageExpression: refusal } };
}

const intervals = celMap(
  Object.fromEntries(LAYERS.map((layer) => [layer, DEFAULT_LAYERS[layer].updateIntervalMs])),
);
const classes = celMap(
  Object.fromEntries(LAYERS.map((layer) => [layer, DEFAULT_LAYERS[layer].modelClass])),
);
const classRefusal =
  `'expected a modelClass that this platform allows: ' + ${listed('modelClasses')}.join(', ') + ` +
  "'; one that is left out has the default of its kind or layer'";

const LIMITED_KINDS: readonly LimitedKind[] = [
  {
    type: MEMORY_TENANT,
    limits: [
      bounded(
        'largestBudgetDollars',
        'has(object.spec.budget.dollars) && ' +
          `double(object.spec.budget.dollars) <= double(${limit('largestBudgetDollars')})`,
        "'expected budget.dollars of at most ' + params.data.largestBudgetDollars + " +
          "', the largest budget of this platform'",
      ),
      bounded(
        'largestBudgetTokens',
        'has(object.spec.budget.tokens) && ' +
          `object.spec.budget.tokens <= int(${limit('largestBudgetTokens')})`,
        "'expected budget.tokens of at most ' + params.data.largestBudgetTokens + " +
          "', the largest budget of this platform'",
      ),
    ],
  },
  {
    type: LAYER_SUMMARY_POLICY,
    limits: [
      bounded(
        'leastInterval',
        `(has(object.spec.updateInterval) ? ${celMillis('object.spec.updateInterval')} : ` +
          `${intervals}[object.spec.layer]) >= ${celMillis(limit('leastInterval'))}`,
        "'expected an updateInterval of at least ' + params.data.leastInterval + " +
          "', the least of this platform; one that is left out has the default of its layer'",
      ),
      bounded(
        'modelClasses',
        `(has(object.spec.modelClass) ? object.spec.modelClass : ${classes}[object.spec.layer]) ` +
          `in ${listed('modelClasses')}`,
        classRefusal,
      ),
    ],
  },
  {
    type: MODEL_PROVIDER,
    limits: [
      bounded(
        'models',
        `!has(object.spec.openai) || object.spec.openai.models.all(m, m.name in ` +
          `${listed('models')})`,
        `'expected only models that this platform allows: ' + ${listed('models')}.join(', ')`,
      ),
    ],
  },
  {
    type: DEEP_DREAM,
    variables: cronVariables(celMillis(limit('leastInterval'))),
    limits: [
      bounded('modelClasses', `object.spec.modelClass in ${listed('modelClasses')}`, classRefusal),
      bounded(
        'leastInterval',
        cronIsSpaced(),
        "'expected a cron with times that are at least ' + params.data.leastInterval + " +
          "' apart, the least interval of this platform'",
      ),
    ],
  },
];

/** Returns the policies and their bindings, in the order of printing. */
export function platformLimits(): readonly object[] {
  return LIMITED_KINDS.flatMap((kind) => [policyOf(kind), bindingOf(kind)]);
}

function policyOf({ type, limits, variables }: LimitedKind): object {
  const { group, version, plural } = type;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: nameOf(type) },
    spec: {
      failurePolicy: 'Fail',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [group],
            apiVersions: [version],
            operations: ['CREATE', 'UPDATE'],
            resources: [plural],
          },
        ],
      },
      matchConditions: [
        {
          name: 'changed-spec',
          expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
        },
      ],
      ...(variables === undefined ? {} : { variables }),
      validations: limits.flatMap(({ key, validation }) => [formOf(key), validation]),
    },
  };
}

/** A limit that cannot be read also refuses, and the message says whom to ask. */
function formOf(key: LimitKey): Validation {
  const { pattern } = LIMIT_FORMS[key];
  return {
    expression: `!(${given(key)}) || ${limit(key)}.matches(r'${pattern}')`,
    message: `${limitProblem(key)}; the platform administrator must fix it`,
  };
}

function bindingOf({ type }: LimitedKind): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: nameOf(type) },
    spec: {
      policyName: nameOf(type),
      validationActions: ['Deny'],
      paramRef: {
        name: LIMITS_NAME,
        namespace: LIMITS_NAMESPACE,
        parameterNotFoundAction: 'Allow',
      },
    },
  };
}

function nameOf({ plural, group }: ResourceType): string {
  return `limits.${plural}.${group}`;
}
