/**
 * Scores how much a sentence says: the tf-idf mass of its words, its cue words, place and form.
 * Sources: H. P. Edmundson, "New Methods in Automatic Extracting", JACM 16 (2), 1969 (cue words and
 * location); G. Murray, S. Renals, J. Carletta, "Extractive summarization of meeting recordings",
 * Interspeech 2005 (term weights do well on speech). The constants were set on 20 meetings of QMSum
 * and lie on a plateau: halving or doubling one changes ROUGE by less than its spread.
 */
import { isQuestion } from '#core/text/question.ts';
import { saysNothing } from '#core/text/small-talk.ts';
import { namesHealthRisk } from '#core/text/health-risks.ts';
import { anyOf, anyWord, oneOf } from '#core/text/pattern.ts';
import type { Candidate } from './candidate-sentences.ts';
import { outcomeWeight, placeWeight, statesOutcome } from './conversation-outcome.ts';
import { segmentSentences } from './topic-boundaries.ts';
import { CHAT_ROLE_WEIGHTS, type Turn } from './speaker-turns.ts';
import { statementKind } from './statement-kind.ts';

/** Words with which people decide, plan, present, and say what matters. */
const CUES = String.raw`
  decid\w*, decision\w*, agree[ds]?, agreement, plan(?:s|ned|ning)?, needs? to, needed, should,
  must, have to, problem\w*, issue\w*, important\w*, deadline\w*, propos\w*, suggest\w*,
  recommend\w*, agenda, discuss\w*, goals?, aims?, conclu\w*, summar\w*, main(?:ly)?, final\w*,
  first(?:ly)?, present(?:s|ed|ing|ation)?, focus\w*, results?, priorit\w*, requir\w*,
  chang(?:e|ed|es|ing), prefer\w*, always, never, because, purpose, task, idea, question is
`;
const CUE_WORDS = new RegExp(String.raw`(?<!\p{L})${oneOf(CUES)}(?!\p{L})`, 'giu');
const CUES_MAX = 2;
const CUE_GAIN = 0.15;

/** Sentences that send the reader elsewhere. */
const POINTER_OPENERS = String.raw`
  see, click, refer to, read more, read the, learn more, check out, visit, for
  (?:more|further|additional) (?:information|details|info), follow the, go to, documentation
  for, more (?:details|examples|information), useful (?:links|documentation)
`;
const POINTERS = new RegExp(String.raw`^${oneOf(POINTER_OPENERS)}(?!\p{L})`, 'iu');
const URL = /https?:\/\//u;

/** Courtesies of a chat and commits that are only housekeeping. */
const COURTESIES = String.raw`
  hello, hi, hey, great, good, nice, thanks, thank you, understood, sounds, got it, you['’]re
  welcome, welcome, happy to, glad to, let me know, how can i, no problem, sure, of course,
  absolutely, certainly, perfect, awesome, here(?:['’]s| is| are), i hope, feel free
`;
const EMPTY_TALK = new RegExp(String.raw`^${oneOf(COURTESIES)}(?!\p{L}).{0,60}$`, 'iu');
const CHORES = String.raw`
  merge (?:branch|pull request|remote), bump , wip\b, typo, fix typo, update deps, lint\b,
  chore\b
`;
const HOUSEKEEPING = new RegExp(String.raw`^${oneOf(CHORES)}`, 'iu');

