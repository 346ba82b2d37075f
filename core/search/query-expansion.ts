/**
 * Maps words of questions to words of the memories that answer them: a city is where a person
 * lives. Applies only to a question word that no entry of the scope has, so that the written words
 * decide if they can. An embedding model knows such relations and more; hashed vectors know none.
 */

/**
 * One group per line, of English, German, Spanish or Chinese. Each word is written as the term that
 * the analyzer makes of it ("citi" for "city"), so that a search thread loads no stemmer.
 */
export const EVERYDAY_GROUPS = `
live resid home base locat citi town countri address move
work job profess occup career employ employe
boss manag supervisor report
birthday born birth age old
marri marriag husband wife spous partner
sibl brother sister
child children kid son daughter
parent mother father mum mom dad
pet anim cat dog rabbit parrot hamster
car drive vehicl
bicycl bike cycl
eat food diet meal vegetarian vegan cook serv lunch dinner breakfast
allergi allerg intoler toler
like love prefer favorit favourit enjoy
dislik hate avoid
hobbi leisur play collect
sport train run marathon swim footbal tenni volleybal
instrument piano guitar violin cello drum flute
name call
cost price pay fee rent spend
phone telephon mobil
email mail
languag speak
studi univers colleg degre cours learn
teach teacher lesson class
repli answer respond
deploy releas ship rollout
launch releas ship start
databas postgresql postgr mysql sqlite mongodb
secret credenti password key token vault
own owner respons maintain charg
appoint meet visit
commut train bus tram
holiday vacat trip travel excurs journey
fli flight plane
afraid fear scare
math mathemat
buy purchas order
doctor physician
close shut until
leben wohn wohnen wohnst wohnt lebt stadt zuhaus adress umgezogen gezogen
arbeit arbeitet arbeiten beruf job stell tatig
geburtstag geboren alter alt
kind kinder sohn tochter
verheiratet heirat mann frau ehemann ehefrau
geschwist bruder schwester
eltern mutter vater
haustier hund katz
sport volleybal fußball tenni joggen schwimmen
allergi allergisch vertragt vertragen unvertraglich laktos milch
essen isst ernahrung vegetarisch vegetarierin vegetari vegan
mag mogen gern lieber bevorzugt liebt
heißt name
kosten kostet prei miet
auto wagen fahrt
chef chefin vorgesetzt
vivir vivo vive resid ciudad casa domicilio mude mudamo
trabajo trabaja trabajar profes empleo oficio
cumpleano cumpl nacio nacimiento edad
hijo hija nino
casado casada esposo esposa marido
hermano hermana
padr madr
mascota perro gato
gusta prefier favorito favorita encanta
alergia alergico alergica
comer come comida vegetariano vegetariana marisco
llama nombr
coch carro auto
jefe jefa
生活 住在 我住 居住 城市 住 搬家 搬到 搬去
工作 职业 上班 当
生日 出生
孩子 女儿 儿子
结婚 丈夫 妻子
运动 跑步 游泳 打球
宠物 猫 狗
喜欢 爱吃 爱喝 最爱
过敏 不能
`;

/** Keyed by term, in the form of the analyzer. */
const RELATED: ReadonlyMap<string, readonly string[]> = relatedTerms(EVERYDAY_GROUPS);

/** Returns each term with the other terms of its groups. @param lists with one group per line */
export function relatedTerms(...lists: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, ReadonlySet<string>>();
  for (const line of lists.flatMap((list) => list.trim().split('\n'))) {
    const group = new Set(line.split(' '));
    for (const term of group) related.set(term, group.union(related.get(term) ?? new Set()));
  }
  return new Map(
    [...related].map(([term, group]) => [term, [...group].filter((other) => other !== term)]),
  );
}

/** Returns terms that memories may use instead of a question's term; none for most terms. */
export function everydayTerms(term: string): readonly string[] {
  return RELATED.get(term) ?? [];
}
