/** What the measurement and its servers say to each other, one thing at a time. */
import type { CallName } from './calls.ts';

export type ToServer =
  | { readonly kind: 'Cpu' }
  /** Runs so many calls without HTTP. */
  | {
      readonly kind: 'Direct';
      readonly name: CallName;
      readonly from: number;
      readonly count: number;
      /** Of these so many at once. */
      readonly size: number;
    }
  /** What is answered to each call from now on. */
  | { readonly kind: 'Answers'; readonly answers: Readonly<Record<string, unknown>> };

export type FromServer =
  | { readonly kind: 'Ready'; readonly url: string; readonly key: string }
  | { readonly kind: 'Done'; readonly cpuMs: number };

const MICROSECONDS = 1_000;

/** Answers each message, once it is done, with the CPU time that the process has used so far. */
export function answerParent(handle: (message: ToServer) => Promise<void>): void {
  process.on('message', (message: ToServer) => {
    void handle(message).then(() => {
      const { user, system } = process.cpuUsage();
      process.send?.({ kind: 'Done', cpuMs: (user + system) / MICROSECONDS });
    });
  });
  process.once('disconnect', () => {
    process.exit(0);
  });
}
