/**
 * Runs one dream of one subject: gather, distill, propose, and record how it ended. The same code
 * runs inside the workflow, where each call is a recorded activity, and inline when Varve is used
 * as a library.
 */
import type { BudgetState } from '../refresh/refresh-contract.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { DreamActivities, DreamCut, DreamInput, DreamResult } from './dream-contract.ts';

type DreamPhase = 'Gathering' | 'Distilling' | 'Proposing' | 'Ended';

/** The visible status of a running dream: counts and codes. */
export interface DreamStatus extends Omit<DreamResult, 'outcome'> {
  readonly phase: DreamPhase;
  /** Null until it ends. */
  readonly outcome: DreamResult['outcome'] | null;
  readonly budget: BudgetState;
  /** Blocks of daily files that it reads, and their tokens together with those of MEMORY.md. */
  readonly blocks: number;
  readonly sourceTokens: number;
  readonly lastError: ErrorCode | null;
}

interface DreamWatch {
  /** The code of a failed activity, as its caller sees it. */
  readonly codeOf: (failure: unknown) => ErrorCode;
  /** Called whenever something changes. */
  readonly onChange?: (status: DreamStatus) => void;
}

type Steps = Omit<DreamActivities, 'startDueDreams' | 'applyProposal'>;

const FIRST: DreamStatus = {
  phase: 'Gathering',
  outcome: null,
  budget: 'Available',
  blocks: 0,
  sourceTokens: 0,
  added: 0,
  removed: 0,
  inputTokens: 0,
  outputTokens: 0,
  lastError: null,
};

/**
 * Runs a dream. A failure is an outcome that is recorded like any other; the next round tries
 * again.
 * @throws errors of `endDream`, and the failure of a dream that was cancelled
 */
export async function runDream(
  activities: Steps,
  input: DreamInput,
  { codeOf, onChange }: DreamWatch,
): Promise<DreamResult> {
  let status = FIRST;
  const show = (changed: Partial<DreamStatus>): void => {
    status = { ...status, ...changed };
    onChange?.(status);
  };
  let outcome: DreamResult['outcome'];
  let cancellation: unknown;
  let oldest: DreamCut['oldest'] | undefined;
  const onCut = (cut: DreamCut): void => {
    ({ oldest } = cut);
  };
  try {
    outcome = await dreamt(activities, input, { show, onCut });
  } catch (failure) {
    const lastError = codeOf(failure);
    show({ lastError });
    outcome = 'Failed';
    if (lastError === 'CANCELLED') cancellation = failure;
  }
  const { lastError } = status;
  const report = {
    ...(lastError === null ? {} : { code: lastError }),
    ...(oldest === undefined ? {} : { oldest }),
  };
  if (outcome !== 'Gone') await activities.endDream({ ...input, ...report, outcome });
  show({ phase: 'Ended', outcome });
  if (cancellation !== undefined) throw cancellation;
  const { added, removed, inputTokens, outputTokens } = status;
  return { outcome, added, removed, inputTokens, outputTokens };
}

async function dreamt(
  activities: Steps,
  input: DreamInput,
  {
    show,
    onCut,
  }: {
    readonly show: (changed: Partial<DreamStatus>) => void;
    readonly onCut: (cut: DreamCut) => void;
  },
): Promise<DreamResult['outcome']> {
  show({ phase: 'Gathering' });
  const reading = await activities.gatherDream(input);
  if (reading.kind === 'Gone') return 'Gone';
  if (reading.kind === 'Skip') return reading.outcome;
  const { blocks, sourceTokens, cut } = reading;
  onCut(cut);
  show({ phase: 'Distilling', blocks, sourceTokens });
  const answered = await activities.distilDream({ ...input, cut });
  if (answered.kind === 'Gone') return 'Gone';
  if (answered.kind === 'Exhausted') {
    show({ budget: 'Exhausted' });
    return 'BudgetExhausted';
  }
  const { inputTokens, outputTokens, model } = answered;
  show({ phase: 'Proposing', inputTokens, outputTokens });
  const proposed = await activities.proposeDream({ ...input, cut, model });
  const { outcome, added, removed } = proposed;
  show({ added, removed });
  return outcome;
}
