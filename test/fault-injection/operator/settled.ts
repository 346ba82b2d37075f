/** Whether a state is final, and where two states differ. */
import { isSeen } from './end-state.ts';
import { eventually, type OperatorHarness } from './harness.ts';

/** Looks at one state, one after the other, that make it the last one: some seconds. */
const LOOKS_SAME = 15;

/** The state once everything was looked at and nothing moves any more. */
export function settledState(harness: OperatorHarness): Promise<string> {
  return stillState(harness, () => isSeen(harness.api, harness.namespace));
}

/** The state once nothing moves any more, as far as it came. */
export function stillState(
  harness: OperatorHarness,
  isWhole: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<string> {
  let before = '';
  let same = 0;
  return eventually('a state that stays', async () => {
    const now = await harness.state({ hasHistory: true });
    same = now === before ? same + 1 : 0;
    before = now;
    return same >= LOOKS_SAME && (await isWhole()) ? now : null;
  });
}

/** The first place at which two states differ. */
export function difference(expected: string, actual: string): string {
  const longest = Math.max(expected.length, actual.length);
  const places = Array.from({ length: longest }, (_, n) => n);
  const at = places.find((n) => expected[n] !== actual[n]) ?? 0;
  const around = (text: string) => text.slice(Math.max(0, at - 80), at + 120);
  return `expected …${around(expected)}…, was …${around(actual)}…`;
}

/** Works on so many at once, each once. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
