/** How much the turns of a session keep of the tools that an agent called. */
import { shortenToUnits } from '../storable-text.ts';

/**
 * Maximum characters of the JSON of one call, and of all calls of a turn; longer arguments are cut
 * and kept as text.
 */
const ARGUMENTS_UNITS_MAX = 4_000;
const CALLS_UNITS_MAX = 20_000;
/** Maximum calls of one turn. */
export const CALLS_MAX = 100;
/** Maximum characters of one tool result; a longer one is cut. */
const RESULT_UNITS_MAX = 32_000;

/** @param calls the number of calls of the turn */
export function keptArguments(args: unknown, calls: number): Record<string, unknown> {
  const most = Math.min(ARGUMENTS_UNITS_MAX, Math.floor(CALLS_UNITS_MAX / Math.max(1, calls)));
  const json = JSON.stringify(args) ?? 'null';
  if (json.length > most) return { cut: shortenToUnits(json, most) };
  const isFields = typeof args === 'object' && args !== null && !Array.isArray(args);
  return isFields ? { ...args } : { value: args };
}

export function keptResult(text: string): string {
  return shortenToUnits(text, RESULT_UNITS_MAX);
}
