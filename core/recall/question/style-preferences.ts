/**
 * Recognizes how somebody wants texts written and answers given, and questions about it, in
 * English, German, Spanish and Chinese. Such a wish comes up in passing ("I think in miles", "halt
 * dich kurz"). A later question asks for it in other words ("How are the distances shown?", "Wie
 * ausführlich darf die Antwort sein?"): both are about one aspect of a text.
 */
import { isQuestion } from '../../text/question.ts';
import { anyWholeWord } from '../../text/pattern.ts';
import { prefilter } from '../../text/prefilter.ts';
import { requestsText } from './text-requests.ts';

/** Matches one of the entries as whole words; an entry may go on in the next line after a `|`. */
function whole(list: string): string {
  const lined = list.replaceAll(/(?<=\|)\s+/gu, '').replaceAll(/\s+/gu, ' ');
  return anyWholeWord(lined);
}

/** A few words in quotes. */
const QUOTED = String.raw`["“”„«‘'「『][^"“”„«»「」『』]{1,40}["”“»’'」』]`;
const LANGUAGE = `English|German|Spanish|French|Italian|Catalan|Portuguese|Chinese|Mandarin|Polish`;
const COUNT =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|ten|a couple of|ein|eine[nr]?|zwei|drei|vier|' +
  'fünf|un|una|dos|tres|cuatro|cinco)';

