/** A change of one thing marks no other thing of the same sort. */
import { describe, expect, test } from 'vitest';
import { isMarked } from './is-marked.ts';

describe('another thing of the same sort', () => {
  test.each([
    ['My car insurance is with Allianz.', 'I switched my health insurance to AOK.'],
    ['Mi seguro del coche es de Mapfre.', 'Cambié el seguro de la casa a Axa.'],
    ['Mi tarjeta de crédito es una Visa.', 'Cambié la tarjeta de débito a Mastercard.'],
    ['My credit card is a Visa.', 'I changed my debit card to a Mastercard.'],
    ['My summer tires are from Michelin.', 'I changed the winter tires to Continental.'],
    ['I have a savings account at ING.', 'I moved my checking account to DKB.'],
    ['My team meets on Mondays at 9.', 'The other team meets on Tuesdays at 10 now.'],
    ['My book club meets on Thursdays.', 'The other book club meets on Fridays now.'],
    ['My sister Amina works at Siemens.', 'My other sister works at Audi now.'],
    ['Mein Team trifft sich montags um 9.', 'Das andere Team trifft sich jetzt dienstags um 10.'],
    ['Mi equipo se reúne los lunes a las 9.', 'El otro equipo se reúne ahora los martes a las 10.'],
    ['我们组周一开会。', '另一个组现在改到周二开会。'],
    ['Trabajo en Zara.', 'Ahora tengo un segundo trabajo en Lidl.'],
    ['My password manager is Bitwarden.', 'At work we switched to 1Password.'],
  ])('leaves "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
  });
});

describe('the same thing', () => {
  test.each([
    ['My car insurance is with Allianz.', 'I switched my car insurance to AOK.'],
    ['My car insurance is with Allianz.', 'I switched the insurance to AOK.'],
    ['My old insurance is with Allianz.', 'I switched my car insurance to AOK.'],
    ['Mi tarjeta es una Visa.', 'Cambié la tarjeta de débito a Mastercard.'],
    ['My credit card is a Visa.', 'I changed my credit card to a Mastercard.'],
    ['My team meets on Mondays at 9.', 'The team meets on Tuesdays at 10 now.'],
    ['We use Jira.', 'At work we switched to Linear.'],
    ['My gym costs 30 euros.', 'I switched to the other gym, it costs 20 euros now.'],
  ])('marks "%s" after "%s"', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });
});
