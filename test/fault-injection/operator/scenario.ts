/** One proof about the operator, on a real API server. */
import type { ControlPlane } from '../../cluster/control-plane.ts';
import type { TemporalFixture } from './temporal-fixture.ts';

export interface OperatorScenarioPlace {
  /** Of the proofs alone: its parts may be killed, and are started again before the proof ends. */
  readonly plane: ControlPlane;
  readonly temporal: TemporalFixture;
  /** A sample shows the same on less, for those who wait for it. */
  readonly scale: 'Full' | 'Sample';
  readonly seed: number;
}

/** What goes wrong; a sample has one of each. */
export const FAMILIES = [
  'Events',
  'Requests',
  'Watches',
  'Servers',
  'Compaction',
  'Leaders',
  'Crash',
  'Many',
] as const;
export type Family = (typeof FAMILIES)[number];

export interface OperatorScenario {
  readonly id: string;
  readonly family: Family;
  /** What it shows, for the name of its test. */
  readonly requirement: string;
  readonly shows: string;
  /** What is wrong; empty where all is as it should be. */
  readonly run: (place: OperatorScenarioPlace) => Promise<readonly string[]>;
}