/** By aspect of a text: what asks for it, and what settles it. */
const ASPECTS = {
  /** Words that are wanted, or not wanted. */
  words: {
    asked:
      whole(`
        (?:which|what)(?: \\p{L}+)? (?:words?|wording|vocabulary|expressions?|phrases?|terms?),
        wording, steer clear of, leave out, must not (?:appear|occur|contain), vocabulario,
        weglass\\p{L}+, nicht vorkommen, darf nicht rein,
        welche[nrs]? (?:Wörter|Wort|Ausdrücke?|Begriffe?|Wendung(?:en)?|Floskeln?),
        qué(?: \\p{L}+)? (?:palabras?|términos?|expresi[oó]n(?:es)?), dej\\p{L}+ fuera,
        no deben? aparecer, omit\\p{L}+
      `) + '|哪[些个]?(?:词|字眼|说法|话)|套话|什么词|用词|措辞|[不别](?:能|要|该)?(?:出现|写进)',
    settled:
      `(?:${whole(`
        no, not, never, nor, nothing with, nobody, without, don['’]?t, stop, drop, avoid, isn['’]t,
        instead of, rather than, kein, keine?[nrms]?, nie, niemals, nicht, ohne, statt, nix, no,
        nada de, nunca, ni, sin, jamás, en vez de
      `)}|不|别|没).{0,60}${QUOTED}|${QUOTED}.{0,40}(?:${whole(`
        is out, are out, is banned, nicht mehr, nicht, verboten, tabu, weg, fuera, prohibid[oa]s?,
        no
      `)}|不[要准许行写])|` +
      whole(`
        don['’]?t say, never say, nunca pongas, no digas, nicht sagen, jargon, buzzwords?,
        (?:englische|fremde)[nr]? (?:Wörtern?|Ausdrücken?), Fremdw[oö]rt\\p{L}*, Anglizismen,
        Abkürzungen, Fachchinesisch, (?:foreign|swear|long) words, slang, acronyms, abbreviations,
        tecnicismos, anglicismos, palabrotas, abreviaturas, palabras (?:en inglés|raras)
      `) +
      '|不写|别写|套话|不说|(?:不|别)用.{0,4}(?:词|英文|术语|缩写)|网络用语',
  },
  /** Greeting, form of address and closing. */
  address: {
    asked:
      whole(`
        greet(?:s|ing|ed)?, salutation, address(?:ed)?, refer to, sign(?:ed)? off, signature, be
        closed, close it, it end, does it (?:start|begin|open), words does it end, start with,
        Anrede, angeredet, ansprech\\p{L}*, begrüß\\p{L}*, beginnt, endet, Gruß\\p{L}*, Schluss,
        unterschr\\p{L}*, du oder Sie, saludo, despedida, firma, diri[gj]\\p{L}*, trat[aeo]\\p{L}*,
        tutear?, se despide
      `) + '|称呼|落款|署名|开头|结尾|末尾|最后一行|怎么叫|敬语',
    settled:
      whole(`
        (?:finish|end|close|open|start|begin)s? (?:it |them )?with, sign(?:s|ed)? (?:it|off|as),
        always ends, regards, Yours, call me, (?:first|last|sur)names?, Mr, Mrs, Ms, Dear, Hi,
        title, f[aä]ng\\p{L}* (?:\\p{L}+ )?mit, anreden, Anrede, reden wir, duz\\p{L}*, siez\\p{L}*,
        per du, per Sie, beim Du, beim Sie, Grüße?n?, Liebe[rs]?, Vornamen?, Nachnamen?, Frau,
        Herrn?, usted, de tú, de vos, tute\\p{L}*, tr[aá]t\\p{L}*, don, doña, saludos?, despedida,
        firm\\p{L}+, apellidos?, nombre de pila
      `) + '|称呼|叫我|[您你]|落款|署名|敬语|此致',
  },
  length: {
    asked:
      whole(`
        how (?:long|short|detailed|much detail|brief), length,
        how many (?:\\p{L}+ )?(?:lines|sentences|words|paragraphs|points|things|items|comments|
        questions), wie (?:lang|kurz|ausführlich|knapp), Länge, Umfang,
        wie viele (?:\\p{L}+ )?(?:Sätze|Zeilen|Wörter|Worte|Punkte|Anmerkungen|Absätze|Seiten),
        qué (?:tan )?(?:larg[oa]|extens\\p{L}+|longitud),
        cu[aá]nt[oa]s (?:líneas|frases|palabras|párrafos|oraciones|cosas|puntos)
      `) + '|几[行句段条件字]|多长|多少字|说多少|篇幅|长短',
    settled:
      `(?<!\\p{L})${COUNT} (?:\\p{L}+ )?${whole(`
        lines?, sentences?, words?, paragraphs?, bullets?, points?, pages?, things?, questions?,
        items?, Zeilen?, Sätze?n?, Satz, Worte?n?, Wörter, Absätze?n?, Seiten?, Punkte?n?, Dinge?,
        Fragen?, líneas?, frases?, palabras?, párrafos?, oraci[oó]n(?:es)?, cosas?, puntos?,
        preguntas?
      `)}|` +
      whole(`
        keep it (?:short|brief), short, brief(?:ly)?, to the point, no essays?, long-winded,
        at most, kurz, knapp, höchstens, maximal, Romane?, ausführlich, breve\\p{L}*, cort[oa]s?,
        como mucho, máximo, al grano
      `) +
      '|[一两二三四五六七八九十\\d]+[句行段条]|就三|短|简短|啰嗦|长篇|一回只|最多',
  },
  order: {
    asked:
      whole(`
        (?:come|go|stand|put)e?s? (?:first|last|on top), (?:what|which) order, in order, begin with,
        at the (?:top|end), laid out, goes where, Reihenfolge, zuerst, zuletzt, am Anfang, oben,
        kommt als, (?:erste|letzte)[rn]? (?:Satz|Zeile), (?:first|opening|last) (?:sentence|line),
        (?:primera|última) (?:frase|línea|oración), orden, primero, arranca, empieza,
        al principio, al final, va el, va la
      `) + '|顺序|先|放在?[前后哪开最]|排在|开头|第一[句行]|[最末]后?一?[句行]',
    settled:
      whole(`
        first, up top, on top, at the (?:top|end|bottom|start), underneath, last, before anything,
        then the, zuerst, zuletzt, vorne, oben, unten, am Anfang, am Ende, am Schluss,
        an den Schluss, als Erstes, primero, al principio, al final, arriba, abajo, después
      `) + '|先[^。]{0,14}[再后]|放[在到]?[前后开最]|开头|最后|前面|后面',
  },
  language: {
    asked:
      whole(`
        (?:what|which) language, tongue, dialect, translat\\p{L}+, Sprache, Mundart, Dialekt,
        idioma, lengua, dialecto, ${LANGUAGE.replaceAll('|', ', ')}
      `) + '|语言|什么[话字文]|哪种[话字文]|英文|中文|繁体|简体|方言|文字',
    settled:
      whole(`
        in (?:${LANGUAGE}), (?:British|American) (?:spelling|English), hochdeutsch, Mundart,
        auf (?:Deutsch|Englisch|Spanisch|Französisch|Türkisch|Polnisch|Russisch|Hochdeutsch|Platt),
        nach der Schrift, lo suyo es el \\p{L}+,
        en (?:inglés|español|castellano|catalán|gallego|euskera|francés|portugués|alemán)
      `) + '|英文|中文|英语|普通话|方言|四川话|粤语|文言|白话|日语|繁体|简体',
  },
  /** Units, numbers, dates and amounts. */
  figures: {
    asked:
      whole(`
        units?, distances?, temperatures?, weights?, currenc(?:y|ies),
        (?:be|is|are|it|they) (?:shown|given|written|quoted), quote me,
        how (?:is|are|do|does|will|should) the (?:date|amount|price|number|time|sum)s?,
        Einheit(?:en)?, Maßeinheit, Währung, Betrag, wie steht, Datum, Uhrzeit, unidad(?:es)?,
        medida, moneda, se anota, se escriben?, en qué me lo, monto, fecha
      `) + '|单位|怎么[写标记]|日期|金额|价格',
    settled:
      whole(`
        (?:in|think in|with) (?:miles?|kilomet\\p{L}+|kilos?|grams?|ounces?|pounds?|feet|inches|
        met(?:er|re)s|celsius|fahrenheit|euros?|dollars?|PSI|bar), PSI, celsius, fahrenheit,
        foot pounds, metric, imperial, decimals?, brackets, month out, day in front, in letters,
        military time, in (?:Gramm|Kilo|Euro|Meilen|Kilometern|Grad), Komma, Dezimal\\p{L}*,
        Tausender\\p{L}*, Klammern, decimales, coma, punto para, paréntesis, los bares,
        en (?:gramos|kilos|euros|dólares|pesos|millas|kilómetros|grados|PSI|letras),
        las presiones, la hora en
      `) + '|公斤|市斤|摄氏|华氏|小数|括号|二十四小时|大写|阿拉伯数字|人民币',
  },
  tone: {
    asked:
      whole(`
        tone, manner, blunt(?:ly)?, gentle, gently, style, Ton(?:fall)?, Tonlage, Stil, tono,
        estilo, digan? (?:las cosas|la verdad), le hablen?, manera
      `) + '|语气|口气|风格|怎么跟我说|态度',
    settled:
      whole(`
        straight, blunt(?:ly)?, sugar-?coat\\p{L}*, compliments?, praise, compliment sandwich,
        formal, informal, casual, friendly, polite, stiff, flowery, sound like, plain,
        honest(?:ly)?, Lob, direkt, ehrlich, ohne Umschweife, Klartext, locker, förmlich,
        freundlich, steif, Ratschläge, sin rodeos, rodeos, directo, de frente, cercan[oa], serio,
        halagos?, lo malo
      `) + '|直[说接]|别夸|客气|严肃|亲切|人话|官腔|拍马',
  },
  layout: {
    asked:
      whole(`
        layout, laid out, set out, format(?:ted)?, look like, typeface, printed, how large, size,
        tables?, bullets?, emojis?, decorat\\p{L}+, exclamation (?:marks?|points?), punctuation,
        aussehen, aussieht, Form, Aufbau, gegliedert, Gliederung, Schriftgröße, Tabellen?, formato,
        aspecto, presentaci[oó]n, tabla, disposici[oó]n
      `) + '|排版|格式|表情|标点|样子|字号|字体',
    settled:
      whole(`
        tables?, columns?, bullet(?: point)?s?, numbered, lists?, emojis?, smileys?,
        (?:pictures|faces) out, capitals?, all caps, bold, italics, font, sixteen point, big type,
        large print, to a line, empty line, line breaks?, paragraphs,
        exclamation (?:marks?|points?), headings?, markdown, plain text, Tabellen?, Spalten?,
        Stichpunkte?n?, Aufzählung(?:en)?, fett, kursiv, Großbuchstaben, Ausrufezeichen,
        Absätze?n?, Sternchen, Doppelpunkt, gegendert, gendern, Fließtext, Frage und Antwort,
        tablas?, columnas?, viñetas, negritas?, mayúsculas, exclamaciones,
        signos de exclamaci[oó]n, emoticonos?, caritas, párrafos, renglones
      `) + '|表格|列[成个]|感叹号|表情|分[行段点]|加粗|字号|大字|标点|换行|空行',
  },
  /** Code, and names of files. */
  code: {
    asked:
      whole(`
        file ?names?, name (?:these|this|the), call the (?:photo|file|folder|export|document),
        exports?, code, coding, query, queries, indent\\p{L}*, codebase, repo(?:sitory)?, commits?,
        comments, branch(?:es)?, Datei(?:en)?, Dateiname\\p{L}*, Commit\\p{L}*, Kommentare?,
        eingerückt, archivos?, ficheros?, código, comentarios, variables
      `) + '|文件名?|命名|代码|缩进|注释|变量|提交',
    settled:
      whole(`
        lower ?case, upper ?case, hyphens?, underscores?, dashes, camel ?case, snake_?case, tabs,
        spaces, indent\\p{L}*, semicolons?, type hints?, early returns?, nested, subquer(?:y|ies),
        CTEs?, linter, variable names?, commit(?:s| messages)?, docstrings?, one-liners?,
        kleingeschrieben, Kleinbuchstaben, Bindestriche?n?, Unterstriche?n?, Variablennamen,
        Commit-Texte, Kommentare, Einrückung, minúsculas, guion(?:es)?(?: bajos?)?, sangría,
        tabuladores, nombres de variables, comentarios
      `) + '|下划线|小写|大写字母|缩进|注释|命名|变量名|连字符',
  },
  /** What nobody may change. */
  untouched: {
    asked:
      whole(`
        (?:never|not|nobody|they) (?:touch|change|correct|fix|rewrite), must (?:stay|be left),
        left alone, stays? (?:as|untouched), untouched, intact, unverändert, unangetastet,
        nicht (?:anfassen|ändern|angefasst), stehen bleiben, intact[oa]s?, no se toca, sin tocar,
        sin cambiar
      `) + '|不[能许准要]?[改动]|别[改动]|保留|原样',
    settled:
      whole(`
        don['’]?t (?:ever )?(?:fix|change|touch|correct|rewrite|edit|improve), (?:hands|paws) off,
        leave \\p{L}+(?: \\p{L}+)? (?:alone|as), word for word, verbatim,
        as (?:he|she|they|it|i) (?:left|wrote|said|is|are), wortwörtlich, Finger weg,
        nicht (?:ändern|anfassen|korrigieren|umschreiben|verbessern), (?:nix|nichts) umschreiben,
        so lassen, no (?:toques|cambies|corrijas), no me (?:cambi|toqu|correg|corrij)\\p{L}+,
        tal (?:como|cual), al pie de la letra, dej\\p{L}+ (?:como|igual)
      `) + '|不[许准能要][^,。，]{0,6}[改动]|别[^,。，]{0,4}[改动]|原样|一[个字][^,。，]{0,6}不',
  },
} as const;

