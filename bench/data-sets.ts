/** The data sets of measurements: JSON, one value a line, and how they are split. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export function jsonLines<Row>(file: string): Row[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

/** Rules are developed on one half only; results are reported on the other. */
export type Half = 'develop' | 'report';

/** Decides by the last byte of the SHA-256 of the id: even or odd. */
export function halfOf(id: string): Half {
  const last = createHash('sha256').update(id).digest().at(-1) ?? 0;
  return last % 2 === 0 ? 'develop' : 'report';
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
