/** Progress of long work: a bar on a terminal, plain lines elsewhere. */
import { SingleBar } from 'cli-progress';
import type { Report, Step } from '#providers/temporal/server-progress.ts';

const PREFIX = 'varve: ';
const BAR_WIDTH = 24;
/** Where lines stay, as in a log, a long step gets one line for each fifth. */
const LINES_PER_STEP = 5;

/** The part of standard error that is needed. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface ProgressOptions {
  readonly stream: ProgressStream;
  /** Prints nothing, for output that a program parses. */
  readonly quiet?: boolean;
}

const KILOBYTE = 1_000;

/** How much of an input was read. */
export function inputStep(
  label: string,
  { bytesRead, bytesTotal }: { readonly bytesRead: number; readonly bytesTotal: number },
): Step {
  const kilobytes = (bytes: number): number => Math.ceil(bytes / KILOBYTE);
  return { label, done: kilobytes(bytesRead), total: kilobytes(bytesTotal), unit: 'KB' };
}

/** Makes one report for a whole command; `line` may be called while a bar is shown. */
export function createProgress({ stream, quiet = false }: ProgressOptions): Report {
  if (quiet) return { line: () => undefined, step: () => undefined, finish: () => undefined };
  return stream.isTTY === true ? barReport(stream) : lineReport(stream);
}

function barReport(stream: ProgressStream): Report {
  let shown: { bar: SingleBar; label: string } | null = null;
  /** A step that was completed; completing it again shows no second bar. */
  let ended: string | null = null;
  const end = (): void => {
    shown?.bar.stop();
    shown = null;
  };
  return {
    line: (text) => {
      end();
      stream.write(`${PREFIX}${text}\n`);
    },
    step: (step) => {
      const isWhole = step.done >= step.total;
      if (isWhole && ended === step.label) return;
      ended = isWhole ? step.label : null;
      if (shown?.label !== step.label) {
        end();
        shown = { bar: startBar(stream, step), label: step.label };
      }
      shown.bar.setTotal(step.total);
      shown.bar.update(step.done);
      if (isWhole) end();
    },
    finish: () => {
      ended = null;
      end();
    },
  };
}

function startBar(stream: ProgressStream, step: Step): SingleBar {
  const bar = new SingleBar({
    stream,
    format: `${PREFIX}${step.label} {bar} {value}/{total} ${step.unit} {duration_formatted}`,
    barsize: BAR_WIDTH,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  bar.start(step.total, step.done);
  return bar;
}

function lineReport(stream: ProgressStream): Report {
  let label = '';
  let reached = 0;
  return {
    line: (text) => {
      stream.write(`${PREFIX}${text}\n`);
    },
    step: (step) => {
      if (step.label !== label) {
        label = step.label;
        reached = 0;
      }
      const share = step.total === 0 ? 1 : step.done / step.total;
      const now = Math.floor(share * LINES_PER_STEP);
      if (now <= reached) return;
      reached = now;
      stream.write(`${PREFIX}${step.label}: ${step.done} of ${step.total} ${step.unit}\n`);
    },
    finish: () => {
      label = '';
    },
  };
}
