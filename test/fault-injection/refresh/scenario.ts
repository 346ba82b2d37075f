/** One proof about the refresh, on the real server. */

export interface ScenarioPlace {
  /** A Temporal server that outlives the proof. */
  readonly address: string;
  /** A sample shows the same on less, for those who wait for it. */
  readonly scale: 'Full' | 'Sample';
}

export interface Scenario {
  readonly id: string;
  /** What it shows, for the name of its test. */
  readonly requirement: string;
  /** What is wrong; empty where all is as it should be. */
  readonly run: (place: ScenarioPlace) => Promise<readonly string[]>;
}

export interface Findings {
  readonly list: readonly string[];
  /** Notes `what` where it does not hold. */
  readonly expect: (holds: boolean, what: string) => void;
  readonly add: (found: readonly string[]) => void;
}

export function findings(): Findings {
  const list: string[] = [];
  return {
    list,
    expect: (holds, what) => {
      if (!holds) list.push(what);
    },
    add: (found) => {
      list.push(...found);
    },
  };
}
