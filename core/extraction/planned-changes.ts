/**
 * Changes of home and job that are told in the present tense for a day to come: "we are moving to
 * York on March 1", "im März fange ich bei Siemens an".
 */
import { MONTHS, WEEKDAYS } from '../text/calendar-words.ts';
import { oneOf } from '../text/pattern.ts';

interface Plan {
  readonly said: RegExp;
  /** How it is told once it is done. */
  readonly done: string;
  /** What else the sentence must say. */
  readonly only?: RegExp;
}

const TO = String.raw`(?=(?!${oneOf(`${WEEKDAYS.en}, ${MONTHS.en}`)})\p{Lu})`;
/** A day so far apart that a job begins then, not a visit. */
const OF_MONTH = new RegExp(
  String.raw`(?<!\p{L})` +
    oneOf(`
      ${MONTHS.en}, ${MONTHS.de}, next (?:month|year|spring|summer|autumn|fall|winter),
      nächste[nms] (?:Monat|Jahr), Frühjahr, Frühling, Sommer, Herbst, Winter
    `) +
    String.raw`(?!\p{L})`,
  'u',
);
const FILL = '(?:(?! nicht )[^,;:!?]){0,40}?';
const NAME = String.raw`\p{Lu}[\p{L}&.-]*\p{L}(?: \p{Lu}[\p{L}-]+)*`;
const PRESENT_EN = "(?:['’](?:m|re|ll)(?: be)?| am| are| will(?: be)?)";

const PLANS: readonly Plan[] = [
  {
    said: plan(`(?<!\\p{L})I${PRESENT_EN}? (?:mov(?:e|ing)|relocat(?:e|ing))(?: back)? to ${TO}`),
    done: 'I moved to ',
  },
  {
    said: plan(
      `(?<!\\p{L})[Ww]e${PRESENT_EN}? (?:mov(?:e|ing)|relocat(?:e|ing))(?: back)? to ${TO}`,
    ),
    done: 'Moved to ',
  },
  {
    said: plan(
      `(?<!\\p{L})I${PRESENT_EN}? start(?:ing)?(?: work(?:ing)?| (?:a|my) new (?:job|role))?` +
        ` (?:at|with|for) ${TO}`,
    ),
    done: 'I started at ',
  },
  { said: plan(`(?<!\\p{L})I${PRESENT_EN} join(?:ing)? ${TO}`), done: 'I joined ', only: OF_MONTH },
  {
    said: plan(`[Mm]y (?:new )?job (?:at|with) (?<name>${NAME}) (?:starts|begins)(?!\\p{L})`),
    done: 'I started at $<name>',
  },
  {
    said: plan(
      `(?:[Ii]ch ziehe|[Ww]ir ziehen|[Zz]iehe ich|[Zz]iehen wir)${FILL} nach (?<name>${NAME})` +
        '(?: um)?(?!\\p{L})',
    ),
    done: 'ich bin nach $<name> gezogen',
  },
  {
    said: plan(
      `(?:[Ii]ch (?:fange|starte|beginne)|(?:[Ff]ange|[Ss]tarte|[Bb]eginne) ich)${FILL} bei ` +
        `(?<name>(?:der |dem )?${NAME})(?: an)?(?!\\p{L})`,
    ),
    done: 'ich habe bei $<name> angefangen',
  },
  {
    said: plan(`(?:[Ii]ch bin|[Bb]in ich)(?: dann)? bei (?=(?:der |dem )?${NAME}[.!]?$)`),
    done: 'ich bin jetzt bei ',
    only: new RegExp(String.raw`(?<!\p{L})(?:[Aa]b|[Zz]um|[Vv]om) .*?${OF_MONTH.source}`, 'u'),
  },
  {
    said: plan(
      '^(?!.*(?:19|20)\\d\\d).*?(?<!\\p{L})(?<!no )(?:[Mm]e mudo|[Nn]os mudamos|[Mm]e mudaré|' +
        `[Nn]os mudaremos|(?:[Mm]e voy|[Nn]os vamos) a mudar|[Vv](?:oy|amos) a mudar(?:me|nos)) ` +
        `a (?=${NAME})`,
    ),
    done: 'Me he mudado a ',
  },
  {
    said: plan(
      '(?<!\\p{L})(?<!no )(?:[Ee]mpiezo|[Cc]omienzo|[Ee]ntro|[Ee]mpezaré|[Vv]oy a empezar)' +
        `(?: a trabajar)? en (?=(?:el |la )?${NAME})`,
    ),
    done: 'empecé en ',
  },
  {
    said: plan(
      '我们?[就将会要]*[去到](?<name>(?!公司|单位|学校|医院|图书馆|办公室|店|工地|家)' +
        '[^，,。；了过]{2,8}?)(?=(?:上班|工作|任职)(?!了))',
    ),
    done: '我在$<name>',
  },
  { said: /(?<=我们?(?:一?家)?)[就将会要]+(?=搬[到去来回]|入职|跳槽[到去])/u, done: '' },
];

/** Amounts that change on a day. */
const RISES = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    (?:go(?:es)? (?:up|down)|rises?|drops?|increases?) to, steigt, sinkt, erhöht sich,
    (?:sube|subirá|baja|bajará) a
  `)}(?!\p{L})`,
  'u',
);

/** A quick check of a whole text. */
const MAY_PLAN =
  /mov[ei]|relocat|start|join|new job|zieh|fange|beginne|bei|mud|mpiez|mpeza|omienzo|ntro|[搬去到职]/iu;

function plan(pattern: string): RegExp {
  return new RegExp(pattern, 'u');
}

/** Whether a sentence tells of a change of home or job that is to come if it names a day ahead. */
export function isPlan(sentence: string): boolean {
  if (!MAY_PLAN.test(sentence)) return false;
  return PLANS.some(({ said, only }) => said.test(sentence) && only?.test(sentence) !== false);
}

/** As `isPlan`, also for an amount that changes. */
export function isPlanOrRise(sentence: string): boolean {
  return RISES.test(sentence) || isPlan(sentence);
}

/**
 * Returns a planned change as it will be told once it is done.
 * @param rest the sentence without its day
 */
export function asDone(rest: string, sentence: string): string {
  if (!MAY_PLAN.test(rest)) return rest;
  return PLANS.reduce(
    (text, { said, done, only }) =>
      only?.test(sentence) === false ? text : text.replace(said, done),
    rest,
  );
}