/** Says how to do something whenever the assistant or somebody does it. */
const STANDING = new RegExp(
  whole(`
    when(?:ever)? you, if you (?:ever )?(?:write|answer|draft|send|list|give|explain),
    house rules?, (?:one|couple|a few|two) (?:of )?(?:house )?(?:rules?|requests?|things? before),
    from (?:now|here) on, for the future, next time you, before you (?:start|rewrite|write),
    (?:in )?anything you (?:write|send), how i (?:write|like|want|do), the way i (?:do|like|want),
    like me to, i['’]m usually, wenn (?:du|sie|dir jemand|ich dir|ich Ihnen),
    für mich (?:schreib|was|etwas)\\p{L}*, was Grundsätzliches, merk (?:dir|es dir), eins noch,
    eins gleich vorweg, ab (?:jetzt|sofort), wie ich (?:Post|das|es|Texte) \\p{L}+,
    (?:du|Sie) mir (?:immer|bitte|irgendwo), regeln? für, schreib mir, mach mir immer,
    zu meinen Texten, para cuando, cuando me, una manía, me l[ao]s? (?:das|haces|pones|escribes),
    me l[ao]s? mandas, regla número, a mí (?:no )?me, a mí h[aá]bla\\p{L}*,
    a partir de (?:ahora|hoy), mis (?:reglas|normas), cómo se escriben?, si me escrib\\p{L}+
  `) +
    '|规矩|习惯是|[你您](?:回我|给我|跟我|替我|帮我)|(?:回|跟|给)我[说写讲话]|替我|我问你|' +
    '以后(?:你|给|跟|回)',
  'iu',
);

