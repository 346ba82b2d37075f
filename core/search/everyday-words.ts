/**
 * Maps words of questions to words of the memories that answer them: a city is where a person
 * lives. Applies only to a question word that no entry of the scope has, so that the written words
 * decide if they can. An embedding model knows this and more; hashed vectors know nothing of it.
 */
import { stem } from '../text/stem.ts';

/** One group per line, of English, German, Spanish or Chinese. */
const GROUPS = `
live reside home base locate city town country address move
work job profession occupation career employ employer employee
boss manager supervisor report
birthday born birth age old
married marry marriage husband wife spouse partner
sibling siblings brother sister
child children kid son daughter
parent parents mother father mum mom dad
pet pets animal cat dog rabbit parrot hamster
car drive vehicle
bicycle bike cycle
eat food diet meal vegetarian vegan cook serve lunch dinner breakfast
allergy allergic intolerance intolerant tolerate
like love prefer favorite favourite enjoy
dislike hate avoid
hobby leisure play collect
sport sports train run marathon swim football tennis volleyball
instrument piano guitar violin cello drums flute
name call
cost price pay fee rent spend
phone telephone mobile
email mail
language speak
study university college degree course learn
teach teacher lesson class
reply answer respond
deploy release ship rollout
launch release ship start
database postgresql postgres mysql sqlite mongodb
secret secrets credential password key token vault
own owner responsible maintain charge
appointment meeting visit
commute train bus tram
holiday vacation trip travel excursion journey
fly flight plane
afraid fear scared
math maths mathematics
buy purchase order
doctor physician
close shut until
leben wohnen wohnt lebt stadt zuhause adresse
arbeit arbeitet arbeiten beruf job stelle tätig
geburtstag geboren alter alt
kind kinder sohn tochter
verheiratet heirat mann frau ehemann ehefrau
geschwister bruder schwester
eltern mutter vater
haustier haustiere hund katze
sport volleyball fußball tennis joggen schwimmen
allergie allergisch verträgt vertragen unverträglich laktose milch
essen isst ernährung vegetarisch vegetarierin vegetarier vegan
mag mögen gern gerne lieber bevorzugt liebt
heißt name
kosten kostet preis miete
auto wagen fährt
chef chefin vorgesetzte vorgesetzter
vivir vive reside ciudad casa domicilio
trabajo trabaja trabajar profesión empleo oficio
cumpleaños cumple nació nacimiento edad
hijo hija hijos hijas niños
casado casada esposo esposa marido
hermano hermana hermanos hermanas
padres madre padre
mascota mascotas perro gato
gusta prefiere favorito favorita encanta
alergia alérgico alérgica
comer come comida vegetariano vegetariana mariscos
llama nombre
coche carro auto
jefe jefa
生活 住在 居住 城市 住
工作 职业 上班 当
生日 出生
孩子 女儿 儿子
结婚 丈夫 妻子
运动 跑步 游泳 打球
宠物 猫 狗
喜欢 爱吃 爱喝 最爱
过敏 不能
`;

const MARKS = /[\u0300-\u036f]/gu;

/** Keyed by term, in the form of the analyzer. Made when it is first asked: most searches don't. */
let related: ReadonlyMap<string, readonly string[]> | null = null;

function relatedTerms(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, ReadonlySet<string>>();
  for (const line of GROUPS.trim().split('\n')) {
    const group = new Set(line.split(' ').map(termOf));
    for (const term of group) groups.set(term, group.union(groups.get(term) ?? new Set()));
  }
  return new Map(
    [...groups].map(([term, group]) => [term, [...group].filter((other) => other !== term)]),
  );
}

function termOf(word: string): string {
  return stem(word.normalize('NFD').replaceAll(MARKS, '').normalize('NFC'));
}

/** Returns terms that memories may use in place of a question's term; none for most terms. */
export function everydayTerms(term: string): readonly string[] {
  related ??= relatedTerms();
  return related.get(term) ?? [];
}
