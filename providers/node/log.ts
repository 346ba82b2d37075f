/** The structured log: one JSON object per line, by pino. */
import { pino } from 'pino';
import type { Log } from '#core/ports/platform.ts';
import { spanFields } from './active-span.ts';

export interface LogOptions {
  /** Minimum level that is written. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Where lines go: a stream, a file, an array in a test. */
  readonly destination: { write(line: string): unknown };
}

/**
 * Fields that may hold memory text or a secret. Callers do not log them; this is a second line of
 * defense for fields nested in something that they do log.
 */
const REDACTED_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'text',
  'secret',
  'token',
  'key',
  'authorization',
]);
const REDACTED = '[redacted]';
/** Deeper fields are left out, which bounds the work on a line. */
const DEPTH_MAX = 6;

/** Creates a log of JSON lines with time, level, fields and message. */
export function createLog({ level, destination }: LogOptions): Log {
  const logger = pino(
    {
      level,
      // Whatever collects the lines knows the process id and host name.
      base: null,
      mixin: spanFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactedFields(fields, DEPTH_MAX),
      },
      // Errors are described above, including nested ones; pino's serializer would do it twice.
      serializers: { err: (described: unknown) => described },
    },
    { write: (line: string) => void destination.write(line) },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function redactedFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      REDACTED_FIELDS.has(name.toLowerCase()) ? REDACTED : redacted(value, depth - 1),
    ]),
  );
}

function redacted(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describedError(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth <= 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth - 1));
  return redactedFields(value, depth);
}

/** An error with its fields and its cause. */
function describedError(error: Error, depth: number): unknown {
  if (depth <= 0) return '[deeper]';
  const { name, message, stack, cause } = error;
  // Name, message, stack and cause are not enumerable; the listed fields are those added to it.
  const described = { ...redactedFields(error, depth), name, message, stack };
  return cause === undefined ? described : { ...described, cause: redacted(cause, depth - 1) };
}