/** Words with which people say how something is to be; without one, a text settles no aspect. */
const DIRECTS = new RegExp(
  whole(`
    never, always, only, no, not, nor, none, don['’]?t, at most, keep, skip, leave, just, rules?,
    must, from (?:now|here) on, i(?:['’]d| would)? (?:rather|want|like|prefer|need|think),
    we(?:['’]d)? (?:write|say|use|want|like), give (?:me|it|them), tell me, show me, put, spell,
    write, call me, finish, when you, whatever, that goes for, every order,
    nie, niemals, immer, nur, kein, keine?[nrms]?, nicht, nix, ohne, höchstens, bitte, lieber,
    bloß, Regeln?, ab (?:jetzt|sofort), will, wollen, möchte, hätten? wir, schreib\\p{L}*,
    antwort\\p{L}*, halte?, fass\\p{L}*, sag\\p{L}*, gib, mach, nenn\\p{L}*, zeig\\p{L}*,
    reden wir, wird, duz\\p{L}*, siez\\p{L}*,
    nunca, siempre, s[oó]lo, nada de, ning[uú]n\\p{L}*, sin, ni, reglas?, normas?, quiero,
    prefiero, me gusta, d[aá]\\p{L}*me\\p{L}*, d[ií]\\p{L}*me\\p{L}*, pon\\p{L}*, escrib\\p{L}*,
    h[aá]bla\\p{L}*, tr[aá]t[oaáe]\\p{L}*, van con, va con, puedes, lo que le,
    a partir de (?:ahora|hoy), s[eé], sean?, por favor
  `) + '|不|别|只|就|总|每|必须|最多|先|一律|以后|给我|跟我|写|请|叫|用|得',
  'iu',
);

