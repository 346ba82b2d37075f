/**
 * Reads retractions, which take back what their speaker said and put nothing in its place: `Forget
 * what I said about gluten`, `Please forget that I live in Lyon`. What is in doubt is none: a
 * condition, a joke, a quotation, words for the moment, words of somebody else.
 */
import type { Language } from '../text/language.ts';
import { memoized } from '../text/memoized.ts';
import { anyOf, anyWord, lazyPattern, oneOf, withParts, type Pattern } from '../text/pattern.ts';
import { mayQuote } from './others-words/quotations.ts';

export interface Retraction {
  readonly language: Language;
  /** What it is about, in its words; null if it names a statement. */
  readonly topic: string | null;
  /** What its speaker said, in its words: `I live in Lyon`; null if it names a topic. */
  readonly statement: string | null;
}

interface RetractionRules {
  /** Groups: `before`, what the sentence says first; `topic` or `statement`. */
  readonly patterns: readonly Pattern[];
  /** Makes all of a sentence doubtful; in group `before`, more words do. */
  readonly doubt: Pattern;
  readonly doubtBefore: Pattern;
  /** Where a topic ends, with what the sentence goes on to say. */
  readonly end: Pattern;
  /** Words behind a topic that say when it was said, or how to forget it. */
  readonly aside: Pattern;
}

/** @param parts of the patterns, by name */
function patternsOf(
  sources: readonly string[],
  parts: Readonly<Record<string, string>>,
): readonly Pattern[] {
  return sources.map((source) => lazyPattern(withParts(source, parts), 'iu'));
}

/** What a sentence says before: `Sorry, I was wrong, `. */
const BEFORE = String.raw`(?<before>(?:[^,;–—:]{2,60}[,;–—] ){0,2})`;

/** The end of what a sentence names. A point within it belongs to a name: `Dr. Lima`. */
const END = String.raw`[,;!–—(]|\.$`;

function asideOf(list: string): RegExp {
  return new RegExp(`(?: ${oneOf(list)})+[.]?$`, 'iu');
}

const EN: RetractionRules = {
  patterns: patternsOf(
    [
      String.raw`{LEAD}{TAKE} {THINGS} I{HAVE} (?:said|told you|mentioned|wrote)(?: to you)?` +
        String.raw`{WHEN}? (?:about|regarding|concerning|on) (?<topic>.+)`,
      '{LEAD}{TAKE} (?:that )?I{HAVE} (?:said|told you|mentioned) (?:anything |something )about ' +
        '(?<topic>.+)',
      '{LEAD}{TAKE} (?:that )?I{HAVE} mentioned (?!(?:that|anything|something|I) )(?<topic>.+)',
      String.raw`{LEAD}{TAKE} my(?: earlier| last| previous)? (?:comments?|remarks?|statements?)` +
        '{WHEN}? (?:about|on|regarding) (?<topic>.+)',
      '{LEAD}{DROP} (?:(?:the fact )?that )?(?:I{HAVE} (?:said|told you|mentioned) (?:that )?)?' +
        String.raw`(?<statement>(?:I|we|my|our)(?!\p{L}).+)`,
    ],
    {
      LEAD:
        String.raw`^${BEFORE}(?:(?:please|ok(?:ay)?|actually|oh|hey|hi|so|and|also|well|sorry|` +
        String.raw`wait|no|alright|right|by the way|btw|then|but)[,.!]* )*` +
        String.raw`(?:(?:you (?:can|may|should)|let['’]?s|I(?:['’]d| would) like you to|` +
        String.raw`I (?:want|need) you to) )?(?:(?:please|just|simply|also|now) )*`,
      TAKE:
        String.raw`(?:(?:forget|disregard|ignore|scrap|scratch|strike|discard|drop|delete|erase|` +
        String.raw`remove|never ?mind|pay no attention to)(?: about)?|` +
        String.raw`I(?:['’]d like to| want to| have to)? (?:take back|retract|withdraw))`,
      DROP: '(?:forget|scrap|delete|erase|remove)(?: about)?',
      THINGS:
        '(?:all of what|(?:what|whatever|everything|anything|all|the things?|the bit|the part|' +
        'the stuff|that thing|stuff)(?: that)?)',
      HAVE: String.raw`(?:['’]ve| have|['’]d| had)?(?: just| ever| once| previously| earlier)?`,
      WHEN: String.raw`(?: (?:earlier|before|yesterday|last \w+|the other day|this morning))`,
    },
  ),
  doubt: anyOf(
    anyWord(`
      if, unless, until, when, whenever, maybe, perhaps, this time, today, tonight, temporarily,
      for (?:now|today|once|(?:a|this|one) \\w+|the (?:moment|time being)), lol, haha\\w*, jk,
      (?:kidding|joking)[.!)]*$
    `),
  ),
  doubtBefore: anyOf(
    anyWord(`
      not, never, said, says?, told, tells?, asked, asks?, wrote, would, could, can, translate,
      like, when
    `),
    String.raw`n['’]t(?!\p{L})`,
  ),
  end: anyOf(END, ' (?:because|since|but|and (?:please|remember|use|let)|so) '),
  aside: asideOf(`
    earlier, before, yesterday, last \\w+, the other day, this morning, just now, previously, again,
    please, thanks, thank you, altogether, entirely, completely,
    in (?:my|our|the) (?:last|previous|first|earlier) \\w+
  `),
};

