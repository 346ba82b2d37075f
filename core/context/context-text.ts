/** Renders the text of an assembled context. A section without content gets no heading. */
import {
  byRelevance,
  type ContextInput,
  type PartSentence,
  type PartText,
  type SummaryPart,
  type WholePart,
  withTexts,
} from './context-parts.ts';
import { once } from '../once.ts';
import { dependsOnPrevious } from '../text/dependent-sentence.ts';
import { joinIntoLines, joinSentences } from '../text/joined-sentences.ts';
import { oneLine } from '../text/lines.ts';
import { withoutHiddenCharacters } from '../text/hidden-characters.ts';
import { sentencesIn } from '../text/sentences.ts';
import { saysNothing } from '../text/small-talk.ts';
import { containsWholeWords } from '../text/whole-words.ts';
import { entryOf, pastTurnLines, type PastPassage } from './past-turns.ts';
import { strongestOf } from '../extraction/compare-with-known.ts';
import { markOf, withoutOutdatedMark } from './outdated-mark.ts';
import { leastTrust } from '../trust.ts';
import type { Depth } from '../records/summary.ts';
import { sinceThenText } from '../refresh/unsummarized-sources.ts';
import { withoutSourceDate } from '../sources/source.ts';

/** Returns the tokens of the text of a selection. */
export type Measure = (selection: Selection) => number;

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
 * Returns a predicate: whether a shown turn already contains a memory that was kept from a
 * conversation. The turn also names the speaker and the day, so the memory would only waste room.
 */
export function saidInTurns({ hotTurns, past }: Selection): (part: WholePart) => boolean {
  const spoken = once(() => {
    const passages = past.toSorted((a, b) => a.place - b.place);
    return oneLine([...hotTurns, ...passages].map(({ text }) => text).join(' '));
  });
  return ({ statement }) =>
    statement !== undefined && containsWholeWords(spoken(), wordsOf(oneLine(statement)));
}

/**
 * Returns a predicate: whether a summary already contains a memory, in a sentence that stays in the
 * text. Such sentences are those that are newer than the summary, and all of a stable layout. A
 * memory that fits the question takes the place of other sentences; one that is far from it does
 * not.
 */
function saidInSummaries(
  { layout, layerSummaries }: Pick<ContextInput, 'layout' | 'layerSummaries'>,
  { layerDepths }: Pick<Selection, 'layerDepths'>,
): (part: WholePart) => boolean {
  const shown = layerSummaries.flatMap(({ id, depths }) => {
    const depth = layerDepths.get(id);
    return depth === undefined ? [] : (depths[depth]?.sentences ?? []);
  });
  const staying = shown.filter(({ sinceThen }) => sinceThen || layout === 'cacheStable');
  return ({ id, text, isFar = false }) => {
    const words = wordsOf(oneLine(text));
    return (isFar ? shown : staying).some(
      (each) => each.sources.includes(id) && containsWholeWords(oneLine(each.text), words),
    );
  };
}

/** Returns a predicate: whether a memory would only repeat what is already in the text. */
export function isSaid(
  input: Pick<ContextInput, 'layout' | 'layerSummaries'>,
  selection: Selection,
): (part: WholePart) => boolean {
  const inTurns = saidInTurns(selection);
  const inSummaries = saidInSummaries(input, selection);
  // A newer memory is shown so that the older one beside it can be marked.
  const marking = new Set(selection.related.flatMap(({ outdatedBy = [] }) => outdatedBy));
  return (part) =>
    part.isOfRankedTurn === true || inTurns(part) || (!marking.has(part.id) && inSummaries(part));
}

/**
 * Returns the passages of earlier turns, and of latest turns that are not shown, which the shown
 * session summary does not contain in the same words, but for courtesies ("Good morning.").
 */
export function beyondSession(input: ContextInput, selection: Selection): readonly PastPassage[] {
  const { sessionDepth, hotTurns } = selection;
  const shown = new Set(hotTurns.map(({ id }) => id));
  const pastTurns = input.pastTurns.filter(
    ({ isOfLatest = false, turnId }) => !isOfLatest || !shown.has(turnId),
  );
  if (sessionDepth === null) return pastTurns;
  const sentences = sessionPart(input, hotTurns)?.depths[sessionDepth]?.sentences ?? [];
  if (sentences.length === 0) return pastTurns;
  const bySource = new Map<string, string[]>();
  for (const { text, sources } of sentences) {
    for (const id of sources) bySource.set(id, [...(bySource.get(id) ?? []), oneLine(text)]);
  }
  return pastTurns.filter(({ turnId, text }) => {
    const said = bySource.get(turnId)?.join(' ');
    if (said === undefined) return true;
    const telling = sentencesIn(text).filter((sentence) => !saysNothing(sentence));
    return !telling.every((sentence) => said.includes(wordsOf(oneLine(sentence))));
  });
}

/** Returns the selection with one more memory; null if one would be shown without its newer one. */
export function withRelated(selection: Selection, part: WholePart): Selection | null {
  const related = [...selection.related, part].toSorted(byRelevance);
  return withoutOutdated(related).length < related.length ? null : { ...selection, related };
}

/** Drops outdated memories whose newer ones are not shown, so that none misleads. */
export function withoutOutdated(related: readonly WholePart[]): readonly WholePart[] {
  const shown = new Set(related.map(({ id }) => id));
  return related.filter(
    ({ outdatedBy = [] }) => outdatedBy.length === 0 || outdatedBy.some((id) => shown.has(id)),
  );
}

