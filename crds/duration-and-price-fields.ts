/** Types of values that several fields share: durations, amounts of money, names. */
import { z } from 'zod';
import {
  DAY_MS,
  DURATION_LENGTH_MAX,
  DURATION_LENGTH_MIN,
  DURATION_PATTERN,
  formatDuration,
  parseDuration,
} from '#core/duration.ts';
import { durationRange, withRules } from './kubernetes-extensions.ts';
import { field, type FieldDoc } from './field-docs.ts';

const DURATION_DAYS_MAX = 366;
const SCOPE_NAME_LENGTH_MAX = 256;
const MICROS_PER_DOLLAR = 1_000_000;
/** Limits the digits of a dollar amount, so that its micro-dollars are exact integers. */
const DOLLARS_PATTERN = /^\d{1,9}(?:\.\d{1,6})?$/;
/** Up to ten thousand dollars for a million tokens: more is probably a misplaced decimal point. */
const PRICE_PATTERN = /^(?:10000(?:\.0{1,6})?|\d{1,4}(?:\.\d{1,6})?)$/;

const SHORT_MS = 30_000;

/** A duration in YAML; milliseconds once parsed. */
export function durationField(doc: Omit<FieldDoc, 'expected'>, minMs: number) {
  const maxMs = DURATION_DAYS_MAX * DAY_MS;
  const millis = z.codec(
    z.string().min(DURATION_LENGTH_MIN).max(DURATION_LENGTH_MAX).regex(DURATION_PATTERN),
    z.int().min(minMs).max(maxMs),
    // The pattern was already checked, so the fallback only satisfies the type.
    { decode: (text) => parseDuration(text) ?? -1, encode: formatDuration },
  );
  const range = `${formatDuration(minMs)} to ${DURATION_DAYS_MAX}d`;
  const examples = minMs > SHORT_MS ? '5m, 1h30m or 7d' : '30s, 5m, 1h30m or 7d';
  const expected = `a duration of ${range}, such as ${examples}`;
  return field(withRules(millis, durationRange(minMs, maxMs)), { ...doc, expected });
}

/** Dollars as text, so that no amount is rounded on the way; micro-dollars once parsed. */
export function dollarsField(doc: Omit<FieldDoc, 'expected'>) {
  const expected = 'an amount in dollars as text in quotes, at most 999999999.999999';
  return field(microDollars(DOLLARS_PATTERN), { ...doc, expected });
}

/** A list price for a million tokens, as text; micro-dollars once parsed. */
export function priceField(doc: Omit<FieldDoc, 'expected'>) {
  const expected = 'an amount in dollars as text in quotes, from 0 to 10000';
  return field(microDollars(PRICE_PATTERN), { ...doc, expected });
}

function microDollars(pattern: RegExp) {
  const codec = { decode: toMicroDollars, encode: formatDollars };
  return z.codec(z.string().max(16).regex(pattern), z.int().min(0), codec);
}

/** Parses `2.50` into micro-dollars; null if it is not a dollar amount. */
export function parseDollars(text: string): number | null {
  return DOLLARS_PATTERN.test(text) ? toMicroDollars(text) : null;
}

/** The name of a project, team, org or company, as callers use it. */
export function scopeNameField(doc: Omit<FieldDoc, 'expected'>) {
  const expected = `a name of 1 to ${SCOPE_NAME_LENGTH_MAX} characters`;
  return field(z.string().min(1).max(SCOPE_NAME_LENGTH_MAX), { ...doc, expected });
}

/** Formats `2500000` as `2.50`: at least cents, and as many digits as the amount has. */
export function formatDollars(microDollars: number): string {
  const whole = Math.floor(microDollars / MICROS_PER_DOLLAR);
  const fraction = String(microDollars % MICROS_PER_DOLLAR).padStart(6, '0');
  return `${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

/** Works on the digits instead of multiplying, since 0.1 has no exact binary form. */
function toMicroDollars(text: string): number {
  const [whole = '0', fraction = ''] = text.split('.');
  return Number(whole) * MICROS_PER_DOLLAR + Number(fraction.padEnd(6, '0'));
}

export function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