const SOFT_DE = '(?:,? (?:bitte|einfach|doch|lieber|wieder|am besten|ruhig|also|jetzt),?)*';

const DE: RetractionRules = {
  patterns: patternsOf(
    [
      '{LEAD}{TAKE}{SOFT},? {THINGS}was ich {WHEN}{ABOUT} (?<topic>.+?) {SAID}',
      '{LEAD}{TAKE}{SOFT},? {THINGS}was ich {WHEN}{SAID} {ABOUT} (?<topic>.+)',
      '{LEAD}{TAKE}{SOFT} meine (?:Aussagen?|Bemerkung(?:en)?) {ABOUT} (?<topic>.+)',
      '{LEAD}{TAKE}{SOFT} (?:das|die Sache) mit de[mnr] (?<topic>.+)',
      '{LEAD}(?:du kannst|Sie können) {THINGS}was ich {WHEN}{ABOUT} (?<topic>.+?) {SAID},?{SOFT} ' +
        '(?:vergessen|streichen|löschen|ignorieren)',
      '{LEAD}(?:das|die Sache) mit de[mnr] (?<topic>.+?) (?:kannst du|können Sie){SOFT} vergessen',
      '{LEAD}{TAKE}{SOFT},? dass (?<statement>(?:ich|wir|mein|unser).+)',
      '^{THINGS}was ich {WHEN}{ABOUT} (?<topic>.+?) {SAID},? (?:das )?' +
        '(?:(?:kannst du|können Sie|könnt ihr){SOFT} (?:vergessen|streichen|löschen)|' +
        '(?:vergiss|vergessen Sie|streich)(?:{SOFT}| das)*(?=[.!]|$)|nehme ich zurück)',
    ],
    {
      LEAD:
        String.raw`^${BEFORE}(?:(?:bitte|ok(?:ay)?|ach|also|eigentlich|sorry|entschuldigung|nein|` +
        String.raw`gut|und|moment|übrigens|na gut|doch)[,.!]* )*`,
      TAKE:
        '(?:(?:vergiss|vergesst|vergessen Sie|ignorier[et]?|ignorieren Sie|streich[et]?|' +
        `streichen Sie|lösch[et]?|löschen Sie)|(?:du kannst|Sie können|ihr könnt)${SOFT_DE} ` +
        '(?:vergessen|ignorieren|streichen|löschen)|ich nehme(?: alles| das)? zurück)',
      SOFT: SOFT_DE,
      THINGS: '(?:(?:alles|das),? )?',
      WHEN:
        '(?:(?:dir|euch|Ihnen|vorhin|gestern|vorher|eben|gerade|früher|neulich|letztens|damals|' +
        'schon|alles) )*',
      ABOUT: '(?:über|zu[mr]?|vo[nm]|wegen|bezüglich)',
      SAID: '(?:gesagt|erzählt|erwähnt|geschrieben|mitgeteilt)(?: habe?| hatte)?',
    },
  ),
  doubt: anyOf(
    anyWord(`
      wenn, falls, bevor, bis, solange, vielleicht, erst ?mal, vorerst, zunächst, vorläufig, kurz,
      für (?:heute|den Moment|jetzt), diesmal, heute, haha\\p{L}*, lol, (?:Scherz|Spaß)[.!]*$
    `),
  ),
  doubtBefore: anyOf(
    anyWord(`
      nicht, nie(?:mals)?, kein\\p{L}*, sagt\\p{L}*, meint\\p{L}*, gesagt, gemeint, bat, schrieb,
      würde\\p{L}*, könnte\\p{L}*, übersetz\\p{L}*
    `),
  ),
  end: anyOf(END, ' (?:weil|denn|aber) '),
  aside: asideOf('vorhin, gestern, neulich, bitte, danke, wieder, ganz, einfach'),
};

