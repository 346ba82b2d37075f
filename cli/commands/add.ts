/** `varve add`: adds one memory to a layer. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { MemoryAnswer } from '#api/schemas/memory.ts';
import { givenText, print } from '../memory-files/memory-file-options.ts';
import {
  identifiersFromOptions,
  layerFromOption,
  type LayerIds,
} from '../shared-command-options.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';

export type AddOptions = LayerIds & {
  readonly tenant: string;
  readonly layer?: string;
  readonly key?: string;
  readonly tag?: readonly string[];
  readonly at?: string;
  readonly json?: boolean;
};

/** @throws VarveError INVALID_INPUT, INVALID_LAYER, MISSING_IDENTIFIER, CONTENT_TOO_LONG */
export async function addCommand(
  config: Config,
  text: string | undefined,
  options: AddOptions,
): Promise<void> {
  const {
    tenant,
    user,
    layer = user === undefined ? 'project' : 'user',
    key,
    tag = [],
    at,
  } = options;
  const asked = checkedInput(OPERATIONS.memory.add, {
    tenant,
    layer: layerFromOption(layer),
    identifiers: identifiersFromOptions(options),
    content: await givenText(text, process.stdin),
    // Repeating the same command adds nothing.
    ...(key === undefined ? { deduplicate: 'Exact' } : { key }),
    tags: [...tag],
    at,
  });
  await using ordering = await openLibraryForCommand(config, { begins: true });
  const answer = await ordering.varve.memory.add(asked);
  print(answer, options.json === true ? null : addedText(answer));
}

function addedText({ memory, deduplicated }: MemoryAnswer): string {
  const { id, layer, scopeId, version } = memory;
  const scope = `${layer} ${scopeId}`;
  if (deduplicated) return `The ${scope} already has it, as ${id}; nothing was added.`;
  if (version > 1) return `Updated ${id} of the ${scope}.`;
  return `Added to the ${scope} as ${id}.`;
}
