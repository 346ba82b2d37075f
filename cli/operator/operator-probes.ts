/** The probes of an operator from its first moment on, also while it waits for what it needs. */
import type { ProbeSource } from '#api/probes.ts';
import { liveness, readiness, type OperatorParts } from '#operator/health.ts';

export interface OperatorProbes {
  readonly source: ProbeSource;
  /** What is waited for, as a sentence. */
  missing(finding: string): void;
  /** From here on the parts speak for themselves. */
  running(parts: OperatorParts): void;
}

/** A process that waits for an outage to end lives, and is not ready. */
export function createOperatorProbes(): OperatorProbes {
  let finding = 'the operator is being started';
  let parts: OperatorParts | null = null;
  return {
    source: {
      healthz: () => (parts === null ? { ok: true, findings: [] } : liveness(parts)),
      readyz: () => (parts === null ? { ok: false, findings: [finding] } : readiness(parts)),
    },
    missing: (found) => {
      finding = found;
    },
    running: (all) => {
      parts = all;
    },
  };
}
