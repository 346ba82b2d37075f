/** When Varve traces, and where to: the variables of the OpenTelemetry standard. */
import { describe, expect, test } from 'vitest';
import { tracingSettingsOf } from '#cli/tracing-settings.ts';
import { thrownBy } from '#test/unit/failures.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
const settings = (environment: Readonly<Record<string, string>>) =>
  tracingSettingsOf(environment, 'varve-api');

describe('tracing settings', () => {
  test.each([
    ['nothing is set', {}],
    ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['only a name is set', { OTEL_SERVICE_NAME: 'mine' }],
    ['the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    ['there is no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ])('trace nothing if %s', (_when, environment) => {
    expect(settings(environment)).toBeNull();
  });

  test('trace everything if an endpoint is set, under the name of the part', () => {
    expect(settings(ENDPOINT)).toEqual({
      url: 'http://collector:4318/v1/traces',
      serviceName: 'varve-api',
      attributes: {},
      ratio: 1,
      isParentHeeded: true,
      queueMax: 2048,
      batchMax: 512,
      delayMs: 5000,
      requestMs: 5000,
      exportMs: 30_000,
    });
  });

  test('use the traces endpoint, names and limits as they are set', () => {
    const environment = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otlp',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other, k8s.pod.name=varve%2D1',
      OTEL_SERVICE_NAME: 'memory',
      OTEL_BSP_MAX_QUEUE_SIZE: '7',
    };
    expect(settings(environment)).toMatchObject({
      url: 'https://traces.example/otlp',
      serviceName: 'memory',
      attributes: { 'k8s.pod.name': 'varve-1' },
      queueMax: 7,
    });
  });

  test.each([
    ['always_on', 1, false],
    ['always_off', 0, false],
    ['traceidratio', 0.25, false],
    ['parentbased_always_on', 1, true],
    ['parentbased_always_off', 0, true],
    ['parentbased_traceidratio', 0.25, true],
  ])('map the sampler %s to a ratio of %d', (sampler, ratio, isParentHeeded) => {
    const environment = {
      ...ENDPOINT,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: '.25',
    };
    expect(settings(environment)).toMatchObject({ ratio, isParentHeeded });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'http or https address'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf, http/json'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', '1'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'no pairs', 'name=value'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', '1'],
  ])('%s refuses %s, and the error says what it takes', (variable, value, expected) => {
    const failure = thrownBy(() => settings({ ...ENDPOINT, [variable]: value }));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toContain(variable);
    expect(failure.message).toContain(expected);
  });
});
