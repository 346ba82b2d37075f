/** Finds what is wrong with a value given as a filter: where, and what was expected there. */
import type { z } from 'zod';

export interface FilterProblem {
  /** Names and indexes that lead to the problem, from the top of the filter. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The conditions by comparison, and the bounds of a filter. */
export interface FilterRules {
  readonly comparisons: Readonly<Record<string, z.ZodType>>;
  /** The condition of gt, gte, lt and lte, which may stand together. */
  readonly range: z.ZodType;
  readonly depthMax: number;
  readonly conditionsMax: number;
}

interface Place {
  readonly value: unknown;
  readonly path: FilterProblem['path'];
}

const FIELD = 'field';
const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;
const JOINS = ['and', 'or', 'not'] as const;
/** Maximum length of a name that the message repeats; a longer one is cut. */
const NAME_LENGTH_MAX = 40;

/** Returns the first problem, or null. Iterative, so that no nesting depth overflows the stack. */
export function filterProblem(value: unknown, rules: FilterRules): FilterProblem | null {
  const waiting: (Place & { depth: number })[] = [{ value, path: [], depth: 1 }];
  let conditions = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { depth, path } = next;
    if (depth > rules.depthMax) return { path, message: `at most ${rules.depthMax} levels` };
    const part = partOf(next, rules);
    if ('message' in part) return part;
    if (part.inner.length === 0) conditions += 1;
    if (conditions + waiting.length + part.inner.length > rules.conditionsMax) {
      return { path: [], message: `at most ${rules.conditionsMax} conditions` };
    }
    const inner = part.inner.map((each) => ({ ...each, depth: depth + 1 }));
    // The stack is read from the end, so the reversal keeps the order.
    waiting.push(...inner.toReversed());
  }
  return null;
}

/** The filters that one joins, none for a condition; or what is wrong with it. */
function partOf(
  place: Place,
  rules: FilterRules,
): FilterProblem | { readonly inner: readonly Place[] } {
  const { value, path } = place;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { path, message: `expected a filter, which is an object with ${partsOf(rules)}` };
  }
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const names = Object.keys(value);
  const join = JOINS.find((name) => names.includes(name));
  if (join === undefined) return conditionProblem(fields, { names, path }, rules) ?? { inner: [] };
  const other = names.find((name) => name !== join);
  if (other !== undefined) {
    return { path, message: `expected nothing beside "${join}", found "${shortened(other)}"` };
  }
  const joined = fields[join];
  if (join === 'not') return { inner: [{ value: joined, path: [...path, join] }] };
  if (!Array.isArray(joined) || joined.length === 0 || joined.length > rules.conditionsMax) {
    const message = `expected a list of 1 to ${rules.conditionsMax} filters`;
    return { path: [...path, join], message };
  }
  return { inner: joined.map((each: unknown, at) => ({ value: each, path: [...path, join, at] })) };
}

function conditionProblem(
  fields: Readonly<Record<string, unknown>>,
  { names, path }: { names: readonly string[]; path: FilterProblem['path'] },
  rules: FilterRules,
): FilterProblem | null {
  const bounds = names.filter((name) => BOUNDS.some((bound) => bound === name));
  const comparisons = names.filter((name) => Object.hasOwn(rules.comparisons, name));
  const known = new Set([FIELD, ...bounds, ...comparisons]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    return { path, message: `"${shortened(unknown)}" is unknown, expected ${partsOf(rules)}` };
  }
  const [comparison] = comparisons;
  if (comparison === undefined && bounds.length === 0) {
    return { path, message: `expected one of ${comparisonsOf(rules)} beside "${FIELD}"` };
  }
  if (comparisons.length > 1 || (comparisons.length > 0 && bounds.length > 0)) {
    return { path, message: 'expected one comparison; "and" joins several' };
  }
  const schema = comparison === undefined ? rules.range : rules.comparisons[comparison];
  const issue = schema?.safeParse(fields).error?.issues[0];
  if (issue === undefined) return null;
  const inside = issue.path.filter((name) => typeof name !== 'symbol');
  return { path: [...path, ...inside], message: issue.message };
}

function partsOf(rules: FilterRules): string {
  return `"${FIELD}" and one of ${comparisonsOf(rules)}, or one of ${JOINS.join(', ')}`;
}

function comparisonsOf(rules: FilterRules): string {
  return [...Object.keys(rules.comparisons), ...BOUNDS].join(', ');
}

function shortened(name: string): string {
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
}