/** Code within prose. */
const CODE = /[;{]$|=>|\(\);|^(?:import|const|let|var|await|npm|npx|\$) .*[;({'"]/u;
/** A spoken English sentence without any of these has no verb, so it states nothing. */
const VERBS_AND_SUBJECTS = String.raw`
  i, we, you, they, he, she, it, who, is, are, was, were, be, been, has, have, had, do, does,
  did, can, could, will, would, shall, should, may, might, must, need, needs, to, let,
  ['’](?:s|re|ve|ll|d|m), wanna, gonna
`;
const SAYS = new RegExp(
  String.raw`(?<!\p{L})${oneOf(VERBS_AND_SUBJECTS)}(?!\p{L})|n['’]t(?!\p{L})`,
  'iu',
);

/** Says who its speaker is: name, work, home, family, health. */
const TELLS_WHO = anyOf(
  anyWord(`
    my name is, I(?:['’]m| am) (?:an?|\\d+), I (?:work|live|run|teach|study|own),
    (?:my|our) (?:wife|husband|partner|fiancée?|sons?|daughters?|kids|children|boys|girls|baby),
    we have \\p{L}+ (?:kids|children|sons|daughters|boys|girls), getting married, married,
    pregnant, diabetic,
    ich heiße, ich bin, ich (?:arbeite|wohne|lebe|leite|studiere), schwanger, verheiratet,
    (?:mein|unser)e? (?:Mann|Frau|Sohn|Tochter|Kinder|Partner(?:in)?), (?:Söhne|Töchter),
    me llamo, soy, vivo, trabajo, tengo \\d+ años, embarazada, casad[oa], diabétic[oa],
    (?:mi|nuestr[oa]) (?:marido|espos[oa]|mujer|hij[oa]|novi[oa]|pareja)
  `),
  '我(?:叫|是|住|家在|今年)|我在[^，。]*(?:工作|上班|做)|我?(?:老公|老婆|儿子|女儿|孩子)|怀孕|高血压|糖尿病',
);
const WHO_WEIGHT = 2;

/** Harm, which no summary about a person may lack; in a meeting it has no extra weight. */
const HARM_WEIGHT = 4;
const QUESTION_WEIGHT = 0.7;
const BROKEN_WEIGHT = 0.5;
const POINTER_WEIGHT = 0.3;
const URL_WEIGHT = 0.6;
const CODE_WEIGHT = 0.1;
const VERBLESS_WEIGHT = 0.3;
const EMPTY_WEIGHT = 0.1;
const SCRAP_WEIGHT = 0.7;
/** A sentence that refers to something missing comes last or not at all. */
const DANGLING_WEIGHT = 0.05;
/** The same for a sentence that opens its source: there is nothing before it. */
const DANGLING_SOURCE_WEIGHT = 0.4;
/** A written line of one word is a label. */
const LABEL = /^\S+$/u;
const LABEL_WEIGHT = 0.2;
/** Spoken sentences with fewer content words than this are answers to what is not quoted. */
const SPOKEN_STEMS_MIN = 3;
const SHORT_WEIGHT = 0.05;

/** The opening of a long text says what it is about: its gain, which falls to none. */
const OPENING_GAIN = 0.5;
const OPENING_SHARE = 0.1;
/** Fewer sentences have no opening: they are a list. */
const OPENING_SENTENCES_MIN = 40;

/** Weight of each stem: said often, all over the text, but not everywhere. */
export function stemWeights(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const segmentOf = segmentSentences(candidates.map((candidate) => candidate.stems));
  const uses = new Map<string, { count: number; segments: number; last: number }>();
  for (const [index, candidate] of candidates.entries()) {
    const segment = segmentOf[index] ?? 0;
    for (const stem of candidate.stems) {
      const use = uses.get(stem) ?? { count: 0, segments: 0, last: -1 };
      const again = use.last === segment ? use.segments : use.segments + 1;
      uses.set(stem, { count: use.count + 1, segments: again, last: segment });
    }
  }
  const weights = new Map<string, number>();
  for (const [stem, { count, segments }] of uses) {
    const spread = Math.sqrt(count * segments);
    weights.set(stem, spread * Math.log(1 + candidates.length / count));
  }
  return weights;
}

/** Returns the factor of each candidate's mass for its form and place. */
export function formWeights(
  candidates: readonly Candidate[],
  turns: readonly Turn[],
): readonly number[] {
  const opening = candidates.length * OPENING_SHARE;
  const listed = candidates.length < OPENING_SENTENCES_MIN;
  return candidates.map((candidate, index) => {
    const turn = turns[candidate.turnIndex];
    if (turn === undefined) return 0;
    const form = wordingWeight(candidate, turn) * wholenessWeight(candidate, turn);
    const role = CHAT_ROLE_WEIGHTS.get(turn.speaker.toLowerCase()) ?? 1;
    if (listed) return form * role;
    if (turn.kind !== 'Spoken') {
      return form * role * (1 + OPENING_GAIN * Math.max(0, 1 - index / opening));
    }
    return form * placeWeight(index / candidates.length);
  });
}

/**
 * Longer conversations have too many outcomes for a summary, so their weights choose: with ranks
 * the summaries of 35 meetings of 156 and more sentences state fewer outcomes.
 */
const RANKED_SENTENCES_MAX = 100;

/** What is told first, and what is told only once all else stands. */
export type Rank = 'First' | 'Usual' | 'Last';

/** Returns the rank of each candidate; only those of short conversations differ. */
export function ranksOf(candidates: readonly Candidate[], turns: readonly Turn[]): readonly Rank[] {
  const isShort = candidates.length < RANKED_SENTENCES_MAX;
  return candidates.map((candidate) => {
    const turn = turns[candidate.turnIndex];
    if (!isShort || turn?.kind !== 'Spoken') return 'Usual';
    const kind = statementKind(candidate.text.slice(turn.prefix.length));
    if (kind === 'Outcome') return candidate.dangling ? 'Usual' : 'First';
    return kind === 'Other' ? 'Usual' : 'Last';
  });
}

/** Whether a candidate says something that a text with room left must tell. */
export function saysSomething({ text, dangling, broken }: Candidate, turn: Turn): boolean {
  const said = text.slice(turn.prefix.length);
  if (turn.kind === 'Written' || broken || CODE.test(said)) return false;
  if (dangling && statementKind(said) !== 'Outcome') return false;
  return !EMPTY_TALK.test(said) && !POINTERS.test(said) && !isQuestion(said);
}

function wordingWeight(candidate: Candidate, turn: Turn): number {
  const said = candidate.text.slice(turn.prefix.length);
  // Courtesies occur only where somebody speaks; a note has none.
  if (turn.speaker !== '' && saysNothing(said)) return 0;
  const cues = new Set(said.toLowerCase().match(CUE_WORDS) ?? []).size;
  let weight = 1 + CUE_GAIN * Math.min(CUES_MAX, cues);
  if (isQuestion(said)) weight *= QUESTION_WEIGHT;
  if (POINTERS.test(said)) weight *= POINTER_WEIGHT;
  if (turn.kind === 'Written' ? HOUSEKEEPING.test(said) : EMPTY_TALK.test(said)) {
    weight *= EMPTY_WEIGHT;
  }
  if (turn.kind !== 'Spoken' && CODE.test(said)) weight *= CODE_WEIGHT;
  if (turn.kind === 'Written' && LABEL.test(said) && /[a-z]/iu.test(said)) weight *= LABEL_WEIGHT;
  if (URL.test(said)) weight *= URL_WEIGHT;
  if (turn.kind === 'Written' && TELLS_WHO.test(said)) weight *= WHO_WEIGHT;
  if (turn.kind !== 'Spoken' && namesHealthRisk(said)) weight *= HARM_WEIGHT;
  return turn.kind === 'Spoken' ? weight * spokenWeight(candidate, said) : weight;
}

/** A few words without a verb count only if they state an outcome: "One battery". */
function spokenWeight(candidate: Candidate, said: string): number {
  const weight = outcomeWeight(said);
  if (statesOutcome(said)) return weight;
  const isVerbless = /[a-z]/iu.test(said) && !SAYS.test(said);
  const isShort = candidate.stems.length < SPOKEN_STEMS_MIN;
  return weight * (isVerbless ? VERBLESS_WEIGHT : 1) * (isShort ? SHORT_WEIGHT : 1);
}

function wholenessWeight(candidate: Candidate, turn: Turn): number {
  let weight = SCRAP_WEIGHT ** candidate.scraps;
  if (candidate.broken) weight *= BROKEN_WEIGHT;
  if (!candidate.dangling) return weight;
  const opensSource =
    turn.kind === 'Written' && turn.masked.slice(0, candidate.range.start).trim() === '';
  return weight * (opensSource ? DANGLING_SOURCE_WEIGHT : DANGLING_WEIGHT);
}
