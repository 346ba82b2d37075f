/** Whom an MCP server speaks for: fixed by who starts it, never by the model that calls it. */
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { ServedLibrary } from '../calls/library.generated.ts';
import { parseInput } from '../parse-input.ts';
import { GivenIdentifiers } from '../schemas/shared-fields.ts';

export interface Binding {
  readonly tenant: string;
  /** Every call has these; a model cannot replace them. */
  readonly identifiers: Identifiers;
  /** Whether the model may name identifiers that are not fixed. */
  readonly isOpen: boolean;
}

/** What the tools, resources and prompts of one server call, and whom they speak for. */
export interface Bound {
  readonly calls: ServedLibrary;
  readonly binding: Binding;
}

export interface BoundScope {
  readonly tenant: string;
  readonly identifiers: Identifiers;
}

/** Layers that the hierarchy derives from a project. */
const DERIVED: ReadonlySet<Layer> = new Set(['team', 'org', 'company']);
/** The layers for a memory that names none: the first open one is used. */
const HOMES: readonly Layer[] = ['user', 'agent', 'project', 'session', 'team', 'org', 'company'];

/**
 * Returns the binding.
 * @throws VarveError INVALID_INPUT if calls could name no layer at all, and for an identifier that
 * no call would take
 */
export function checkBinding(binding: Binding): Binding {
  parseInput(GivenIdentifiers, binding.identifiers);
  if (binding.isOpen || openLayers(binding).length > 0) return binding;
  throw new VarveError(
    'INVALID_INPUT',
    'No identifier is fixed, so no layer is open. Fix at least one, such as the user (userId=ann ' +
      'in the address, --user ann of varve mcp), or let the model name them (open=true, --open).',
  );
}

/** Layers that calls may name, the more specific first. */
export function openLayers({ identifiers, isOpen }: Binding): readonly Layer[] {
  const isNamed = (layer: Layer) => identifiers[IDENTIFIER_OF[layer]] !== undefined;
  const isDerived = (layer: Layer) =>
    DERIVED.has(layer) && ['project', 'team', 'org'].some((each) => isNamed(each as Layer));
  return LAYERS.filter((layer) => isOpen || isNamed(layer) || isDerived(layer));
}

/** Returns the layer for a memory that names none. */
export function homeLayer(scope: Pick<BoundScope, 'identifiers'>): Layer {
  const named = HOMES.find((layer) => scope.identifiers[IDENTIFIER_OF[layer]] !== undefined);
  if (named !== undefined) return named;
  const message = 'Name identifiers, such as {"userId": "ann"}: no layer is open without one.';
  throw new VarveError('MISSING_IDENTIFIER', message);
}

/**
 * Returns the identifiers of a call: the fixed ones, and those that the model named beside them.
 * @throws VarveError FORBIDDEN if it named another value of a fixed one
 */
export function boundScope(
  { tenant, identifiers, isOpen }: Binding,
  named: Identifiers = {},
): BoundScope {
  for (const [name, value] of Object.entries(named) as [keyof Identifiers, string][]) {
    const fixed = identifiers[name];
    if (fixed === value || (isOpen && fixed === undefined)) continue;
    const message = `This server may not speak for that ${name}. Leave ${name} out.`;
    throw new VarveError('FORBIDDEN', message, { details: { identifier: name } });
  }
  return { tenant, identifiers: { ...named, ...identifiers } };
}

interface Placed {
  readonly layer: Layer;
  readonly scopeId: string;
}

/**
 * Returns a check whether a record found by its id is where this server may read and write. Any
 * other record must look as if it did not exist.
 */
export async function createBindingCheck({
  calls,
  binding,
}: Bound): Promise<(record: Placed) => boolean> {
  const { identifiers, isOpen } = binding;
  const { summaries } = isOpen ? { summaries: [] } : await calls.summary.list(boundScope(binding));
  return ({ layer, scopeId }) => {
    const fixed = identifiers[IDENTIFIER_OF[layer]];
    if (fixed !== undefined || isOpen) return fixed === undefined || fixed === scopeId;
    return summaries.some(({ scope }) => scope.layer === layer && scope.scopeId === scopeId);
  };
}