const DROP_ES = '(?:olvid(?:[aeá]|en|ad)|olv[ií]d[ae](?:te|se) de|puedes olvidarte de)';

const ES: RetractionRules = {
  patterns: patternsOf(
    [
      '{LEAD}{TAKE}{SOFT} (?:todo )?lo que {WHEN}{SAID}{LATE} {ABOUT}(?<topic>.+)',
      '{LEAD}{TAKE}{SOFT} lo {ABOUT}(?<topic>.+)',
      '{LEAD}haz como (?:que|si) no {WHEN}(?:{SAID}|hubiera dicho) nada {ABOUT}(?<topic>.+)',
      '{LEAD}{DROP}{SOFT} que (?<statement>.+)',
    ],
    {
      LEAD:
        String.raw`^${BEFORE}(?:(?:por favor|vale|bueno|oye|perdona|perdón|en realidad|ah|no,|y|` +
        String.raw`mejor|entonces|ya)[,.!]* )*`,
      TAKE:
        `(?:${DROP_ES}|ignor[ae]|borr[ae]|descart[ae]|elimin[ae]|desestima|` +
        'haz caso omiso (?:de|a)|no (?:hagas|haga) caso (?:de|a)|no (?:tengas|tenga) en cuenta|' +
        'retiro|me retracto de|puedes (?:olvidar|ignorar|borrar))',
      DROP: DROP_ES,
      SOFT: String.raw`(?:,? (?:por favor|mejor|ya|todo),?)*`,
      WHEN: '(?:(?:te|le|os|les|ya|antes|ayer) )*',
      SAID:
        '(?:he dicho|había dicho|dije|conté|he contado|mencioné|he mencionado|comenté|' +
        'he comentado|escribí)',
      LATE: '(?: (?:antes|ayer|el otro día))?',
      ABOUT: '(?:sobre |acerca de |(?:con )?respecto a |del |de )',
    },
  ),
  doubt: anyOf(
    anyWord(`
      si, cuando, hasta, quizás?, tal vez, por (?:ahora|hoy|un \\p{L}+|el momento), de momento,
      esta vez, hoy, jaja\\p{L}*, (?:era|es) broma[.!]*$
    `),
  ),
  doubtBefore: anyOf(anyWord('no, nunca, dice, dijo, dijeron, pidió, escribió, podría, traduce')),
  end: anyOf(END, ' (?:porque|pero|ya que) '),
  aside: asideOf('antes, ayer, el otro día, por favor, gracias'),
};

const WHEN_ZH = '(?:之前|刚才|刚刚|上次|昨天|以前|前面|先前|跟你|对你|和你|向你|给你|所|曾经?)*';
const WORD_ZH = '(?:说|讲|提|聊|告诉你)';
const THING_ZH = '的?(?:这件|那件|所有)?(?:事情?|话|内容|情况|信息)';

