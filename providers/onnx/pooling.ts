/** Combines the vectors of tokens into the vector of a text. Pure. */

/** The mean of all token vectors, or the vector of the first token. */
export type Pooling = 'mean' | 'cls';

/** Maximum windows of one text: the longest memory takes about sixteen of 512 tokens. */
const WINDOWS_MAX = 16;

interface Frame {
  /** Tokens that the model needs before and after those of a text. */
  readonly head: readonly number[];
  readonly tail: readonly number[];
  /** The tokens of the prefix, repeated in every window but the first. */
  readonly lead: readonly number[];
  readonly tokensMax: number;
}

/** Splits a text into windows that the model can take; drops what exceeds the last one. */
export function windowsOf(tokens: readonly number[], frame: Frame): readonly number[][] {
  const { head, tail, lead, tokensMax } = frame;
  const room = Math.max(1, tokensMax - head.length - tail.length);
  const windows = [[...head, ...tokens.slice(0, room), ...tail]];
  const step = Math.max(1, room - lead.length);
  for (let at = room; at < tokens.length && windows.length < WINDOWS_MAX; at += step) {
    windows.push([...head, ...lead, ...tokens.slice(at, at + step), ...tail]);
  }
  return windows;
}

/** Output of a model for one window: a vector for each token, or one for all. */
export interface WindowOutput {
  readonly data: Float32Array;
  /** Number of tokens of the window. */
  readonly tokens: number;
  readonly dimensions: number;
}

/** Returns the vector of a text, of length 1; each window is weighted by its tokens. */
export function pooled(outputs: readonly WindowOutput[], pooling: Pooling): Float32Array {
  const sums = new Float64Array(outputs[0]?.dimensions ?? 0);
  for (const { data, tokens, dimensions } of outputs) {
    const rows = data.length / dimensions;
    const used = pooling === 'cls' ? 1 : rows;
    const weight = tokens / used;
    for (let row = 0; row < used; row += 1) {
      for (let at = 0; at < dimensions; at += 1) {
        sums[at] = (sums[at] ?? 0) + weight * (data[row * dimensions + at] ?? 0);
      }
    }
  }
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, (sum) => sum / length);
}
