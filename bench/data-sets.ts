/** The data sets of measurements: JSON, one value a line, and what they are parted by. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export function jsonLines<Row>(file: string): Row[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

/** Rules are made by looking at one half only; what is reported is the other. */
export type Half = 'develop' | 'report';

/** Even and odd of the last byte of the SHA-256 of the id. */
export function halfOf(id: string): Half {
  const last = createHash('sha256').update(id).digest().at(-1) ?? 0;
  return last % 2 === 0 ? 'develop' : 'report';
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
