/** Resources of the MCP server: the summary of each layer, and MEMORY.md. */
import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { VarveError } from '#core/errors.ts';
import { isLayer, type Layer } from '#core/layer.ts';
import { subjectsOf } from '#core/subject.ts';
import { Depth, DEPTHS } from '#core/records/summary.ts';
import { shortenForMessage } from '../parse-input.ts';
import { boundScope, openLayers, type Bound } from './server-binding.ts';

const MARKDOWN = 'text/markdown';
const SUMMARY = 'varve://summary/{layer}/{depth}';
const MEMORY_FILE = 'varve://memory-file/{subject}';
const DEPTH_LISTED: Depth = 'paragraph';

/**
 * Adds the resources to a server.
 * @param protocolErrors converts a failure into a protocol error
 */
export function addResources(
  server: McpServer,
  bound: Bound,
  protocolErrors: <T>(call: () => Promise<T>) => Promise<T>,
): void {
  const { binding, calls } = bound;
  const layers = openLayers(binding);
  server.registerResource(
    'summary',
    new ResourceTemplate(SUMMARY, {
      list: () => protocolErrors(() => listedSummaries(bound)),
      complete: namesAlone({
        layer: (begun: string) => completed(layers, begun),
        depth: (begun: string) => completed(DEPTHS, begun),
      }),
    }),
    {
      title: 'Summary of a layer',
      description: 'What is known in one layer, in a sentence, a paragraph or in detail.',
      mimeType: MARKDOWN,
    },
    (uri, { layer, depth }) =>
      protocolErrors(async () => {
        const asked = { layer: layerOf(layer, layers), depth: depthOf(depth) };
        const found = await calls.summary.get({ ...boundScope(binding), ...asked });
        if (found === null) throw notThere('summary', uri);
        return markdown(uri, found.text);
      }),
  );
  const subjects = subjectsOf(binding.identifiers);
  if (subjects.length === 0) return;
  server.registerResource(
    'memory-file',
    new ResourceTemplate(MEMORY_FILE, {
      list: () => protocolErrors(() => listedFiles(bound)),
      complete: namesAlone({
        subject: (begun: string) =>
          completed(
            subjects.map(({ kind }) => kind),
            begun,
          ),
      }),
    }),
    {
      title: 'MEMORY.md',
      description: 'The long-term memory of the user or the agent, as dreams and people wrote it.',
      mimeType: MARKDOWN,
    },
    (uri, { subject: asked }) =>
      protocolErrors(async () => {
        const subject = subjects.find(({ kind }) => kind === asked);
        const { tenant } = binding;
        const file = subject === undefined ? null : await calls.document.get({ tenant, subject });
        if (file === null) throw notThere('MEMORY.md', uri);
        return markdown(uri, file.text);
      }),
  );
}

async function listedSummaries({ calls, binding }: Bound) {
  const { summaries } = await calls.summary.list(boundScope(binding));
  const made = summaries.filter(({ summary }) => summary !== null);
  return {
    resources: made.map(({ scope: { layer } }) => ({
      uri: `varve://summary/${layer}/${DEPTH_LISTED}`,
      name: `summary of the ${layer} layer`,
      mimeType: MARKDOWN,
    })),
  };
}

async function listedFiles({ calls, binding }: Bound) {
  const { tenant } = binding;
  const files = await Promise.all(
    subjectsOf(binding.identifiers).map(async (subject) => ({
      subject,
      file: await calls.document.get({ tenant, subject }),
    })),
  );
  const there = files.filter(({ file }) => file !== null);
  return {
    resources: there.map(({ subject: { kind } }) => ({
      uri: `varve://memory-file/${kind}`,
      name: `MEMORY.md of the ${kind}`,
      mimeType: MARKDOWN,
    })),
  };
}

function layerOf(text: unknown, layers: readonly Layer[]): Layer {
  if (isLayer(text) && layers.includes(text)) return text;
  const message = `The layer of a summary is one of ${layers.join(', ')}, not ${shown(text)}.`;
  throw new VarveError('INVALID_LAYER', message, { details: { layers } });
}

/** Shortens what was asked for, so that it fits into a message. */
function shown(text: unknown): string {
  return JSON.stringify(shortenForMessage(String(text)));
}

function depthOf(text: unknown): Depth {
  const parsed = Depth.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new VarveError(
    'INVALID_INPUT',
    `The depth is one of ${DEPTHS.join(', ')}, not ${shown(text)}.`,
  );
}

function notThere(what: string, uri: URL): VarveError {
  return new VarveError('NOT_FOUND', `There is no ${what} at ${uri.href} yet.`);
}

function markdown(uri: URL, text: string): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: MARKDOWN, text }] };
}

/** Returns a copy that inherits nothing, since the SDK looks up names that a caller sends. */
function namesAlone<T extends object>(named: T): T {
  return Object.assign<object, T>(Object.create(null) as object, named);
}

function completed(words: readonly string[], begun: string): string[] {
  return words.filter((word) => word.startsWith(begun));
}
