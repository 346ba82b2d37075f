/**
 * Words of plain statements in each language: how they begin, and what shows that a clause is none.
 */
import type { Language } from '../text/language.ts';
import { anyOf, anyWord, lazyPattern, oneOf, type Pattern } from '../text/pattern.ts';

export interface PlainStatementWords {
  /** Words before a statement that say nothing: a greeting, `for context`. */
  readonly opening: Pattern;
  /** A request to keep what follows. */
  readonly remember: Pattern;
  /** Where a clause ends: `12,000` goes on. */
  readonly clauseEnd: RegExp;
  /** Words after which a clause stands on its own, whatever came before. */
  readonly but: Pattern;
  /** What a clause begins with that asks, requests or sets a condition. */
  readonly asks: Pattern;
  /** A condition of the clause before, which is no fact without it. */
  readonly condition: Pattern;
  /** A last clause that puts those before in doubt: they are somebody else's words, or asked. */
  readonly doubt: Pattern;
  /** Words about the listener, a mood or a moment: no clause with one is a fact. */
  readonly ofMoment: Pattern;
  /** The first person. */
  readonly own: Pattern;
  /** The first person as what a clause is about: `I work nights`, not `on my own`. */
  readonly subject: Pattern;
  /** What the speaker does or feels at the moment; with a name or a number, it may be a plan. */
  readonly fleeting: Pattern;
  /** What lasts even if few words say it: `I'm diabetic`. */
  readonly lasting: Pattern;
  /** A verb in the past: most such clauses tell of the day. */
  readonly past: Pattern;
  /** Events that change a life, in whatever tense. */
  readonly event: Pattern;
  /** A verb that says what something is or has. */
  readonly state: Pattern;
  /** Requests about all answers to come, whatever they are about. */
  readonly standing: Pattern;
}

/** A German verb before its subject, which needs the word before: `Übrigens arbeite ich hier`. */
const INVERTED = String.raw`\p{Ll}+ (?:ich|wir|er|es)(?!\p{L})`;

/** @param answers words that a comma must follow: `No, I live in Leeds` */
function opening(list: string, answers: string): Pattern {
  const greeting = `${oneOf(list)}(?!\\p{L})(?:[,.!:;)]+\\s+|\\s+(?!${INVERTED}))`;
  return lazyPattern(`^(?:${greeting}|${oneOf(answers)}[,.!:;)]+\\s+)+`, 'iu');
}

function beginning(joint: string, list: string): Pattern {
  return lazyPattern(`^(?:${joint})?${oneOf(list)}(?!\\p{L})`, 'iu');
}

/** Where capitals count. */
function doubtful(...patterns: readonly string[]): Pattern {
  return lazyPattern(patterns.join('|'), 'u');
}

function words(list: string): Pattern {
  return anyOf(anyWord(list));
}

const REPORTS_EN = 'said, says, wrote, writes, told, claims, claimed, joked, insists, thinks';

/** What changes a life once it is done: `I've just moved`. */
const DONE_EN =
  "(?:I|we)(?:['’]ve| have)? (?:just |recently |finally |both )*" +
  oneOf(`
    moved, graduated, retired, quit, switched, adopted, enrolled, migrated, decided, agreed,
    settled, stopped, took over, changed my, gave up, grew up, founded, launched, studied,
    joined, became, signed up
  `);

/** Where somebody is at the moment: `I'm in a meeting`, not `I'm in a band`. */
const WHERE_EN =
  "(?:I['’]m|I am) (?:at the|in an?) " +
  '(?!(?:band|choir|club|relationship|wheelchair|union|university|team)(?!\\p{L}))\\p{L}+';

