/** Identifies the topic of a restated value (restated-value.ts) by its words, in any order. */
import { wordSet } from '../../text/word-lists.ts';

export type ValueOfTopic = readonly [topic: string, value: string];

/** Words that do not distinguish sentences. */
const PLAIN_WORDS = wordSet(
  withoutMarks(`
  a an the my our i we i'm i've we're me us is are am be been being it it's its that's there's now
  currently actually just about around roughly exactly only at on in of to for by
  and per each every cost costs
  der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere
  unserem unseren unserer ich wir mir mich uns ist sind bin jetzt nun aktuell derzeit gerade um am
  im in an auf von vom zu zum zur es pro kostet kosten beträgt
  el la los las un una unos unas mi mis nuestro nuestra nuestros nuestras yo me nos es son soy está
  están estoy ahora actualmente ya unos de del a al en por para lo que y mes uso usamos cuesta
  cuestan
`),
);
const ENDING = /(?:erin|as|os|es|en|er|em|ing|a|o|e|s|n)$/u;
const STEM_UNITS_MIN = 4;
const WORD = /#|[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’.+@#-]*/gu;

function withoutMarks(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

export function topicStems(text: string): readonly string[] {
  const words = text.toLowerCase().match(WORD) ?? [];
  return words
    .map((word) => withoutMarks(word.replace(/(?:['’]s|[.'’]+)$/u, '')))
    .filter((word) => !PLAIN_WORDS.has(word))
    .map((word) => {
      const stem = word.replace(ENDING, '');
      return stem.length >= STEM_UNITS_MIN ? stem : word;
    });
}

export function topicOf(kind: string, ...parts: readonly string[]): string {
  return [kind, ...parts.map((part) => topicStems(part).toSorted().join(' '))].join('/');
}
