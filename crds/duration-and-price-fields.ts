/** The kinds of values that several fields share: durations, amounts of money, names. */
import { z } from 'zod';
import {
  DURATION_LENGTH_MAX,
  DURATION_LENGTH_MIN,
  DURATION_PATTERN,
  formatDuration,
  parseDuration,
} from '#core/duration.ts';
import { durationRange, withRules } from './cel-rules.ts';
import { field, type FieldDoc } from './field-docs.ts';

const DURATION_DAYS_MAX = 366;
const DAY_MS = 86_400_000;
const SCOPE_NAME_LENGTH_MAX = 256;
const MICROS_PER_DOLLAR = 1_000_000;
/** Digits of a dollar amount; its micro-dollars then stay exact integers. */
const DOLLARS_PATTERN = /^\d{1,9}(?:\.\d{1,6})?$/;
/** Ten thousand dollars for a million tokens: more is a slip of the decimal point. */
const PRICE_PATTERN = /^(?:10000(?:\.0{1,6})?|\d{1,4}(?:\.\d{1,6})?)$/;

const SHORT_MS = 30_000;

/** A duration in YAML, milliseconds once read. */
export function durationField(doc: Omit<FieldDoc, 'expected'>, minMs: number) {
  const maxMs = DURATION_DAYS_MAX * DAY_MS;
  const millis = z.codec(
    z.string().min(DURATION_LENGTH_MIN).max(DURATION_LENGTH_MAX).regex(DURATION_PATTERN),
    z.int().min(minMs).max(maxMs),
    // The pattern was checked before, so the fallback is only there for the type.
    { decode: (text) => parseDuration(text) ?? -1, encode: formatDuration },
  );
  const range = `${formatDuration(minMs)} to ${DURATION_DAYS_MAX}d`;
  const examples = minMs > SHORT_MS ? '5m, 1h30m or 7d' : '30s, 5m, 1h30m or 7d';
  const expected = `a duration of ${range}, such as ${examples}`;
  return field(withRules(millis, durationRange(minMs, maxMs)), { ...doc, expected });
}

/** Dollars as text, so that no amount is rounded on its way; micro-dollars once read. */
export function dollarsField(doc: Omit<FieldDoc, 'expected'>) {
  const microDollars = z.codec(z.string().max(16).regex(DOLLARS_PATTERN), z.int().min(0), {
    decode: toMicroDollars,
    encode: formatDollars,
  });
  const expected = 'an amount in dollars as text in quotes, at most 999999999.999999';
  return field(microDollars, { ...doc, expected });
}

/** A list price for a million tokens, as text; micro-dollars once read. */
export function priceField(doc: Omit<FieldDoc, 'expected'>) {
  const microDollars = z.codec(z.string().max(16).regex(PRICE_PATTERN), z.int().min(0), {
    decode: toMicroDollars,
    encode: formatDollars,
  });
  return field(microDollars, {
    ...doc,
    expected: 'an amount in dollars as text in quotes, from 0 to 10000',
  });
}

/** `2.50` as micro-dollars; null for what is no amount in dollars. */
export function parseDollars(text: string): number | null {
  return DOLLARS_PATTERN.test(text) ? toMicroDollars(text) : null;
}

/** The name of a project, team, org or company, as callers give it. */
export function scopeNameField(doc: Omit<FieldDoc, 'expected'>) {
  const expected = `a name of 1 to ${SCOPE_NAME_LENGTH_MAX} characters`;
  return field(z.string().min(1).max(SCOPE_NAME_LENGTH_MAX), { ...doc, expected });
}

/** `2500000` is `2.50`: at least cents, and as many digits as the amount has. */
export function formatDollars(microDollars: number): string {
  const whole = Math.floor(microDollars / MICROS_PER_DOLLAR);
  const fraction = String(microDollars % MICROS_PER_DOLLAR).padStart(6, '0');
  return `${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

/** By digits and not by multiplication: 0.1 has no exact binary form. */
function toMicroDollars(text: string): number {
  const [whole = '0', fraction = ''] = text.split('.');
  return Number(whole) * MICROS_PER_DOLLAR + Number(fraction.padEnd(6, '0'));
}

export function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
