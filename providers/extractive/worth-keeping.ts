/**
 * Decides which statements of a day are worth a line of MEMORY.md. A person found each note worth
 * writing. Of what a user says to an assistant, this is what the rules of extraction keep, what may
 * be a change, and what has a number or a name. Between people, most sentences are about the
 * conversation itself, so their wording decides; both decide about what an assistant says.
 */
import { CHANGE_TOPIC, DONE_TOPIC } from '#core/extraction/statement.ts';
import { extract } from '#core/extraction/extract-statements.ts';
import { tellsOfChange } from '#core/recall/outdated/likely-correction.ts';
import { oneOf } from '#core/text/pattern.ts';
import { isQuestion } from '#core/text/question.ts';

/** Words of how people speak to each other, rather than of what they say. */
const TALK = String.raw`
  let's, lets, okay, alright, hello, thanks?, thank you, sorry, anyway, you guys, you know,
  you see, i mean, i guess, i dunno, i don't know, i'm not sure, i was wondering, sort of, kind of,
  kinda, gonna, wanna, stuff, things like, whatever, for instance, for example, in that sense
`;
/** Words about the meeting, the slides and the room. */
const PROCESS = String.raw`
  agenda, slides?, presentations?, minutes, meeting, whiteboard, laptop, screen here, microphone,
  mike, question, discuss(?:ed|ion)?, talk(?:ing)? about, mention(?:ed)?, earlier, go ahead,
  move on, next item, go through, finish(?:ed)? up, wrap(?:ping)? up, continue, introduce
`;
/** Words of what lasts longer than the day: decisions, wishes, duties, who a person is. */
const LASTING = String.raw`
  decided?, decision, agreed?, agreement, chose, chosen, settled on, approved, rejected, signed,
  prefers?, preferences?, preferred, favou?rite,
  (?:i|we|they|people|users?|would) (?:really )?like, likes, loves?, hates?, dislikes?,
  always, never,
  wants?, needs?, must, has to, have to, required?, requirements?, should(?:n't)?, shall, cannot,
  allergic, vegetarian, vegan, birthday, married, lives? in, moved to, works? (?:at|for|as|in),
  worked (?:at|for|as), studi(?:es|ed), born, my name, is called, i'm from, responsible for,
  in charge of, in favou?r of, owns?, deadline, due, launch(?:es|ed)?, budget, costs?, price,
  costing, targets?, goals?, aims?, recommend(?:s|ed)?, committed, commitment, polic(?:y|ies),
  rules?, law, legislation, lessons?, learned, because of, instead of, rather than,
  will use, switched, migrated, deploys?, version, password, address, contract, funding,
  invest(?:s|ed|ment)?,
  percent, per cent, million, billion, euros?, dollars?, pounds?
`;
const IS_TALK = new RegExp(String.raw`\b${oneOf(TALK)}\b`, 'iu');
const IS_PROCESS = new RegExp(String.raw`\b${oneOf(PROCESS)}\b`, 'iu');
const IS_LASTING = new RegExp(String.raw`\b${oneOf(LASTING)}\b|\p{Sc}|\p{N}`, 'iu');
/** Openers that need what was said before, which is not there. */
const RESUMING = String.raw`
  and, but, so, or, because, 'cause, cause, also, then, well, yes, yeah, no, not, maybe, just, if,
  it, this, that, these, those, there, they, he, she, what, how, why, which, who, when, is there,
  do you, are you, did you, can you, could you, now, still, like, once, among, instead, course,
  think, actually, right, see, look, whether, whoever, either, as well, i mean, you
`;
const IS_RESUMING = new RegExp(String.raw`^[^\p{L}']*${oneOf(RESUMING)}\b`, 'iu');
/** The speaker begins again, or loses the thread: `the the`, `w easy`, `nnn`. */
const IS_BROKEN =
  /\b(?<word>\p{L}+) \k<word>\b|\b(?![aio]\b)\p{Ll} \p{L}|\b(?<sign>\p{L})\k<sign>{2,}/iu;
/** Words that every English talk has, and that are rare in other languages. */
const ENGLISH = String.raw`
  the, and, is, are, to, of, that, it, we, you, for, in, a, this, have, with, what, just, about,
  right, \p{L}+n't, i'(?:m|ve|d|ll)
`;
const IS_ENGLISH = new RegExp(String.raw`\b${oneOf(ENGLISH)}\b`, 'iu');

/** A shorter statement is an aside; one that has a value may be shorter. */
const WORDS_MIN = 6;
const VALUE_WORDS_MIN = 4;
const WORDS = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu;

/** Letters of languages that no rule of extraction reads. */
const UNREAD = /[\p{L}--\p{Script=Latin}--\p{Script=Han}]/v;
/** A name or a number inside a sentence. */
const HAS_VALUE = /\p{N}|(?<=[\p{Ll},] )\p{Lu}\p{L}/u;

/**
 * `spoken` in a conversation of people; `asked` by a user of an assistant; `answered` by the
 * assistant, who mostly explains, repeats or thanks; `written` as a note.
 */
export type HowSaid = 'spoken' | 'asked' | 'answered' | 'written';

/** `IfItChanges`: only beside or in the place of a line that it may change: `I sent it`. */
export type Worth = 'Lasts' | 'IfItChanges' | 'None';

/**
 * Whether a statement is worth a line of MEMORY.md.
 * @param said without its speaker
 */
export function worthOf(said: string, how: HowSaid): Worth {
  if (isQuestion(said)) return 'None';
  if (how === 'written') return 'Lasts';
  if (how === 'asked') return UNREAD.test(said) ? 'Lasts' : worthOfOwn(said);
  const isKept = isLastingTalk(said, how) && (how === 'spoken' || isExtracted(said));
  return isKept ? 'Lasts' : 'None';
}

/** Without the figures and names, corrections that no rule recognizes would be missing. */
function worthOfOwn(said: string): Worth {
  const topics = statementsIn(said).map(({ topic }) => topic);
  const isStated = topics.some((topic) => topic !== CHANGE_TOPIC && topic !== DONE_TOPIC);
  const hasValue = wordsIn(said) >= VALUE_WORDS_MIN && HAS_VALUE.test(said);
  if (isStated || hasValue || tellsOfChange(said)) return 'Lasts';
  return topics.length > 0 ? 'IfItChanges' : 'None';
}

function isExtracted(said: string): boolean {
  return UNREAD.test(said) || statementsIn(said).length > 0;
}

function statementsIn(said: string) {
  const message = { id: '', role: 'user', speaker: null, content: said, at: 0 } as const;
  return extract([message]).map(({ statement }) => statement);
}

function isLastingTalk(said: string, how: 'spoken' | 'answered'): boolean {
  const isTelling = wordsIn(said) >= WORDS_MIN && IS_LASTING.test(said);
  if (!IS_ENGLISH.test(said)) return how === 'spoken' || isTelling;
  const isAside = [IS_TALK, IS_PROCESS, IS_RESUMING, IS_BROKEN].some((form) => form.test(said));
  return !isAside && isTelling;
}

function wordsIn(said: string): number {
  return (said.match(WORDS) ?? []).length;
}
