/** The type of metric tables: what each table defines for its metrics. */

interface MetricSpec {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /**
   * Every value of each label of a counter. Its series exist from the start, at 0, because a series
   * that begins at 1 shows no increase.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

export type MetricTable = Readonly<Record<string, MetricSpec>>;

/** Names of the metrics of one kind in a table. */
type NamesOfKind<T extends MetricTable, K extends MetricSpec['kind']> = {
  [N in keyof T]: T[N]['kind'] extends K ? N : never;
}[keyof T];

/** The labels of one metric of a table, each with its value. */
type LabelsIn<T extends MetricTable, N extends keyof T> = Readonly<
  Record<T[N]['labels'][number], string>
>;

/** The port for a table: counts, observes and sets its metrics, each with the labels of its row. */
export interface MetricsOf<T extends MetricTable> {
  count<N extends NamesOfKind<T, 'counter'>>(name: N, labels: LabelsIn<T, N>, by?: number): void;
  observe<N extends NamesOfKind<T, 'histogram'>>(
    name: N,
    labels: LabelsIn<T, N>,
    value: number,
  ): void;
  set<N extends NamesOfKind<T, 'gauge'>>(name: N, labels: LabelsIn<T, N>, value: number): void;
}
