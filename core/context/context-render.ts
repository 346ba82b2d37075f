/** Renders the text of an assembled context. A section without content gets no heading. */
import type { ContextInput, SummaryPart, WholePart } from './context-parts.ts';
import { oneLine } from '../text/lines.ts';
import { indented, pastLines, type PastPassage } from './past-turns.ts';
import type { Depth } from '../records/summary.ts';

/** The parts of the input to show, and the depth of each summary. */
export interface Selection {
  readonly sessionDepth: Depth | null;
  readonly hotTurns: readonly WholePart[];
  /** Most relevant first. */
  readonly related: readonly WholePart[];
  readonly past: readonly PastPassage[];
  /** Keyed by the id of the layer summary. */
  readonly layerDepths: ReadonlyMap<string, Depth>;
}

/**
 * Returns a predicate: whether a shown turn already says what a memory kept from a conversation
 * says. The turn also names the speaker and the day, so the memory would only waste room.
 */
export function saidInTurns({ hotTurns, past }: Selection): (part: WholePart) => boolean {
  const passages = past.toSorted((a, b) => a.place - b.place);
  const told = oneLine([...hotTurns, ...passages].map(({ text }) => text).join(' '));
  return ({ statement }) => statement !== undefined && told.includes(oneLine(statement));
}

/** Drops the oldest turn together with the results of the tools that it called. */
export function withoutOldest(hotTurns: readonly WholePart[]): readonly WholePart[] {
  const next = hotTurns.findIndex(({ isResult }, at) => at > 0 && isResult !== true);
  return next === -1 ? [] : hotTurns.slice(next);
}

export function renderContext(input: ContextInput, selection: Selection): string {
  const layers = layersInOrder(input).flatMap((part) => {
    const depth = selection.layerDepths.get(part.id);
    const shown = depth === undefined ? undefined : part.depths[depth];
    return shown === undefined ? [] : [`- ${part.layer}${warning(part)}: ${oneLine(shown.text)}`];
  });
  const { sessionDepth } = selection;
  const session = sessionDepth === null ? undefined : input.sessionSummary?.depths[sessionDepth];
  return [
    section('Instructions', [input.instructions]),
    section('Summaries', layers),
    section(
      `Session so far${warning(input.sessionSummary)}`,
      session === undefined ? [] : [paragraph(session.text)],
    ),
    section(
      'Latest turns',
      selection.hotTurns.map((turn) => `- ${indented(turn.text)}`),
    ),
    section('Earlier turns', pastLines(selection.past)),
    section(
      'Related',
      selection.related.map((part) => `- ${part.layer}: ${indented(part.text)}`),
    ),
    section('Question', [input.query]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Orders layers by precedence. `cacheStable` puts the layers that change least first. */
export function layersInOrder({ layout, layerSummaries }: ContextInput): readonly SummaryPart[] {
  return layout === 'cacheStable' ? layerSummaries.toReversed() : layerSummaries;
}

/** A stale summary is served with a warning until it is regenerated (SUM-20). */
function warning(part: SummaryPart | null): string {
  return part?.freshness.stale === true ? ' (may be outdated)' : '';
}

function section(heading: string, lines: readonly string[]): string {
  const body = lines.join('\n').trim();
  return body === '' ? '' : `## ${heading}\n${body}`;
}

/**
 * Indents text that has no list mark before it, so that a leading `#` does not become a heading.
 */
function paragraph(text: string): string {
  return oneLine(text).replace(/^#/u, '\\#');
}