const ZH: RetractionRules = {
  patterns: patternsOf(
    [
      '^{LEAD}{TAKE}{SAID}{ABOUT}(?<topic>{TOPIC}){END}',
      '^{LEAD}把{SAID}{ABOUT}(?<topic>{TOPIC})(?:{THING})?[都全给]*{TAKE}',
      '^{LEAD}{SAID}{ABOUT}(?<topic>{TOPIC}){THING}[，,]?[就都]*(?:忘了吧|忘记吧|忘掉)',
      '^{LEAD}{ABOUT}(?<topic>{TOPIC}){THING}[，,]就?当我?没有?[说提]过',
      '^{LEAD}就?当我?没有?[说提]过{ABOUT}(?<topic>{TOPIC}){END}',
      '^{LEAD}{TAKE}(?<statement>我(?!{WHEN}{WORD})[^，,。；！]{2,24}?)' +
        '(?:这件事|这事|的事情?|这一点|这回事)?[吧了]?(?=[，,。！]|$)',
    ],
    {
      LEAD:
        '(?:(?:请你?|麻烦你?|那就?|就|好吧|好的?|对了|嗯|其实|拜托|还是|你可以|你就|抱歉|' +
        '对不起|不好意思)[，,]?)*',
      TAKE:
        '(?:忘了|忘掉|忘记|忽略|无视|删掉|删除|别管|不要管|不用管|别理|不用理会?|别在意|' +
        '我?收回)',
      WHEN: WHEN_ZH,
      WORD: WORD_ZH,
      SAID: `我${WHEN_ZH}${WORD_ZH}[过到]?的?(?:所有|那些|一切)?`,
      ABOUT: '(?:有?关于|有关|对于)?',
      TOPIC: '[^，,。；！]{2,20}?',
      THING: THING_ZH,
      END: `(?:${THING_ZH})?[吧了啦]?(?=[，,。！]|$)`,
    },
  ),
  doubt: /如果|要是|假如|等[^，。]{0,4}再|暂时|今天|这次|开玩笑|哈哈|也许|可能/u,
  doubtBefore: /(?!)/u,
  end: /[，,。；！]/u,
  aside: /(?!)/u,
};

const RULES: Readonly<Record<Language, RetractionRules>> = { en: EN, de: DE, es: ES, zh: ZH };

/** Longer sentences say several things. */
const SENTENCE_UNITS_MAX = 160;

/** A word that every retraction has. */
const SIGN = anyOf(
  'forget|disregard|ignor|scrap|scratch|strike|discard|drop|delete|erase|remove|never ?mind',
  'attention|take back|retract|withdraw|vergiss|vergess|streich|lösch|nehme|olv[ií]d|borr|descart',
  'elimin|desestim|omiso|caso|en cuenta|retiro|haz como|忘|忽略|无视|删|管|理|在意|收回|当',
);
/** A quotation without its marks: `…, my mother says`. */
const SAID_BY_OTHERS = anyOf(
  withParts(String.raw`[,;–—] (?!as I )(?:[^,;–—]{1,40} {SAID}|{SAID}(?: [^,;–—]{1,30})?)[.!]*$`, {
    SAID: oneOf('says, said, told me, wrote, sagte?, meinte?, schrieb, dice, dijo, escribió'),
  }),
  '[，,][^，,我]{1,6}说的?[。！]?$|[，,]我[^，,]{1,4}说的?[。！]?$',
);

/** Returns what a sentence takes back; null if it takes back nothing for certain. */
export const retractionIn = memoized(
  (sentence): Retraction | null => {
    if (sentence.length > SENTENCE_UNITS_MAX) return null;
    if (!SIGN.test(sentence) || mayQuote(sentence) || SAID_BY_OTHERS.test(sentence)) return null;
    for (const language of ['en', 'de', 'es', 'zh'] as const) {
      const { patterns, doubt, doubtBefore, end, aside } = RULES[language];
      for (const pattern of patterns) {
        const groups = pattern.exec(sentence)?.groups;
        if (groups === undefined) continue;
        const { before = '', topic, statement } = groups;
        if (doubt.test(sentence.slice(before.length)) || doubtBefore.test(before)) return null;
        const named = topic ?? statement ?? '';
        const what = named.slice(0, end.exec(named)?.index).replace(aside, '').trim();
        if (what === '') return null;
        return topic === undefined
          ? { language, topic: null, statement: what }
          : { language, topic: what, statement: null };
      }
    }
    return null;
  },
  { entriesMax: 64, unitsMax: 1_024 },
);
