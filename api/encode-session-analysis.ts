/**
 * Encodes the analysis of a session for its record: columns in the narrowest form that holds their
 * numbers, serialized by V8, which reads what older versions wrote, and deflated with a checksum.
 */
import { deserialize, serialize } from 'node:v8';
import { deflateSync, inflateSync } from 'node:zlib';

import type { SessionAnalysis } from '#core/recall/sessions/session-analysis.ts';

/** The fastest level: higher ones save a tenth of the bytes and take three times as long. */
const DEFLATE_LEVEL = 1;
/** Maximum bytes of a decoded analysis, so that damage can't fill the memory. */
const DECODED_BYTES_MAX = 50_000_000;

/** Columns of whole numbers from 0, by the array that the analysis has. */
const COLUMNS = {
  passages: Uint32Array,
  starts: Uint32Array,
  units: Uint32Array,
  forms: Uint8Array,
  signs: Uint8Array,
  kinds: Uint8Array,
  writing: Uint16Array,
  lengths: Uint32Array,
  terms: Uint32Array,
  amountCounts: Uint32Array,
} as const;
type Column = keyof typeof COLUMNS;
const COLUMN_NAMES = Object.keys(COLUMNS) as readonly Column[];

export function encodeSessionAnalysis(analysis: SessionAnalysis): string {
  const narrowed = COLUMN_NAMES.map((name) => [name, narrowest(analysis[name])] as const);
  const bytes = serialize({ ...analysis, ...Object.fromEntries(narrowed) });
  return deflateSync(bytes, { level: DEFLATE_LEVEL }).toString('base64');
}

function narrowest(column: Iterable<number>): Uint8Array | Uint16Array | Uint32Array {
  let most = 0;
  for (const value of column) most = Math.max(most, value);
  if (most <= 0xff) return Uint8Array.from(column);
  return most <= 0xff_ff ? Uint16Array.from(column) : Uint32Array.from(column);
}

/** Returns null if the text was damaged. @param turns how many turns were analyzed */
export function decodeSessionAnalysis(content: string, turns: number): SessionAnalysis | null {
  try {
    const bytes = inflateSync(Buffer.from(content, 'base64'), {
      maxOutputLength: DECODED_BYTES_MAX,
    });
    const saved = deserialize(bytes) as SessionAnalysis;
    const widened = COLUMN_NAMES.map((name) => [name, COLUMNS[name].from(saved[name])] as const);
    // Copies, since arrays that are read lie in the buffer of all of them.
    const floats = { worths: saved.worths.slice(), amounts: saved.amounts.slice() };
    const analysis = { ...saved, ...floats, ...Object.fromEntries(widened) };
    return analysis.passages.length === turns ? analysis : null;
  } catch {
    return null;
  }
}
