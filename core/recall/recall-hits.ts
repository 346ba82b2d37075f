/** Converts ranked passages to search hits: one per turn, on the score scale of memories. */
import { turnKey, type PastPassage } from '../context/past-turns.ts';
import {
  calibrate,
  calibrateKeyword,
  UNRELATED_SCORE,
  type Calibration,
} from '../search/calibration.ts';
import { scoreInTime } from '../search/memory-hit-score.ts';
import { localTime } from '../said-at.ts';
import { haveSharedScript } from '../text/writing-systems.ts';
import {
  NEAR_DUPLICATES_MAX,
  nearDuplicateCounter,
  sharedWords,
  valuesOf,
} from './ranking/count-near-duplicates.ts';
import { preferenceFor, type TimeWindow } from './question/time-window.ts';

export interface RecallHit {
  readonly passage: PastPassage;
  /** From 0 to 1, comparable with the score of a memory. */
  readonly score: number;
}

interface Legs {
  /** Whether a turn is found even if only the turns beside it have words of the question. */
  readonly withAsides?: boolean;
  /** Calibration of the vectors' generation; null if only words were compared. */
  readonly calibration: Calibration | null;
  /** Which legs count. */
  readonly byWords: boolean;
  readonly byVectors: boolean;
}

export interface RecallRequest extends Legs {
  /** The times that the question names. */
  readonly windows: readonly TimeWindow[];
  readonly threshold: number;
  readonly limit: number;
}

interface RecallHits {
  /** At most `limit`: the best first, then those that differ from them only in their numbers. */
  readonly hits: readonly RecallHit[];
  /** One for each turn that is no hit, best first. */
  readonly others: readonly RecallHit[];
  /** By the passage of a hit: the passage of another turn that likely follows it. */
  readonly followers: ReadonlyMap<PastPassage, PastPassage>;
  /** The best hit below the threshold; null if there is none. */
  readonly nearestMiss: RecallHit | null;
}

/** Turns that share this fraction of words and all numbers say the same; the later is shown. */
const SAME_SHARE = 0.9;

/**
 * Returns the hits.
 * @param passages in order of rank, which breaks ties between equal scores
 */
export function recallHits(
  passages: readonly PastPassage[],
  { threshold, limit, windows, ...legs }: RecallRequest,
): RecallHits {
  const ofTurn = new Map<string, RecallHit>();
  for (const passage of passages) {
    const preference = preferenceFor(localTime(passage), windows);
    const score = scoreInTime(scoreOf(passage, legs), threshold, preference);
    const key = turnKey(passage);
    // The hit shows the turn's best-ranked passage, with the highest score of any passage.
    const known = ofTurn.get(key);
    if (known === undefined) ofTurn.set(key, { passage, score });
    else if (score > known.score) ofTurn.set(key, { passage: known.passage, score });
  }
  const scored = [...ofTurn.values()].toSorted((a, b) => b.score - a.score);
  const nearestMiss = scored.find(({ score }) => score > 0 && score < threshold) ?? null;
  const hits = withReplacing(distinct(scored, threshold, limit), passages).slice(0, limit);
  const found = new Set(hits.map(({ passage }) => turnKey(passage)));
  const followers = followersOf(hits, passages);
  const following = new Map([...followers.values()].map((each) => [turnKey(each), each]));
  const others = scored
    .filter(({ passage }) => !found.has(turnKey(passage)))
    .map(({ passage, score }) => ({
      passage: following.get(turnKey(passage)) ?? passage,
      score,
    }));
  return { hits, others, followers, nearestMiss };
}

/** Returns what follows hits, unless it repeats what several of them say. */
function followersOf(
  hits: readonly RecallHit[],
  passages: readonly PastPassage[],
): RecallHits['followers'] {
  const byPlace = new Map(passages.map((passage) => [passage.place, passage]));
  const byTurn = new Map<string, PastPassage>();
  for (const passage of passages) {
    const { followedBy } = passage;
    if (followedBy === undefined) continue;
    const key = turnKey(passage);
    const follower = byPlace.get(followedBy.place);
    // Of several passages of a turn, the best has its follower shown.
    if (follower !== undefined && turnKey(follower) !== key && !byTurn.has(key))
      byTurn.set(key, follower);
  }
  const alikeBefore = nearDuplicateCounter(false);
  for (const { passage } of hits) alikeBefore(passage.text);
  return new Map(
    hits.flatMap(({ passage }) => {
      const follower = byTurn.get(turnKey(passage));
      const isNews =
        follower !== undefined &&
        haveSharedScript(passage.text, follower.text) &&
        alikeBefore(follower.text) < NEAR_DUPLICATES_MAX;
      return isNews ? [[passage, follower] as const] : [];
    }),
  );
}

