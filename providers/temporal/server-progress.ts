/** How obtaining and starting a server tells the user what it does. */

export interface Step {
  /** What is being done: `building Temporal`. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** What is counted, in the plural: `packages`, `MB`. */
  readonly unit: string;
}

export interface Report {
  /** One thing that happened, worth a line of its own. */
  line(text: string): void;
  /** How far a long step is; called often. */
  step(step: Step): void;
  /** Leaves the line of the last step as it is, so that what comes next starts a new one. */
  finish(): void;
}

export interface ProgressPrinterOptions {
  readonly write: (text: string) => void;
  /** Whether lines can be written over, as on a terminal. */
  readonly isTerminal: boolean;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

const PREFIX = 'varve: ';
const BAR_WIDTH = 24;
const REDRAW_MS = 100;
/** Where lines stay, as in a log, a long step gets one line for each tenth. */
const LINES_PER_STEP = 10;

/** A bar that is drawn over on a terminal, one line for each tenth elsewhere. */
export function createProgressPrinter(options: ProgressPrinterOptions): Report {
  const { write, isTerminal, now } = options;
  let bar: { readonly label: string; readonly startedAt: number } | undefined;
  let tenths = -1;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const begin = (label: string): { readonly label: string; readonly startedAt: number } => {
    tenths = -1;
    drawnAt = Number.NEGATIVE_INFINITY;
    return { label, startedAt: now() };
  };
  const draw = (step: Step, seconds: number): void => {
    if (step.done < step.total && now() - drawnAt < REDRAW_MS) return;
    drawnAt = now();
    write(`\r\u001B[K${PREFIX}${barText(step)} ${seconds} s`);
  };
  const print = (step: Step, seconds: number): void => {
    const reached = Math.floor(fraction(step) * LINES_PER_STEP);
    if (reached <= tenths) return;
    tenths = reached;
    write(`${PREFIX}${step.label}: ${step.done} of ${step.total} ${step.unit}, ${seconds} s\n`);
  };
  return {
    line(text) {
      write(`${bar === undefined || !isTerminal ? '' : '\r\u001B[K'}${PREFIX}${text}\n`);
      bar = undefined;
    },
    step(step) {
      if (bar?.label !== step.label) bar = begin(step.label);
      const seconds = Math.round((now() - bar.startedAt) / 1_000);
      if (isTerminal) draw(step, seconds);
      else print(step, seconds);
    },
    finish() {
      if (bar !== undefined && isTerminal) write('\n');
      bar = undefined;
    },
  };
}

function barText(step: Step): string {
  const filled = Math.round(fraction(step) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  return `${step.label} ${bar} ${step.done}/${step.total} ${step.unit}`;
}

function fraction(step: Step): number {
  return step.total <= 0 ? 0 : Math.min(1, step.done / step.total);
}