/** Returns the session summary without the sentences that rest only on shown turns. */
export function sessionPart(
  { sessionSummary }: Pick<ContextInput, 'sessionSummary'>,
  hotTurns: readonly WholePart[],
): SummaryPart | null {
  if (sessionSummary === null) return null;
  const shown = new Set(hotTurns.map(({ id }) => id));
  const isShown = ({ sources }: PartSentence): boolean =>
    sources.length > 0 && sources.every((id) => shown.has(id));
  return withTexts(sessionSummary, (text) => withoutSaid(text, isShown));
}

/**
 * Returns a layer summary without the sentences that shown turns and memories say in the same
 * words, where they have their day and what was said later beside them. A stable layout keeps its
 * bytes.
 */
export function layerPart(
  { layout }: Pick<ContextInput, 'layout'>,
  part: SummaryPart,
  { past, hotTurns, related }: Pick<Selection, 'past' | 'hotTurns' | 'related'>,
): SummaryPart {
  if (layout === 'cacheStable') return part;
  const isShown = ({ text, sinceThen }: PartSentence): boolean => {
    if (sinceThen) return false;
    const said = wordsOf(withoutOutdatedMark(text));
    return [...past, ...hotTurns, ...related].some((other) => containsWholeWords(other.text, said));
  };
  return withTexts(part, (text) => withoutSaid(text, isShown));
}

/** Returns a text without the day that extraction adds and without its period. */
function wordsOf(text: string): string {
  return withoutSourceDate(text).replace(/[.。]$/u, '');
}

/**
 * Drops sentences that are said elsewhere, except before a kept sentence that depends on them. A
 * day alone stays with the sentence before it.
 */
function withoutSaid(
  part: PartText,
  isSaidElsewhere: (sentence: PartSentence) => boolean,
): PartText | undefined {
  const kept: PartSentence[] = [];
  const days: PartSentence[] = [];
  for (const sentence of part.sentences.toReversed()) {
    if (wordsOf(sentence.text) === '') {
      days.push(sentence);
      continue;
    }
    const next = kept.at(-1);
    const isNeeded = next !== undefined && dependsOnPrevious(next.text);
    if (isNeeded || !isSaidElsewhere(sentence)) kept.push(...days, sentence);
    days.length = 0;
  }
  if (kept.length === part.sentences.length) return part;
  return kept.length === 0 ? undefined : partTextOf(kept.toReversed());
}

/** Returns the text of sentences as a summary shows them, with their sources. */
export function partTextOf(sentences: readonly PartSentence[]): PartText {
  const news = sentences.filter((each) => each.sinceThen);
  const kept = joinSentences(sentences.filter((each) => !each.sinceThen).map(({ text }) => text));
  return {
    text: [kept, sinceThenText(kept, news)].filter((text) => text !== '').join(' '),
    sources: [...new Set(sentences.flatMap((each) => each.sources))],
    trust: leastTrust(sentences.map((each) => each.trust)),
    sinceThen: news.flatMap((each) => each.sources),
    sentences,
  };
}

/** Drops the oldest turn together with the results of the tools that it called. */
export function withoutOldest(hotTurns: readonly WholePart[]): readonly WholePart[] {
  const next = hotTurns.findIndex(({ isResult }, at) => at > 0 && isResult !== true);
  return next === -1 ? [] : hotTurns.slice(next);
}

export function renderContext(input: ContextInput, selection: Selection): string {
  const layers = layersInOrder(input).flatMap((part) => {
    const depth = selection.layerDepths.get(part.id);
    const shown = depth === undefined ? undefined : layerPart(input, part, selection).depths[depth];
    return shown === undefined ? [] : [`- ${part.layer}${warning(part)}: ${oneLine(shown.text)}`];
  });
  const { sessionDepth } = selection;
  const session =
    sessionDepth === null
      ? undefined
      : sessionPart(input, selection.hotTurns)?.depths[sessionDepth];
  const related = new Set(selection.related.map(({ id }) => id));
  const text = [
    section('Instructions', [input.instructions]),
    section('Summaries', layers),
    section(
      `Session so far${warning(input.sessionSummary)}`,
      session === undefined ? [] : sessionLines(session),
    ),
    section(
      'Latest turns',
      selection.hotTurns.map((turn) => noHeading(entryOf('', turn.text))),
    ),
    section('Earlier turns', pastTurnLines(selection.past)),
    section(
      'Related',
      selection.related.map((part) => {
        const { layer, text, outdatedBy = [], newerIn = [] } = part;
        const isOutdated = outdatedBy.some((id) => related.has(id));
        const byMemories = !isOutdated ? 'None' : part.isOutdatedInPart === true ? 'Some' : 'All';
        const ended = strongestOf([byMemories, part.endedByUser ?? 'None']);
        const mark = markOf({ ended, newerIn });
        return entryOf(`- ${layer}: `, text, mark);
      }),
    ),
    section('Question', [noHeading(entryOf('', input.query))]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  return withoutHiddenCharacters(text);
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
 * Escapes a leading `#` of text without a list mark, so that it does not become a heading.
 */
function noHeading(text: string): string {
  return text.replace(/^#/u, '\\#');
}

/**
 * Returns a line for each run of sentences by one speaker, and one for what is newer; one line for
 * a text that names no speakers.
 */
function sessionLines({ text, sentences }: PartText): readonly string[] {
  if (partTextOf(sentences).text !== text) return [paragraph(text)];
  const kept = sentences.filter((each) => !each.sinceThen).map((each) => each.text);
  const news = sentences.filter((each) => each.sinceThen);
  const lines = [...joinIntoLines(kept), sinceThenText(joinSentences(kept), news)];
  return lines.filter((line) => line !== '').map(paragraph);
}

function paragraph(text: string): string {
  return noHeading(oneLine(text));
}
