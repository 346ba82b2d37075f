/** Common given names of many places: they tell a name where a sentence begins with it. */

const NAMES = `
aaron abdul abigail adam adele aditi adrian agnes ahmed aisha akira alan albert alejandro alex
alexander alexandra ali alice alicia alina alison amal amanda amara amelia amina amir amit amy ana
anastasia andre andrea andreas andrew andy angela anika anil anita anja ann anna anne annie
anthony anton antonio anya aria ariel arjun arthur asha astrid ava aya ayaan ayesha barbara
beatrice ben benjamin bernd beth bianca bob boris brandon brenda brian bruno bryan camila camille
carl carla carlos carmen carol caroline catherine cecilia chan charles charlie charlotte chen
chiara chloe chris christian christina christine christopher claire clara claudia clement colin
connor cristina cynthia damian dan dana daniel daniela danielle dario dave david deborah deepak
denis dennis derek devin diana diego dieter dimitri dina dmitri dominic donald donna dora doris
dylan eduardo edward ekaterina elena eli elias elif elisa eliza elizabeth ella ellen elsa emil
emilia emily emma eric erica erik erika ethan eva evan evelyn fatima fatou felix fernando fiona
florian frances francesca francis francisco franz frederick freya gabriel gabriela gary george
gerald gina giovanni giulia greg gregory greta guillaume gustav hana hannah hans harriet harry
hassan heather heidi helen helena helga henry hiroshi holly hugo ian ibrahim ida igor imani ines
ingrid irene irina isaac isabel isabella isla ivan jack jacob james jamal jamie jana jane janet
jasmine jason javier jay jeff jennifer jenny jeremy jerome jessica jill jim joan joanna joao joe
joel johan johanna john jonas jonathan jorge jose joseph josh joshua juan judith julia julian
julie juliet jun jürgen kai karen karim karin karl kate katherine kathleen katja katya kavita
keiko keith kelly ken kenji kenneth kevin khalid kim klara klaus kofi kumar kurt kwame kyle lara
lars laura lauren layla lea leah lee leila lena leo leon leonard leonie liam lily lina linda lisa
liz lorenzo louis louise luca lucas lucia lucy luis luisa lukas lydia maarten mads magnus mahmoud
malik manuel marc marco marcus margaret maria mariam marie marina mario marion marta martha martin
martina mary matt matteo matthew maurice maya mehmet mei melanie melissa mia michael michel
michelle miguel mike mila milan miriam mohamed mohammed molly monica morgan moritz nadia nadine
naomi natalia natalie natasha nathan neha neil nia nicholas nick nicola nicole niels nika nikolai
nils nina noah noor nora nour olaf oleg olga oliver olivia omar oscar otto owen pablo pamela paolo
patricia patrick paul paula paulina pavel pedro peter petra philip philippe phoebe pierre piotr
priya rachel rafael rahul raj rana ravi raymond rebecca renata rene ricardo richard rita robert
roberto robin rohan roman ronald rosa rosie ruben ruth ryan saba sabine sally salma sam samir
samira samuel sandra sanjay sara sarah scott sean sebastian selma serena sergei shane shreya
silvia simon simone sofia sonia sophia sophie stefan stella stephan stephanie stephen steve steven
sunil susan suzanne sven svetlana sylvia tamar tanya tara tariq tatiana ted teresa theo theresa
thomas tiago tim timothy tina tobias tom tomas tony tracy uma ursula valentina valerie vanessa
vera veronica victor victoria vijay viktor vincent vivek vladimir walter wanda wei wendy werner
william wolfgang xavier yan yara yasmin yuki yuri yusuf yves zahra zara zoe
`;
const GIVEN = new Set(NAMES.trim().split(/\s+/u));

/** Whether a lower-case word is a given name; those that are common words too are left out. */
export function isGivenName(lower: string): boolean {
  return GIVEN.has(lower);
}
