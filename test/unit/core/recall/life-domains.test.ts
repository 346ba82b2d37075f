/** A statement that shares no word with a question, but the domain of life that both are about. */
import { describe, expect, test } from 'vitest';
import { domainRarity, domainsAsked, domainsNamed } from '#core/recall/words/life-domains.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

/** How rare the statement is among others that are about no domain that is asked for. */
function common(question: string, statement: string): number {
  const domainsOf = (text: string): number =>
    recallTerms(analyzer, text).reduce((bits, term) => bits | domainsNamed(term), 0);
  const told = Uint16Array.from([statement, 'It rained.', 'Hat geschmeckt.'], domainsOf);
  return domainRarity(domainsAsked(recallTerms(analyzer, question), told), told[0] ?? 0);
}

describe('a question and a statement in other words', () => {
  test.each([
    ['Which medication do I take?', 'The pharmacist gave me something milder.'],
    ['Where do I live?', 'The new landlord painted the balcony.'],
    ['What is my job?', 'They hired me, night shifts only.'],
    ['Which phone do I have?', 'Kept the number, prepaid now.'],
    ['What do I drive?', 'It is a diesel, with worn tyres.'],
    ['Where was our holiday?', 'The hostel was right on the beach.'],
    ['Which pet do we have?', 'The shelter had a terrier left.'],
    ['What instrument does Ida play?', 'She got a clarinet.'],
    ['What do I weigh?', 'Ten stone two on the scales.'],
    ['Welches Medikament nehme ich?', 'In der Apotheke gab es andere Tropfen.'],
    ['Wo wohne ich?', 'Im Erdgeschoss, mit Balkon.'],
    ['Wo arbeite ich?', 'Die Probezeit läuft, lauter Frühschichten und neue Kollegen.'],
    ['Welchen Sport mache ich?', 'Freitags gehe ich klettern.'],
    ['Wie viel wiege ich?', 'Die Waage zeigt 81 Kilo.'],
    ['¿Qué pastillas tomo?', 'En la farmacia me dieron otro jarabe.'],
    ['¿Cuál es mi trabajo?', 'Me contrataron en una fábrica.'],
    ['¿Qué coche tengo?', 'Es de gasolina y con llantas nuevas.'],
    ['¿Qué mascota tenemos?', 'Un cachorro del refugio, ladra mucho.'],
    ['我吃什么药？', '药店的人给我换成了胶囊。'],
    ['我住在哪里？', '新的公寓有电梯。'],
    ['我的工作是什么？', '我三月入职，常上夜班。'],
    ['我们养的宠物是什么？', '领养了一只兔子。'],
  ])('have a domain in common: %s %s', (question, statement) => {
    expect(common(question, statement)).toBeGreaterThan(0);
  });

  test.each([
    ['Which tablets do I take?', "I'm on bisoprolol since May."],
    ['Welche Tabletten nehme ich?', 'Telmisartan, abends eine.'],
    ['¿Qué medicamento tomo?', 'Ahora es atorvastatina.'],
    ['我吃什么药？', '改成缬沙坦了。'],
  ])('recognize a medicine by its ending: %s %s', (question, statement) => {
    expect(common(question, statement)).toBeGreaterThan(0);
  });

  test.each([
    ['Which tablets do I take?', 'The hostel was right on the beach.'],
    ['Wo wohne ich?', 'Der Zug kam zu spät.'],
    ['¿Qué coche tengo?', 'Un cachorro del refugio, ladra mucho.'],
    ['我住在哪里？', '我三月入职，常上夜班。'],
    // Words of a statement alone ask for no domain.
    ['Who was at the balcony?', 'The new landlord painted it.'],
    ['Who came?', 'The pharmacist.'],
  ])('have none in common: %s %s', (question, statement) => {
    expect(common(question, statement)).toBe(0);
  });

  test('count more if few others are in the domain', () => {
    const [pet, rain] = [domainsNamed('rabbit'), domainsNamed('rain')];
    const among = (told: readonly number[]): number =>
      domainRarity(domainsAsked(['pet'], Uint16Array.from(told)), pet);
    expect(among([pet, rain, rain, rain])).toBeGreaterThan(among([pet, pet, pet, rain]));
  });
});
