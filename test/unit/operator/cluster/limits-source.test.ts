/** What the operator knows of the platform's limits, whatever becomes of their ConfigMap. */
import { describe, expect, test } from 'vitest';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { LIMITS_AGE_MS_MAX, LimitsSource } from '#operator/cluster/limits-source.ts';
import { stillPlatform } from '../policy-store.ts';
import { virtualTime } from '../virtual-time.ts';

type Data = Readonly<Record<string, string>>;
type Answer = Data | ErrorCode | null;

const HOURLY = { leastInterval: '1h' };
const LIMITS = { ...NO_LIMITS, leastIntervalMs: 3_600_000 };
const WRONG = { leastInterval: 'soon' };

function fixture(first: Answer) {
  const messages: string[] = [];
  const time = virtualTime();
  const asked: string[] = [];
  const gauges: number[] = [];
  const state = { answer: first };
  const source = new LimitsSource({
    api: {
      get: async (type, { namespace, name }): Promise<KubernetesObject | null> => {
        asked.push(`${type.plural} ${String(namespace)}/${name}`);
        const { answer } = state;
        if (answer === null) return null;
        if (typeof answer === 'string') throw new VarveError(answer, 'It says no.');
        return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: answer };
      },
    },
    releaseNamespace: 'varve',
    timers: time.timers(),
    log: stillPlatform(messages).log,
    metrics: { set: (_, __, value) => void gauges.push(value) },
  });
  const later = async (answer: Answer) => {
    state.answer = answer;
    await time.pass(LIMITS_AGE_MS_MAX);
    return source.known();
  };
  return { source, later, asked, gauges, messages, time };
}

describe('the platform’s limits as the operator knows them', () => {
  test('they are read by name where the release is, once for all who ask', async () => {
    const { source, asked, gauges } = fixture(HOURLY);
    const all = await Promise.all([source.known(), source.known(), source.known()]);
    expect(new Set(all.map((known) => JSON.stringify(known))).size).toBe(1);
    expect(all[0]).toEqual({ kind: 'Known', limits: LIMITS });
    expect(asked).toEqual(['configmaps varve/varve-platform-limits']);
    expect(gauges).toEqual([0]);
  });

  test('a change is known half a minute later, and at once where all is looked at', async () => {
    const { source, later, asked, time } = fixture(HOURLY);
    await source.known();
    await time.pass(LIMITS_AGE_MS_MAX - 1);
    await source.known();
    expect(asked).toHaveLength(1);
    expect(await later({ leastInterval: '2h' })).toMatchObject({
      limits: { leastIntervalMs: 7_200_000 },
    });
    source.expire();
    await source.known();
    expect(asked).toHaveLength(3);
  });

  test('without the ConfigMap, and once it is gone, nothing is limited', async () => {
    expect(await fixture(null).source.known()).toEqual({ kind: 'Known', limits: NO_LIMITS });
    const { source, later } = fixture(HOURLY);
    await source.known();
    expect(await later(null)).toEqual({ kind: 'Known', limits: NO_LIMITS });
  });

  test.each<[string, Answer]>([
    ['is wrong', WRONG],
    ['may not be read', 'FORBIDDEN'],
    ['cannot be read', 'PROVIDER_ERROR'],
  ])('one that %s leaves the last good limits, told once', async (_, answer) => {
    const { source, later, gauges, messages } = fixture(HOURLY);
    await source.known();
    expect(await later(answer)).toEqual({ kind: 'Known', limits: LIMITS });
    expect(await later(answer)).toEqual({ kind: 'Known', limits: LIMITS });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^The platform's limits cannot be read\. .* stay in force\.$/u);
    expect(gauges).toEqual([0, 1, 1]);
    await later({ leastInterval: '2h' });
    expect(messages.at(-1)).toBe("The platform's limits are read again.");
    expect(gauges.at(-1)).toBe(0);
  });

  test.each<[Answer, string]>([
    [
      WRONG,
      'The key leastInterval of the ConfigMap varve-platform-limits is not a duration such as 30m.',
    ],
    [
      'FORBIDDEN',
      'The operator may not get the ConfigMap varve-platform-limits in the namespace varve; ' +
        'its Role has to allow that.',
    ],
  ])('where none were ever known, nobody is told that there are none', async (answer, problem) => {
    const { source, later } = fixture(answer);
    expect(await source.known()).toEqual({ kind: 'Unknown', problem });
    expect(await later(HOURLY)).toEqual({ kind: 'Known', limits: LIMITS });
  });

  test('a server that does not answer at first is asked again', async () => {
    const { source, asked } = fixture('PROVIDER_ERROR');
    await expect(source.known()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    await expect(source.known()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    expect(asked).toHaveLength(2);
  });
});