const EN: PlainStatementWords = {
  opening: opening(
    `
    good (?:morning|afternoon|evening|day), hi(?: there)?, hello(?: there)?, hey(?: there)?,
    ok(?:ay)?, so, background, (?:some |a bit of |for )?context, heads up,
    quick (?:note|update|one|question), (?:a bit )?about me, just so you know,
    for your (?:notes|info), fyi, btw, by the way, also, oh, actually, correction, update,
    scratch (?:that|what I said(?: before)?), anyway
  `,
    `
    (?:no )?wait, thanks, thank you, great, cool, perfect, yes, no, no no, sure, well, sorry,
    right, one more(?: thing)?
  `,
  ),
  remember: lazyPattern(
    '^(?:(?:please |pls |can you |could you )?' +
      '(?:remember|note|keep in mind|make a note|take note|' +
      "write down|bear in mind|don['’]t forget|do not forget)" +
      '(?: for (?:later|next time|the future))?' +
      '(?: that(?=\\s)|:|,| -)? )(?!to |when |how |what |the time |me |it |this |if |you )',
    'iu',
  ),
  clauseEnd: new RegExp(
    '[;…–—()]\\s*|:\\s+|\\s-\\s|,\\s+|' +
      '(?<!(?<!\\p{L})[Aa]s)\\s(?=(?:so|but|because|although|if|unless|and (?:tomorrow|today|' +
      "tonight|now|can|could|would|please|don['’]t|it|what|how|the|school|call me|I need))\\s)",
    'gu',
  ),
  but: /^(?:but|however)(?!\p{L})/iu,
  asks: beginning(
    '(?:so|and|but|then|now|ok|surprise me) ',
    `
    can, could, would, will, should, shall, do, does, did, is, are, was, were, what, what['’]?s,
    how, how['’]?s, where, where['’]?s, who, who['’]?s, whose, why, which, any, please, pls, give,
    tell, show, write, make, help, suggest, find, remind, let, let['’]s, draft, explain, keep, if,
    unless, when, imagine, suppose, say I, list, convert, translate, rewrite, pretend, compare,
    calculate, check, fix, describe, plan, design, generate, summari[sz]e, turn, play, act as,
    answer, quiz me, ask me, entertain, continue, go on, carry on, repeat, need, got any,
    looking for, hypothetically, assuming, recommend, add, update, set, put, create, use,
    don['’]t, never mind, thanks, look, finish, sketch, build, order, book, assume, true or false,
    say (?:my|our|we),
    I (?:need|want|could use|would like)(?! to be), I['’]d (?:like|love), rate, review, proofread,
    go, start, stop, try, sort, pick, cut, plot, draw, refactor, debug, deploy, merge, parse, count,
    sum, extract, replace, remove, delete, rename, move, adapt, shorten, outline, brainstorm,
    evaluate,
    analy[sz]e, implement, format, group, filter, join, split, optimi[sz]e, test, run, send,
    schedule,
    cancel, track, return, \\p{L}+ (?:ideas|suggestions|tips|recommendations)
  `,
  ),
  condition: lazyPattern(
    '^(?:(?:but |and )?only )?(?:if(?! (?:you|(?:it|that|this) (?:helps|matters|counts)|' +
      'possible|needed|anyone|asked))|unless|provided|as long as)(?!\\p{L})',
    'iu',
  ),
  doubt: doubtful(
    '^or (?:was|were|is|are|maybe|perhaps|did|do|does)(?!\\p{L})',
    "^(?:(?:is|are|was|were|do|does|did|have|has)n['’]?t|am) (?:it|he|she|they|I|we|that)$",
    "^(?:he|she|it|they|that) (?:is|are|was|were|does|do|did|has|have)n['’]?t$",
    `^${oneOf(REPORTS_EN)} (?:my|our|the|a|he|she|they|\\p{Lu})`,
    `^(?:he|she|they|(?:my|our|the|a) \\p{L}+|\\p{Lu}\\p{L}+) ${oneOf(REPORTS_EN)}(?: me| us)?$`,
  ),
  ofMoment: words(`
    you, your, yours, this one, loves, likes, hates, feel, feeling, guess, wonder, tired, sorry,
    sick of, stuck,
    kind of, sort of, joke, bored, I (?:hate|love|like|prefer), my goal is, late, needs to,
    has to, admit, a lot these days, here for the weekend, is done, again, something, as though,
    as if, is my (?:brother|sister|friend|life|love|religion), asks?, coming up, hungry, confused,
    curious, dunno, imaginary, ugh, queue, airport, killing me, letter, poem, haiku,
    (?:i|we|my \\p{L}+)(?:['’]d(?! never)| would| could),
    my (?:character|protagonist), errors?, \\p{L}+(?:error|exception),
    have (?:only )?\\S+ (?:minutes|questions?), due (?:at|today|tonight|tomorrow|in \\d+),
    ${WHERE_EN}, in \\d+ ?(?:mins?|minutes),
    (?:meeting|call|appointment) in \\d+, locally,
    throws?, crash(?:es|ed|ing)?, hangs, freezes, frozen, fail(?:s|ed|ing)?, broken,
    (?:is|are)(?:n['’]t| not) working,
    locked, log in, for this \\p{L}+(?: \\p{L}+)? only, only (?:for )?this \\p{L}+,
    just this once, this time
  `),
  own: words("i, i['’](?:m|ve|ll), my, me, we, we['’](?:re|ve|ll), our, us, mine"),
  subject: /(?<!\p{L})(?:i|we)(?:['’](?:m|re|ve))?(?= )|^(?:and |but )?(?:my|our) | gives? me /iu,
  fleeting: lazyPattern(
    "(?<!\\p{L})(?:I|we)(?:['’](?:m|re|ve|ll|d))? " +
      '(?:(?:also|just|really|still|only|already|never|' +
      `don['’]t|do not|can['’]t|have|am|are) )*${oneOf(`
    think, want, need, ask, see, know, mean, hope, believe, say, guess, get, got, find, look,
    looking, going, trying, try, having, making, getting, thinking, calling, waiting, sitting,
    eating, watching, reading, crying, lost, here, back, home, not, so, very, too, about, just,
    ready, done, sure, afraid, happy, glad, sad, late, early, off, out, forget, understand,
    remember, promise, swear, wish, care, mind, bet, suppose, doubt, agree, appreciate, framing,
    the one, have a (?:question|problem|call|feeling|headache), had, been, do, did, have to, owe
  `)}(?!\\p{L})|(?<!\\p{L})(?:we|I)['’]ll(?!\\p{L})`,
    'iu',
  ),
  lasting: words(`
    married, divorced, engaged, single, widowed, pregnant, retired, unemployed, self-employed,
    freelance, bilingual, dyslexic, autistic, diabetic, epileptic, asthmatic, anemic, deaf, blind,
    near-?sighted, coeliac, celiac, vegan, vegetarian, pescatarian, teetotal, sober, allergic,
    intolerant, left-handed, right-handed, adhd, \\p{L}+-free, colou?r-?blind
  `),
  past: lazyPattern(
    "(?<!(?:(?:(?<!\\p{L})(?:is|are|am|be|been|get|gets|have|has)|['’](?:m|re|s|ve))" +
      '(?: \\p{L}+)?|' +
      '(?<!\\p{L})(?:an?|the|my|our)) )(?<!\\p{L})' +
      '(?!(?:named|called|based|used|need|indeed|allergic)(?!\\p{L}))' +
      oneOf(`
    \\p{L}{2,}[^\\P{L}e]ed, was, were, went, had, did, got, came, took, ran, saw, met, sent,
    wrote, told, gave, made, found, lost, spent, felt, thought, knew, heard, forgot, left, kept,
    bought, sold, ate, drank, slept, drove, flew, began, broke, brought, built, caught, chose,
    fell, held, paid, rang, sang, sat, spoke, stood, swam, taught, threw, tore, woke, wore, won,
    threw, died, lied, cut, wasn['’]t, didn['’]t
  `) +
      '(?!\\p{L})',
    'iu',
  ),
  event: words(`
    (?:got|getting|been|was|were) (?:married|engaged|divorced|promoted|diagnosed|born|hired),
    (?:got|getting|been|was|were) laid off,
    ${DONE_EN},
    (?:started|starting) (?:at|a new|as|my|university|college|school),
    bought (?:a|an|our|my) (?:\\p{L}+ )?(?:house|flat|apartment|car|van|dog|horse|boat|farm),
    ^(?:allergic to|training for|flying to|travell?ing to|staying (?:in|at|with)) \\S+,
    ^(?:moving to|based in|married|retired|vegetarian|vegan|insulin dependent) \\S+,
    ^(?:wheelchair user|two kids|three kids|been \\p{L}+ since|working at|starting at) \\S+,
    ^living in \\S+, ^(?:two|three|four) (?:kids|children|cats|dogs|boys|girls|daughters|sons),
    (?:name|shoe|clothes|dress) ?(?:['’]s|size), born (?:in|on), expecting, diagnosed with,
    (?:my|our) (?:\\p{L}+ )?\\p{L}+ (?:died|passed away), grew up, moved (?:to|in|into),
    put away, broke up, passed my, used to (?:be|work|live)
  `),
  state: words(`
    is, are, \\p{L}+['’]s, has, have,
    (?<=\\p{L} )(?!this|plus|thus|perhaps|always|towards|across|\\p{L}+ous)\\p{Ll}{2,}[a-rt-z]s,
    goes, passes, needs, must,
    cannot, can['’]t, starts?, ends?, moved to, called, named, every, each
  `),
  standing: anyOf(
    String.raw`^(?:(?:and|also|please|one more thing:?),? )*` +
      '(?:whenever|every time|any ?time) (?:you|i) ',
    String.raw`^(?:(?:i )?prefer|keep|use|give me|stick to|no|only|always|never|` +
      String.raw`(?:you can )?(?:drop|skip|stop))(?!\p{L})[^?]*` +
      oneOf(`
        answers, replies, bullet points, prose, emojis?, apologies, disclaimers, metric, imperial,
        units, 24h?, 24-hour, jargon, small talk, (?:british|american) (?:english|spelling)
      `),
    String.raw`^when(?:ever)? (?:you|i) [^?]*(?<!\p{L})(?:use|give|keep|show|write|answer|only|` +
      String.raw`always|never|don['’]t)(?!\p{L})`,
    String.raw`^in this (?:repo|project|codebase|workspace|chat),? (?:we )?(?:always|never|` +
      String.raw`only|no|` +
      String.raw`use|don['’]t)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:everything|anything|whatever) you (?:write|send|make|do)(?!\p{L})`,
    String.raw`^(?:metric|imperial)(?: units)?(?!\p{L})`,
    String.raw`^(?:do me a favou?r and |please |just |you can |and )*call me \p{L}+`,
  ),
};

const REPORTS_DE = 'sagt, sagte, meint, meinte, behauptet, schreibt, schrieb, glaubt, denkt';

/** What changes a life once it is done: `Wir haben ein Haus gekauft`. */
const DONE_DE =
  String.raw`(?:habe?|haben|hab|bin|sind|ist|wurde)(?: \S+)* ` +
  oneOf(`
    geheiratet, angefangen, begonnen, gekündigt, gewechselt, umgezogen, gezogen, adoptiert,
    \\p{L}*(?:haus|wohnung|auto|hund) (?:ge|ver)kauft,
    geboren, aufgehört, gegründet, studiert, abgeschlossen, promoviert, aufgewachsen, angemeldet,
    eingezogen, getrennt, verlobt, diagnostiziert, umgestiegen, eröffnet, geworden,
    auf die Welt gekommen, entschieden, beschlossen, geeinigt, abgebrochen, ausgetreten, getauft,
    befristet, beauftragt, verheiratet, geschieden, allergisch, gelernt\\p{L}*
  `);

const DE: PlainStatementWords = {
  opening: opening(
    `
    guten (?:morgen|tag|abend), hallo, hi, hey, moin, servus, grüß dich,
    kurzes? (?:info|update|frage), übrigens, (?:nur )?zur info, (?:kleine )?korrektur,
    zum hintergrund, (?:kurz )?zu mir, also, ok(?:ay)?, außerdem
  `,
    'ach(?: ja)?, ja, nein, danke, super, klar, nee',
  ),
  remember: lazyPattern(
    '^(?:(?:bitte )?(?:merke? dir|notiere?(?: dir)?|denk daran|behalte? (?:bitte )?im kopf|' +
      'vergiss nicht)(?: bitte)?(?:,? dass|:|,)? )',
    'iu',
  ),
  clauseEnd:
    /[;…–—()]\s*|:\s+|\s-\s|,\s+|\s(?=(?:aber|weil|denn|falls|wenn|und (?:krieg|jetzt))\s)/gu,
  but: /^aber(?!\p{L})/iu,
  asks: beginning(
    '(?:und|also|aber|jetzt|dann) ',
    `
    antwort\\p{L}*, wieviele?, setz, führ\\p{L}*, kannst, könntest, können, könnten, kann, darf,
    würdest,
    was, wie, warum, wieso, weshalb, wann, wo, wohin, woher, welch\\p{L}*, wer, bitte, gib, sag,
    zeig, schreib, mach, pass, kürz\\p{L}*, lösch\\p{L}*, änder\\p{L}*, entfern\\p{L}*,
    sortier\\p{L}*, empfiehl, hilf, erkläre?, erstelle?, suche?, finde?, frag, spiel(?:e)?, stell,
    angenommen, nenne?, vergleiche?, übersetz\\p{L}*, formulier\\p{L}*, bau, mal, lies, schau,
    rechne, dichte, erzähle?, prüf\\p{L}*, korrigier\\p{L}*, plane?, empfiehl, schlag, fass, wenn,
    falls, ob, bilde, (?:brauchen|haben|müssen|dürfen|sollen|sind|können) wir,
    (?:bin|hab|habe|darf|kann) ich, gibt es, gibts, hast, danke, brauche?, ich bräuchte?,
    ich brauche?, ich möchte,
    ich suche, ich hätte gern\\p{L}*, sollte?, soll ich, muss ich, wäre, lohnt
  `,
  ),
  condition: lazyPattern(
    '^(?:(?:aber )?nur )?(?:(?:wenn|falls)(?! (?:du|Sie|(?:das|es) hilft|möglich|nötig))|' +
      'sofern|solange|es sei denn)(?!\\p{L})',
    'iu',
  ),
  doubt: doubtful(
    '^oder(?: (?:war|waren|ist|sind|doch)(?!\\p{L})|$)|^nicht wahr$',
    `^${oneOf(REPORTS_DE)} (?:mein|unser|der|die|er|sie|\\p{Lu})`,
    `^(?:er|sie|(?:mein|unser|der|die)\\p{L}* \\p{L}+) ${oneOf(REPORTS_DE)}$`,
  ),
  ofMoment: words(`
    du, dir, dich, dein\\p{L}*, Ihnen, müde, glaube?, denke?, frage? mich, versuche?, irgendwie,
    leid, Lust, überleg\\p{L}*, stinksauer, kannst, können Sie, gern für, kotzt, nervt,
    langweilig, boah, wahnsinn, Gedanken,
    sauer, ich (?:mag|liebe|hasse), (?:mag|liebe|hasse) ich, müsste, sollte, leben? von, Traum,
    nicht so, damals, (?<!(?:bin|war|waren) )früher, Frage, Bescheid,
    in \\d+ (?:min\\p{L}*|stunden?),
    im meeting, in einer besprechung,
    spinnt, spinnen, blinkt, blinken, abgestürzt, stürzt ab, hängt sich auf, kaputt, nix,
    (?:funktioniert|klappt|lädt) nicht, seit gestern, (?:wollten?|wollt) eigentlich, diesmal,
    ausnahmsweise, nur (?:für )?dies\\p{L}*
  `),
  subject:
    /(?<!\p{L})(?:ich|i|wir)(?!\p{L})|^(?:mein|unser)\p{L}* |^(?:bin|hab|fahr|wohn|arbeit|nehm)/iu,
  own: words(
    'ich, i, mein\\p{L}*, mir, mich, wir, uns, unser\\p{L}*, ' +
      '^(?:bin|habe?|nehme?|fahre?|wohne?|arbeite|esse|trinke|lerne|spiele|mache?|zieh)',
  ),
  fleeting: words(`
    (?:ich|wir) (?:will|wollen|möchten?|würden?|hätten?|könnten?|finde|suche|frage|wünsche),
    (?:ich|wir) (?:sage| meine|verstehe|weiß|hoffe|krieg(?:e)?|sehe?|höre?|komme? nicht),
    (?:ich|wir) (?:gehe? jetzt|muss|müssen|sollten?),
    (?:(?:ich|wir) )?(?:bin (?:so|jetzt|gerade?|grad|total|echt|völlig|sehr|auch|nicht|dann)),
    (?:ich|wir) (?:hab(?:e)? (?:keine Ahnung|Hunger|Durst|Kopfschmerzen|Angst)), schieb, steh am
  `),
  lasting: words(`
    (?:ich )?bin (?!grad|total|echt|völlig|sehr|auch|nicht|dann|jetzt)\\p{L}{4,}, verheiratet,
    geschieden, ledig, verlobt, schwanger, in Rente,
    selbst(?:st)?ändig, alleinerziehend, farbenblind, taub, blind, vegan, veganerin,
    vegetarier(?:in)?, allergisch, \\p{L}*intolerant, zöliakie, diabetiker(?:in)?,
    linkshänder(?:in)?
  `),
  past: lazyPattern(
    `(?<!\\p{L})(?:${oneOf(`
    war, waren, hatte, hatten, wurde, wurden, ging, kam, machte, sagte, meinte, fand, stand, gab,
    sah, ließ, dachte, wollte, musste, konnte
  `)}(?!\\p{L})|(?:habe?|hat|haben|bin|ist|sind|['’]s)(?!\\p{L})(?:\\s\\S+)*?\\s` +
      '(?:\\p{Ll}*ge\\p{Ll}{2,}(?:t|en)|\\p{Ll}+iert|[vb]er?\\p{Ll}+(?:t|en))' +
      '(?=[,.!]|$|\\s(?:und|aber|oder)))',
    'iu',
  ),
  event: words(
    `
    ${DONE_DE},
    war (?:früher )?Lehrerin, zieh(?:e|en)?, heirate(?:n)?
  `,
  ),
  state: words(`
    ist, sind, hat, haben, heißt, heißen, läuft, liegt, beträgt, muss, müssen, \\p{Ll}\\p{Ll}+t,
    wird
  `),
  standing: anyOf(
    String.raw`^(?:(?:bitte|und|also),? )*` +
      String.raw`(?:antworte\p{L}*|schreib\p{L}*|sprich|erklär\p{L}*) (?:mir )?` +
      String.raw`(?:bitte )?(?:immer|stets|nur|grundsätzlich|auf \p{L}+)`,
    String.raw`(?<!\p{L})(?:duze?|sieze?|nenn(?:e|en|t)?|(?:duz|siez|nenn)en Sie) mich(?!\p{L})`,
    String.raw`(?<!\p{L})das gilt (?:generell|immer|ab jetzt|für alle\p{L}*)(?!\p{L})`,
    String.raw`^(?:bitte )?in diesem (?:projekt|repo|chat),? (?:bitte )?(?:immer|nie|nur|` +
      String.raw`keine?)(?!\p{L})`,
    String.raw`^(?:bitte )?bei (?:allen )?\p{L}+(?:n|r|s) [^?,]*(?<!\p{L})bitte(?!\p{L})`,
    String.raw`^(?:bitte )?(?:erst|keine?|nur|immer|kurze?|in zukunft|ab jetzt) [^?]*` +
      oneOf(`
        antwort\\p{L}*, begründung, floskeln, emojis?, anglizismen, listen?, aufzählungen, fließtext
      `),
  ),
};

const REPORTS_ES = 'dice, dijo, escribe, escribió, afirma, afirmó, cree, según';

const ES: PlainStatementWords = {
  opening: opening(
    `
    buen(?:os|as)? (?:días|tardes|noches|día), hola, buenas, che, oye, mira, ojo(?: que)?,
    por cierto, una cosa, para que sepas, te (?:cuento|comento), (?:un poco de )?contexto,
    corrección, además, sobre mí
  `,
    'perdón, bueno, ok, vale, gracias, sí, no, ah',
  ),
  remember: lazyPattern(
    '^(?:(?:por favor,? )?' +
      '(?:recuerda|recordá|acuérdate de|anota|anotá|apunta|apuntá|ten en cuenta|' +
      'tené en cuenta|toma nota(?: de)?|no olvides|guarda)(?: que|:|,)? )',
    'iu',
  ),
  clauseEnd: /[;…–—()]\s*|:\s+|\s-\s|,\s+|\s(?=(?:así que|asi q|pero|porque|aunque|si)\s)/gu,
  but: /^pero(?!\p{L})/iu,
  asks: beginning(
    '(?:y|pero|así que|entonces|ahora) ',
    `
    ¿.*, puedes, podés, podrías, qué, cómo, por qué, dónde, cuál(?:es)?, quién, cuándo,
    cuánto\\p{L}*, dame, dime, decime, muéstra\\p{L}*, escrib[ei]\\p{L}*, haz\\p{L}*, hacé,
    ayúda\\p{L}*, explic\\p{L}*, búsca\\p{L}*, busca, recomiénd\\p{L}*, si, por favor, gracias,
    necesito, quiero, quisiera, me gustaría, sugi[eé]r\\p{L}*, pásame, ponme, pon, dale,
    prepár\\p{L}*, arma\\p{L}*, armá\\p{L}*, traduc\\p{L}*, corr[ií]g\\p{L}*, resum\\p{L}*,
    redact\\p{L}*, calcul\\p{L}*, compar\\p{L}*, cuéntame, contame, imagin\\p{L}*,
    sup[oó]n\\p{L}*, pongamos, digamos,
    finge, alguna?, algún, hay, vale la pena, sirve, invent\\p{L}*, propon\\p{L}*, revisa\\p{L}*,
    adapta\\p{L}*, cambia, borra\\p{L}*, quita\\p{L}*, añade, agrega\\p{L}*, ordena\\p{L}*,
    organiza\\p{L}*, planifica\\p{L}*, continúa, sigue, respond\\p{L}*
  `,
  ),
  condition: lazyPattern(
    '^(?:(?:pero )?s[oó]lo )?(?:si(?! (?:te|me|puedes|podés|quieres|ayuda|sirve|es posible))|' +
      'a menos que|siempre que|mientras)(?!\\p{L})',
    'iu',
  ),
  doubt: doubtful(
    '^¿?o (?:era|eran|es|son|fue)(?!\\p{L})|^¿?(?:no|verdad)$',
    `^${oneOf(REPORTS_ES)} (?:mi|nuestr[oa]|el|la|él|ella|\\p{Lu})`,
    `^(?:él|ella|(?:mi|nuestr[oa]|el|la) \\p{L}+) ${oneOf(REPORTS_ES)}$`,
  ),
  ofMoment: words(`
    tú, te, tu, tus, usted, cansad[oa], creo, siento, parece, pareció, ganas, puedes, podés,
    hart[oa], se me olvida, por decir algo, me duele, favor, no digo, no es que, odio,
    me gusta\\p{L}*, me encanta\\p{L}*, tengo que, (?:afirma|cree|piensa|asegura)n? que, esta vez,
    no (?:me )?(?:funciona|carga|arranca|deja|abre), falla, fallan,
    se (?:me )?(?:cuelga|cae|traba), peta,
    da error, avería, sin querer, estoy en una (?:reunión|llamada), parpadea\\p{L}*,
    s[oó]lo (?:por |para )?est[ea]
  `),
  subject: /(?!^(?:en|con|por|para|de|a) )/u,
  own: words(`
    ^(?:tomo|uso|llevo|juego|estudio|trabajo|vivo|hablo|toco|como|bebo|fumo|corro|nado),
    ^(?:calzo|peso|mido|padezco|sufro), yo, mi, mis, me, nos, nuestr\\p{L}*, \\p{L}{2,}[aei]mos,
    soy, somos, tengo, estoy, voy,
    \\p{L}{3,}o(?= (?:en|de|con|a|por|para|el|la|los|las|un|una|desde|como|todos?|\\d))
  `),
  fleeting: words(`
    espero, puedo, veo, digo, supongo, pregunto,
    estoy (?:en|a|con|muy|tan|en la|fatal|mal|bien|list[oa]|segur[oa]), no sé,
    me (?:robaron|pasó|dijo|dijeron|llamó), tengo (?:hambre|sueño|frío|miedo|para rato|que), voy a
  `),
  lasting: words(
    'embarazada, diabétic[oa], celíac[oa], vegan[oa], vegetarian[oa], jubilad[oa], ' +
      'casad[oa], divorciad[oa], soltero, soltera, viud[oa], ' +
      'soy \\p{L}{3,}, tengo \\p{L}{3,}, me llamo \\p{L}+, no (?:como|bebo|fumo) \\p{L}+, calzo .+',
  ),
  past: words(`
    \\p{L}{2,}(?:é|ó|aron|ieron|aba|aban|ábamos), fui, fue, fueron, hice, hizo, tuve, tuvo, dijo,
    vino, estuve, estuvo, era, eran, había, (?:he|ha|han|hemos) \\p{L}+(?:ado|ido|to|cho)
  `),
  event: words(`
    me (?:casé|caso|mudé|mudo|divorcié|gradué|jubilé|apunté|operé|operaron|operan),
    me (?:diagnosticaron|separé|he mudado|acabo de \\p{L}+), nos (?:casamos|mudamos), nací,
    empecé, empiezo, dejé, compr(?:é|amos), adopt(?:é|amos), vendí, estudié, crecí, fundé,
    mont(?:é|amos), abrimos, abrí,
    (?:he|hemos) (?:empezado|dejado|comprado|adoptado|cambiado|fundado|contratado|elegido),
    (?:he|hemos) decidido, decidimos, acordamos, quedamos en,
    acabo de (?:entrar|mudar\\p{L}*|empezar)
  `),
  state: words(`
    es, son, está, están, tiene, tienen, se llama, se llaman, vive, trabaja, cumple, empieza,
    sale, termina, cuesta, vence, será, sube a, usa, lleva
  `),
  standing: anyOf(
    String.raw`(?<!\p{L})(?:no me trates de|tut[eé]ame|tr[aá]tame de|háblame de|ll[aá]mame|` +
      String.raw`(?:resp[oó]ndeme|cont[eé]stame) (?:siempre|en|con)|prefiero que me)(?!\p{L})`,
    String.raw`^(?:por favor,? )?(?:respuestas|sin|nada de) [^?]*` +
      String.raw`(?:respuestas|cortas|breves|emojis?|` +
      String.raw`rodeos|disculpas|tecnicismos)`,
    String.raw`^en este (?:repo|proyecto|chat),? (?:nada de|siempre|nunca|usa|s[oó]lo|no)(?!\p{L})`,
    String.raw`^(?:por favor,? )?no (?:me )?(?:uses?|use|hables|pongas|ponga) (?:\p{L}+ )?` +
      String.raw`(?:tecnicismos|emojis?|jerga|anglicismos|rodeos|mayúsculas|disculpas)`,
  ),
};

const ZH: PlainStatementWords = {
  opening: lazyPattern(
    '^(?:(?:你好呀?|您好|嗨|哈喽|早上好|早|晚上好|对了|哦|啊|嗯|好的?|顺便说一下|另外|补充一下|说明一下|背景|' +
      '先说一下|之前说错了|更正一下)[，,。！!：:\\s]*)+',
    'u',
  ),
  remember: /^(?:请|麻烦|帮我)?(?:记住|记一下|记下来?|记得|备注一下|备忘)(?:了|哦|啊)?[，,：:\s]*/u,
  clauseEnd: /[;；：…–—()（）]\s*|[，,、]\s*|(?<=\p{Script=Han})[:\s]+(?=\p{Script=Han})/gu,
  but: /^(?:但是?|不过)/u,
  asks: lazyPattern(
    '^(?:那|所以|请)?(?:能不能|可以|帮|给我|怎么|什么|为什么|哪|有没有|有什么|有啥|如果|要是|推荐|写|麻烦|谢谢|' +
      '安慰|继续|接着|翻|把|下面是|从哪|求|来[个点]|讲|说说|解释|列|算|查|假设|假如)',
    'u',
  ),
  condition: /^(?:如果|要是)(?!你|可以|方便)|^(?:除非|只要|假如)/u,
  doubt: /^.{1,6}说的$|^(?:还是(?!.*了)|对[吗吧]|是[吗吧]|才怪)/u,
  ofMoment: lazyPattern(
    '你|您|觉得|感觉|报错|崩溃|[打登连]不[开上]|坏了|卡[住死]|闪退|没反应|在开会|多少|[先就]当|我先|' +
      '这周|本周|这[次单]|退货|口吻|作文|好累|帮|想(?!念)|问|怎么|什么|正在(?!学)|刚才|等会|一下|' +
      '无聊|难过|[气困]死|快递|不停|(?:喜欢|要)[这那第]|叫我|角色',
    'u',
  ),
  subject:
    /我|咱|本人|^(?:大|小)?(?:女儿|儿子|孩子|老婆|老公|爸|妈|父母)|^(?:老板|领导|房东|医生|老师)(?:是|叫|姓)/u,
  own: /我|咱|本人|^(?:大|小)?(?:女儿|儿子|孩子|老婆|老公|爸|妈|父母)|^(?:老板|领导|房东|医生|老师)(?:是|叫|姓)/u,
  fleeting:
    /我(?:今天|现在就|刚刚?到|要去|得去|去|看|听|试|写|说|知道|发现|找|能|可以|没|把|被|需要|猜|怕)/u,
  lasting: /我(?:是|有|叫|不[吃喝]|对|姓|住|属)/u,
  past: /了$/u,
  event:
    /结婚|离婚|搬[到家去]|毕业|入职|跳槽|辞职|离职|买了(?:房|车)|领养|怀孕|戒了|退休|订婚|生了|换(?:了|成)|考[上过]|确诊|去世|预产期|定了|决定/u,
  state:
    /是|叫|在|用|有|定|[:：]|为|到|姓|属|每|共|超过|发|身高|鞋码|体重|工资|房贷|预算|血型|月|要/u,
  standing: lazyPattern(
    '别叫我|叫我\\S{1,6}(?:就行|就好|吧)|直接给结论|回答(?:尽量|要|请|用|都|别|不要)|不用每次|' +
      '以后[^，。？！]{0,10}?(?:都|一律|用|叫|回答|别|不要|直接|先)|' +
      '^(?:这个|本)(?:项目|仓库|工程)里?[^？]*(?:一律|不要|必须|只)|别老是|不要(?:每次|总是)|代码(?:里|都|注释)?(?:用|写)',
    'u',
  ),
};

export const PLAIN_STATEMENT_WORDS: Readonly<Record<Language, PlainStatementWords>> = {
  en: EN,
  de: DE,
  es: ES,
  zh: ZH,
};
