/** Search attributes of a namespace: registers missing ones, and never changes one. */
import type { Connection } from '@temporalio/client';
import protocol from '@temporalio/proto';
import type { SearchAttributesOutcome } from '#core/ports/installation-schedules.ts';

/** Types by name, as in `--search-attribute`. */
export const SEARCH_ATTRIBUTES = {
  Tenant: 'Keyword',
  Layers: 'KeywordList',
  Phase: 'Keyword',
  BudgetState: 'Keyword',
  PendingCount: 'Int',
} as const satisfies Readonly<Record<string, string>>;

/**
 * Registers missing attributes.
 * @throws the server's error
 */
export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
  attributes: Readonly<Record<string, string>>,
): Promise<SearchAttributesOutcome> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const types = typesByName();
  const missing: Record<string, number> = {};
  const conflicting: string[] = [];
  for (const [name, type] of Object.entries(attributes)) {
    const found: number | undefined = customAttributes[name];
    const declared = types[type] ?? 0;
    if (found === undefined) missing[name] = declared;
    else if (found !== declared) conflicting.push(`${name} is there, but not of type ${type}`);
  }
  const added = Object.keys(missing);
  if (added.length > 0) {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
  }
  return { added, conflicting };
}

function typesByName(): Readonly<Record<string, number>> {
  const { IndexedValueType } = protocol.temporal.api.enums.v1;
  return {
    Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
    Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  };
}
