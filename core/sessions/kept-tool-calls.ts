/** How much the turns of a session keep of the tools that an agent called. */
import { metadataProblem } from '../sources/metadata-limits.ts';
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

/**
 * Returns the arguments of a call as fields that an append takes: cut as text if they are longer or
 * deeper than it takes.
 * @param calls the number of calls of the turn
 */
export function keptArguments(args: unknown, calls: number): Record<string, unknown> {
  const most = Math.min(ARGUMENTS_UNITS_MAX, Math.floor(CALLS_UNITS_MAX / Math.max(1, calls)));
  const json = JSON.stringify(args) ?? 'null';
  const isFields = typeof args === 'object' && args !== null && !Array.isArray(args);
  const fields = isFields ? { ...args } : { value: args };
  const isTaken = json.length <= most && metadataProblem(fields) === null;
  return isTaken ? fields : { cut: shortenToUnits(json, most) };
}

export function keptResult(text: string): string {
  return shortenToUnits(text, RESULT_UNITS_MAX);
}
