/** Reads some series of a metrics page. */
import type { MetricsPage } from '#core/ports/metrics.ts';

const LEFT_OUT = /_bucket\{|_total(?:\{[^}]*\})? 0$/u;

/**
 * Values by series, as `name{labels}`, of the metrics whose names begin so; buckets and counters
 * that have counted nothing are left out.
 */
export async function seriesOf(
  page: MetricsPage | null,
  ...names: readonly string[]
): Promise<Readonly<Record<string, number>>> {
  const lines = ((await page?.render()) ?? '').split('\n');
  const wanted = lines.filter(
    (line) => names.some((name) => line.startsWith(name)) && !LEFT_OUT.test(line),
  );
  return Object.fromEntries(
    wanted.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
