/** A raw object parsed by its schema, or what a person must fix in it. */
import type { z } from 'zod';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Problem } from './problem-report.ts';
import { checkDocument } from './schema-problems.ts';

/** Problems named in a condition; further ones are counted. */
const PROBLEMS_NAMED_MAX = 5;
/** A condition may have 32 KiB of message; people read a few lines. */
const REPORT_LENGTH_MAX = 1_500;
const NOWHERE = { line: 0, column: 0 };

export type Reading<T> =
  | { readonly kind: 'Valid'; readonly resource: T }
  | { readonly kind: 'Invalid'; readonly report: string };

/**
 * Checks what the server let through: its schema may be of another version than this program.
 * What the server adds to a resource, such as its uid and status, is no part of what is checked.
 */
export function readObject<T extends z.ZodType>(
  object: KubernetesObject,
  schema: T,
): Reading<z.output<T>> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, labels, annotations } = metadata;
  const written = Object.fromEntries(
    Object.entries({ name, namespace, labels, annotations }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const spec: unknown = object['spec'];
  const value = { apiVersion, kind, metadata: written, ...(spec === undefined ? {} : { spec }) };
  const document = { file: kind, value, placeOf: () => NOWHERE, placeOfKey: () => NOWHERE };
  const checked = checkDocument(document, schema);
  if ('resource' in checked) return { kind: 'Valid', resource: checked.resource };
  return { kind: 'Invalid', report: reportOf(checked.problems) };
}

function reportOf(problems: readonly Problem[]): string {
  const named = problems.slice(0, PROBLEMS_NAMED_MAX).map(sentenceOf);
  const more = problems.length - named.length;
  const text = [...named, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
  return text.length <= REPORT_LENGTH_MAX ? text : `${text.slice(0, REPORT_LENGTH_MAX)}…`;
}

function sentenceOf({ path, expected, found }: Problem): string {
  return `${path === '' ? 'The resource' : path}: expected ${expected}, found ${found}.`;
}
