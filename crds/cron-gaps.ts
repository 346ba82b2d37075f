/**
 * How far apart the times of a cron are, in CEL: of one day, and over midnight where every day has
 * them. What other days, time zones and daylight saving make of it is left to whoever starts
 * dreams, who holds it to the least interval as well (core/dreams/schedule-changes.ts).
 */

const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface CelVariable {
  readonly name: string;
  readonly expression: string;
}

/**
 * The minutes and the hours that `object.spec.cron` names, which has passed its pattern. Each is
 * worked out once, however often a rule asks.
 * @param leastMs CEL, milliseconds
 */
export function cronVariables(leastMs: string): readonly CelVariable[] {
  return [
    { name: 'cron', expression: "object.spec.cron.split(' ')" },
    { name: 'minutes', expression: valuesOf(0, MINUTES_PER_HOUR) },
    { name: 'hours', expression: valuesOf(1, HOURS_PER_DAY) },
    { name: 'leastMs', expression: leastMs },
  ];
}

/** CEL over `cronVariables`: whether two times that follow each other are never closer. */
export function cronIsSpaced(): string {
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

/** Of `*`, values and ranges with steps: those of a field, in their order. */
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
