/** `varve search`: finds memories that fit a question, and shows how well. */
import { SILENT_LOG } from '#core/ports/platform.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { AskedSearch, SearchAnswer, ShownHit } from '#api/schemas/search.ts';
import { markOfHit } from '#core/context/outdated-mark.ts';
import { VarveError } from '#core/errors.ts';
import type { Filter } from '#core/search/filter.ts';
import { holdsFrom, isUpcoming } from '#core/sources/source.ts';
import { dayTextOf } from '#core/text/day.ts';
import { oneLine } from '#core/text/lines.ts';
import { nothingFoundText } from '../nothing-found-text.ts';
import { renderTable, count, dim } from '../terminal-text.ts';
import { layerFromOption, type LayerIds } from '../shared-command-options.ts';
import { requireStore } from '../open-library-for-command.ts';
import { openVarve } from '../open-varve.ts';
import { LOCAL_OFFER } from '../model-settings.ts';
import type { PartsSettings } from '../store-and-model-settings.ts';
import type { Config } from '../config.ts';
import { inputFromOptions } from '../operation-input.ts';

type SearchOptions = TenantOptions &
  LayerIds & {
    readonly layer?: readonly string[];
    readonly source?: readonly string[];
    readonly tag?: readonly string[];
    readonly filter?: string;
  };

export async function searchCommand(
  config: Config,
  question: string,
  options: SearchOptions,
): Promise<void> {
  const asked = searchOf(question, options);
  await requireStore(config);
  const { dataDir, settings } = config;
  await using varve = await openVarve({ dataDir, settings, log: SILENT_LOG });
  const answer = await varve.memory.search(asked);
  const place = { ...config.settings, ...asked };
  print(answer, options.json === true ? null : renderAnswer(answer, place));
}

/** @throws VarveError INVALID_INPUT naming the wrong option */
function searchOf(query: string, options: SearchOptions): AskedSearch {
  const { layer, source, tag, filter } = options;
  return inputFromOptions(OPERATIONS.memory.search, options, {
    query,
    layers: layer?.map(layerFromOption),
    ...(source === undefined ? {} : { sources: sourcesOf(source) }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(filter === undefined ? {} : { filter: filterOf(filter) }),
  });
}

const SOURCES = ['memory', 'turn', 'line'] as const;

/** @throws VarveError INVALID_INPUT naming the unknown word */
function sourcesOf(words: readonly string[]): (typeof SOURCES)[number][] {
  return words.map((word) => {
    const known = SOURCES.find((source) => source === word);
    if (known !== undefined) return known;
    const message = `--source takes ${SOURCES.join(', ')}, not "${word}".`;
    throw new VarveError('INVALID_INPUT', message);
  });
}

/** Only parses the JSON; its meaning is checked with the rest of the input. */
function filterOf(text: string): Filter {
  try {
    return JSON.parse(text) as Filter;
  } catch (cause) {
    const message = `--filter takes JSON, such as '{"field":"priority","gte":3}'.`;
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

function renderAnswer(
  answer: SearchAnswer,
  {
    embedding,
    local,
    tenant,
    explain = false,
  }: PartsSettings & Pick<AskedSearch, 'tenant' | 'explain'>,
): string {
  const isByWords = embedding === undefined && local === undefined;
  const { hits, searchedLayers, skippedLayers, duplicates, paths } = answer;
  const skipped = skippedLayers.length === 0 ? '' : `; not open: ${skippedLayers.join(', ')}`;
  const lines = [
    hits.length === 0 ? nothingFoundText(answer, tenant) : hitTable(hits, explain),
    ...(hits.length === 0 && isByWords ? [`Only words were compared. ${LOCAL_OFFER}.`] : []),
    ...(duplicates.length === 0 ? [] : [`${count(duplicates.length, 'duplicate')} left out.`]),
    ...(answer.degradedReason === null ? [] : [answer.degradedReason]),
    ...paths.map(({ layer, path, compared }) => `${layer}: ${String(compared)} compared (${path})`),
    dim(`searched: ${searchedLayers.join(', ') || 'nothing'}${skipped}`),
  ];
  return lines.join('\n');
}

function hitTable(hits: readonly ShownHit[], explain: boolean): string {
  const head = ['score', 'layer', ...(explain ? ['meaning', 'words'] : []), 'id', 'what'];
  return renderTable(
    head,
    hits.map(({ score, id, layer, explanation, conflictsWith, ...hit }) => [
      score.toFixed(2),
      layer,
      ...(explain ? [figure(explanation?.semanticScore), figure(explanation?.keywordScore)] : []),
      id,
      `${conflictsWith.length === 0 ? '' : '(differs) '}${oneLine(saidIn(hit))}` + markOfHit(hit),
    ]),
  );
}

/** Adds day and speaker to a turn, the file to a line, and the day to a memory that is to come. */
function saidIn({
  text,
  turn,
  line,
  ...said
}: Pick<ShownHit, 'text' | 'at' | 'utcOffset' | 'turn' | 'line'>): string {
  if (turn !== null) return `${dayTextOf(said)} ${turn.speaker}: ${text}`;
  if (line !== null) return `${line.path}: ${text}`;
  const isToCome = isUpcoming(said, { ...said, at: Date.now() });
  return isToCome ? `${text} ${holdsFrom(said)}` : text;
}

function figure(score: number | null | undefined): string {
  return score == null ? '' : score.toFixed(2);
}