/** Longer passages tell something else too. */
const UNITS_MAX = 400;

const ASKED = Object.values(ASPECTS).map(({ asked }) => new RegExp(asked, 'iu'));
const SETTLED = Object.values(ASPECTS).map(({ settled }) => new RegExp(settled, 'iu'));
/** The patterns that passages are read with. */
export const STYLE_PATTERNS: readonly RegExp[] = [...SETTLED, STANDING];
const likelyPatterns = prefilter(STYLE_PATTERNS);

/** The bits of all aspects, as `styleAsked` and `styleSettled` return them. */
export const ASPECT_BITS = (1 << ASKED.length) - 1;
/** The bit of `styleSettled` for a standing instruction, whatever it is about. */
export const STANDING_BIT = 1 << ASKED.length;

/** The aspects that matter to any text: not those of data, code or what others wrote. */
const OF_ANY_TEXT = Object.keys(ASPECTS).reduce(
  (bits, aspect, at) =>
    /^(?:words|address|length|language|tone|layout)$/u.test(aspect) ? bits | (1 << at) : bits,
  0,
);

/** Returns the aspects of writing that a question asks for, as bits. */
export function styleAsked(question: string): number {
  const named = ASKED.reduce(
    (bits, pattern, at) => (pattern.test(question) ? bits | (1 << at) : bits),
    0,
  );
  return requestsText(question) ? named | OF_ANY_TEXT : named;
}

/** Whether a text is a rule for whatever the assistant writes. */
export function isStylePreference(text: string): boolean {
  return (styleSettled(text) & (OF_ANY_TEXT | STANDING_BIT)) > 0;
}

/** Returns the aspects that a passage may settle, and whether it is standing, as bits. */
export function styleSettled(passage: string): number {
  if (passage.length > UNITS_MAX || isQuestion(passage)) return 0;
  const likely = likelyPatterns(passage);
  if (likely.size === 0) return 0;
  const bits = STYLE_PATTERNS.reduce(
    (all, pattern, at) => (likely.has(pattern) && pattern.test(passage) ? all | (1 << at) : all),
    0,
  );
  return (bits & ASPECT_BITS) === 0 || DIRECTS.test(passage) ? bits : bits & STANDING_BIT;
}
