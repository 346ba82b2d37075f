/**
 * Where a definition takes less than an earlier one did, or means something else by what it takes.
 * Pure. A keyword that is not known here counts as tighter once it differs, so that none is missed.
 */
import {
  below,
  type Definition,
  type SchemaNode,
} from '../../kubernetes/chart-earlier-definitions.ts';

/** In words, each with its path, such as `DeepDream v1alpha1 spec.cron: maxLength 64, was 128`. */
export function tightenings(
  earlier: readonly Definition[],
  current: readonly Definition[],
): readonly string[] {
  return earlier.flatMap(({ spec }) => {
    const { kind } = spec.names;
    const now = current.find((definition) => definition.spec.names.kind === kind);
    return spec.versions.flatMap(({ name, schema, served }) => {
      const version = now?.spec.versions.find((each) => each.name === name);
      if (version === undefined || (served && !version.served)) {
        return [`${kind} ${name}: is not served any more`];
      }
      const found = inNode(schema.openAPIV3Schema, version.schema.openAPIV3Schema, '');
      return found.map((finding) => `${kind} ${name} ${finding}`);
    });
  });
}

type Tighter = (before: unknown, now: unknown) => boolean;

const raised: Tighter = (before, now) => Number(now ?? -Infinity) > Number(before ?? -Infinity);
const lowered: Tighter = (before, now) => Number(now ?? Infinity) < Number(before ?? Infinity);
const isAdded: Tighter = (before, now) => without(now, listOf(before)).length > 0;
const isTaken: Tighter = (before, now) =>
  now !== undefined && (before === undefined || without(before, listOf(now)).length > 0);
const isOther: Tighter = (before, now) => JSON.stringify(before) !== JSON.stringify(now);
/** Of a flag that allows more. */
const isTakenBack: Tighter = (before, now) => before === true && now !== true;
const never: Tighter = () => false;

const KEYWORDS: Readonly<Record<string, Tighter>> = {
  description: never,
  title: never,
  example: never,
  // Looked into by themselves.
  properties: never,
  items: never,
  minimum: raised,
  minLength: raised,
  minItems: raised,
  minProperties: raised,
  maximum: lowered,
  maxLength: lowered,
  maxItems: lowered,
  maxProperties: lowered,
  required: isAdded,
  enum: isTaken,
  'x-kubernetes-validations': (before, now) => isAdded(rulesOf(before), rulesOf(now)),
  nullable: isTakenBack,
  'x-kubernetes-preserve-unknown-fields': isTakenBack,
  'x-kubernetes-int-or-string': isTakenBack,
};

function inNode(before: SchemaNode, now: SchemaNode, at: string): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  const here = [...keys]
    .filter((key) => (KEYWORDS[key] ?? isOther)(before[key], now[key]))
    .map((key) => `${at}: ${key} ${told(now[key])}, was ${told(before[key])}`);
  const fields = Object.keys(below(before, 'properties')).flatMap((name) => {
    const path = at === '' ? name : `${at}.${name}`;
    const field = below(now, 'properties')[name];
    if (field === undefined) return [`${path}: is gone`];
    return inNode(
      below(below(before, 'properties'), name),
      below(below(now, 'properties'), name),
      path,
    );
  });
  return [...here, ...fields, ...inItems(before, now, at)];
}

function inItems(before: SchemaNode, now: SchemaNode, at: string): readonly string[] {
  return 'items' in before ? inNode(below(before, 'items'), below(now, 'items'), `${at}[]`) : [];
}

function rulesOf(rules: unknown): readonly unknown[] {
  return listOf(rules).map((rule) => (rule as { readonly rule?: unknown }).rule);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function without(list: unknown, gone: readonly unknown[]): readonly unknown[] {
  return listOf(list).filter((value) => !gone.includes(value));
}

function told(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