/** Puts the latest replacement of a hit before it: no search finds only the outdated value. */
function withReplacing(
  hits: readonly RecallHit[],
  passages: readonly PastPassage[],
): readonly RecallHit[] {
  const all = new Map<string, RecallHit>();
  for (const hit of hits) {
    const replacing = new Set(hit.passage.outdatedBy);
    const [newer] = passages
      .filter(({ place }) => replacing.has(place))
      .toSorted((a, b) => b.place - a.place);
    const turns = newer === undefined ? [hit.passage] : [newer, hit.passage];
    for (const passage of turns) {
      const found = hits.find((each) => turnKey(each.passage) === turnKey(passage))?.passage;
      const key = turnKey(passage);
      if (!all.has(key)) all.set(key, { passage: found ?? passage, score: hit.score });
    }
  }
  return [...all.values()];
}

function scoreOf(
  { wordShare, hitShare, cosine }: Pick<PastPassage, 'wordShare' | 'hitShare' | 'cosine'>,
  { calibration, byWords, byVectors, withAsides = false }: Legs,
): number {
  const share = withAsides ? wordShare : hitShare;
  const words = byWords && share > 0 ? calibrateKeyword(share) : 0;
  const meaning =
    !byVectors || cosine === null || calibration === null ? 0 : calibrate(cosine, calibration);
  return Math.max(words, meaning);
}

/**
 * Marks the passages that a search with its default threshold would not find, unless they were said
 * in a time that the question names. A context includes marked ones only where room is left.
 */
export function unrelatedMarked(
  passages: readonly PastPassage[],
  { calibration, windows }: Pick<Legs, 'calibration'> & { readonly windows: readonly TimeWindow[] },
): readonly PastPassage[] {
  const legs = { calibration, byWords: true, byVectors: true, withAsides: true };
  return passages.map((passage) => {
    const at = localTime(passage);
    const isInTime = windows.some(({ from, to }) => at >= from && at <= to);
    const isRelated = isInTime || scoreOf(passage, legs) >= UNRELATED_SCORE;
    return isRelated ? passage : { ...passage, isUnrelated: true };
  });
}

/**
 * Keeps only the best few of hits that are nearly the same. Further ones with other numbers fill
 * the room that is left.
 */
function distinct(
  scored: readonly RecallHit[],
  threshold: number,
  limit: number,
): readonly RecallHit[] {
  const chosen: Chosen[] = [];
  const later: Chosen[] = [];
  const sameBefore = nearDuplicateCounter(false);
  const alikeBefore = nearDuplicateCounter(true);
  for (const hit of scored) {
    if (hit.score < threshold || chosen.length === limit) break;
    const { text, at } = hit.passage;
    const words = wordsOf(text);
    const values = valuesOf(text);
    const twin = [...chosen, ...later].find(
      (each) => each.values === values && sharedWords(each.words, words) >= SAME_SHARE,
    );
    if (twin !== undefined) {
      if (at > twin.hit.passage.at) twin.hit = { ...hit, score: twin.hit.score };
      continue;
    }
    const isSame = sameBefore(text) >= NEAR_DUPLICATES_MAX;
    const isAlike = alikeBefore(text) >= NEAR_DUPLICATES_MAX;
    if (!isAlike) chosen.push({ hit, words, values });
    else if (!isSame && later.length < limit) later.push({ hit, words, values });
  }
  return [...chosen, ...later].slice(0, limit).map(({ hit }) => hit);
}

interface Chosen {
  hit: RecallHit;
  readonly words: ReadonlySet<string>;
  readonly values: string;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]);
}
