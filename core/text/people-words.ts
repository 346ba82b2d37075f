/** Words for relatives and other people with `my`, such as `my boss`: fixed lists by language. */
import type { Language } from './language.ts';
import { wordSet } from './word-lists.ts';

const WORDS: Readonly<Record<Exclude<Language, 'zh'>, ReadonlySet<string>>> = {
  en: wordSet(`
    child children kid kids mother mom mum father dad parent parents brother brothers sister
    sisters sibling son daughter wife husband spouse partner girlfriend boyfriend aunt uncle
    cousin nephew niece grandmother grandma grandfather grandpa friend friends roommate flatmate
    neighbor neighbour boss manager colleague coworker landlord landlady teacher doctor dentist
  `),
  de: wordSet(`
    kind kinder mutter mama vater papa eltern bruder brüder schwester schwestern sohn tochter
    söhne töchter frau ehefrau mann ehemann partner partnerin freundin freund freunde tante
    onkel cousin cousine neffe nichte oma opa großmutter großvater mitbewohner mitbewohnerin
    nachbar nachbarin chef chefin kollege kollegin vermieter vermieterin lehrer lehrerin arzt
    ärztin
  `),
  es: wordSet(`
    hijos hijas niño niña niños niñas madre mamá padre papá padres hermano hermana hermanos
    hermanas hijo hija mujer esposa marido esposo pareja novio novia tía tío primo prima sobrino
    sobrina abuela abuelo amigo amiga compañero compañera vecino vecina jefe jefa colega casero
    casera profesor profesora médico médica dentista
  `),
};

const HAN = new RegExp(
  '^(?:爸|妈|父|母|哥|弟|姐|妹|儿子|女儿|爱人|老婆|老公|丈夫|妻子|先生|太太|孩子|爷|奶|外公|外婆|' +
    '叔|姑|姨|舅|伯|嫂|孙|表|堂|朋友|同事|同学|老板|邻居|室友|老师|领导|男友|女友|家人|房东|岳|' +
    '经理|主任|主管|总监|组长|队长)',
  'u',
);

export function isKin(lower: string, language: Language): boolean {
  return language === 'zh' ? HAN.test(lower) : WORDS[language].has(lower);
}

/** As `isKin`, where the language is not known; Chinese has no spaces before it. */
export function isAnyKin(lower: string): boolean {
  return (['en', 'de', 'es'] as const).some((language) => isKin(lower, language));
}
