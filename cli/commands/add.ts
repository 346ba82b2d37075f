/** `varve add`: adds one memory to a layer. */
import { OPERATIONS } from '#api/operations/table.ts';
import type { MemoryAnswer } from '#api/schemas/memory.ts';
import { givenText, print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { layerFromOption, type LayerIds } from '../shared-command-options.ts';
import type { Config } from '../config.ts';
import { answerTo, inputFromOptions } from '../operation-input.ts';

type AddOptions = TenantOptions &
  LayerIds & { readonly layer?: string; readonly key?: string; readonly tag?: readonly string[] };

/** @throws VarveError INVALID_INPUT, INVALID_LAYER, MISSING_IDENTIFIER, CONTENT_TOO_LONG */
export async function addCommand(
  config: Config,
  text: string | undefined,
  options: AddOptions,
): Promise<void> {
  const { user, layer = user === undefined ? 'project' : 'user', key, tag = [] } = options;
  const asked = inputFromOptions(OPERATIONS.memory.add, options, {
    layer: layerFromOption(layer),
    content: await givenText(text, process.stdin),
    // Repeating the same command adds nothing.
    ...(key === undefined ? { deduplicate: 'Exact' } : {}),
    tags: [...tag],
  });
  const answer = await answerTo(config, OPERATIONS.memory.add, asked, { begins: true });
  print(answer, options.json === true ? null : addedText(answer));
}

function addedText({ memory, deduplicated }: MemoryAnswer): string {
  const { id, layer, scopeId, version } = memory;
  const scope = `${layer} ${scopeId}`;
  if (deduplicated) return `The ${scope} already has it, as ${id}; nothing was added.`;
  if (version > 1) return `Updated ${id} of the ${scope}.`;
  return `Added to the ${scope} as ${id}.`;
}
