/**
 * Chooses the layer in which a statement is kept. All members of a project read its layer, so what
 * concerns only the speaker stays with the speaker.
 */
import type { Identifiers } from '../identifiers.ts';
import type { Layer } from '../layer.ts';
import type { StatementKind, StatementLayers } from '../records/extracted-statement.ts';
import type { Language } from '../text/language.ts';
import { oneOf, WORD_END, WORD_START } from '../text/pattern.ts';
import type { Statement } from './statement.ts';

/** Layers in which a statement may be kept, the preferred one first. */
const LAYERS_OF: Readonly<Record<StatementKind, readonly Layer[]>> = {
  Self: ['user'],
  Preference: ['user'],
  Possession: ['user'],
  Instruction: ['user', 'agent'],
  Date: ['user', 'project'],
  Task: ['user', 'project'],
  Goal: ['project', 'user'],
  Decision: ['project', 'user', 'agent'],
  Ownership: ['project', 'user', 'agent'],
  Lesson: ['agent'],
};
/** Layers for what concerns only the speaker. */
const OWN_LAYERS: readonly Layer[] = ['user', 'project', 'agent'];
const IDENTIFIER: Readonly<Partial<Record<Layer, keyof Identifiers>>> = {
  user: 'userId',
  agent: 'agentId',
  project: 'projectId',
};
/** Dates of work, which belong to a project if there is one; private dates stay with the person. */
const WORK_DATES =
  /^date:(?:\S+ )*(?:launch|release|deadline|demo|review|standup|handover|workshop)/u;

/**
 * Returns a statement's layer by the caller's identifiers; null if they name no such layer.
 * @param chosen the layers that the policy prefers
 */
export function layerOfStatement(
  statement: Statement,
  identifiers: Identifiers,
  chosen: StatementLayers = {},
): Layer | null {
  return (
    layersOf(statement, chosen).find(
      (layer) => identifiers[IDENTIFIER[layer] ?? 'sessionId'] != null,
    ) ?? null
  );
}

function layersOf(statement: Statement, chosen: StatementLayers): readonly Layer[] {
  const { kind, topic } = statement;
  const usual = kind === 'Date' && WORK_DATES.test(topic) ? LAYERS_OF.Decision : LAYERS_OF[kind];
  const preferred = (chosen as Partial<Record<StatementKind, Layer>>)[kind];
  const layers = preferred === undefined ? usual : [preferred, ...usual];
  return layers[0] === 'project' && isOfOnePerson(statement) ? OWN_LAYERS : layers;
}

/** Whether it is about a private life: "I decided to learn Go", "We decided to have a baby". */
function isOfOnePerson({ text, language }: Statement): boolean {
  const { one, several, life } = SPEAKERS[language];
  return (one.test(text) && !several.test(text)) || life.test(text);
}

interface Speakers {
  /** The first person, singular and plural. */
  readonly one: RegExp;
  readonly several: RegExp;
  /** Words for families, homes, health and holidays, whoever "we" may be. */
  readonly life: RegExp;
}

const SPEAKERS: Readonly<Record<Language, Speakers>> = {
  en: {
    one: word('I, my, mine, myself'),
    several: word('we, us, our, ours'),
    life: word(`
      marry, marr(?:ied|iage), wedding, honeymoon, get engaged, divorced?, break up, baby, babies,
      pregnan(?:t|cy), (?:my|our|have|more|no|the) (?:kids?|child(?:ren)?|son|daughter), husband,
      wife, boyfriend, girlfriend, mom, mum, dad, therap(?:y|ist), smoking, move in together,
      (?:buy|rent|sell|get) (?:the|a|our|an) (?:house|flat|apartment|home|dog|cat),
      holidays?, vacation
    `),
  },
  de: {
    one: word('ich, mich, mir, mein(?:e[mnrs]?)?'),
    several: word('wir, uns, unser(?:e[mnrs]?)?'),
    life: word(`
      heiraten, hochzeit, flitterwochen, scheidung, uns (?:zu )?trennen, baby, schwanger(?:schaft)?,
      kinder, ein kind, sohn, tochter, ehemann, ehefrau, therap(?:ie|eut(?:in)?), abzunehmen,
      rauchen, urlaub, ferien, zusammen(?:zu)?ziehen,
      (?:haus|wohnung|hund|katze) (?:zu )?(?:kaufen|mieten|verkaufen|holen)
    `),
  },
  es: {
    one: word(String.raw`
      yo, mis?, conmigo, he \p{L}+(?:[ai]do|to|cho), decidí, decido, elegí, elijo, prefiero,
      quiero, voy, soy, estoy
    `),
    several: word(String.raw`nosotr[oa]s, nuestr[oa]s?, nos, \p{L}+mos`),
    life: word(String.raw`
      casar(?:nos|me|se), boda, luna de miel, divorci\p{L}+, separar(?:nos|me), bebé,
      embaraz\p{L}+, hij[oa]s?, marido, esposa, novi[oa], terapia, adelgazar, fumar, vacaciones,
      (?:comprar|alquilar|vender|adoptar)(?:nos)? (?:una?|la|el) (?:casa|piso|perr[oa]|gat[oa])
    `),
  },
  zh: {
    one: /我(?!们)/u,
    several: /我们|咱们|大家/u,
    life: new RegExp(
      '结婚|婚礼|离婚|分手|宝宝|生孩子|要孩子|怀孕|儿子|女儿|老公|老婆|减肥|戒烟|戒酒|买房|搬家|' +
        '度假|养狗|养猫',
      'u',
    ),
  },
};

function word(list: string): RegExp {
  return new RegExp(WORD_START + oneOf(list) + WORD_END, 'iu');
}
