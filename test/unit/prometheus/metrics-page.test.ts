/** docs/operating/metrics.md names every metric. */
import { expect, test } from 'vitest';
import { METRICS } from '#core/metrics/metric-definitions.ts';
import { OPERATOR_METRICS } from '#core/metrics/operator-metric-definitions.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const { text } = readProjectFile('docs/operating/metrics.md');

test.each(Object.keys({ ...METRICS, ...OPERATOR_METRICS }))(
  'a person finds %s on the page about metrics',
  (name) => {
    expect(text).toContain(`\`${name}\``);
  },
);
