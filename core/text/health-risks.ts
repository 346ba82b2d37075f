/** Words for risks to health, such as allergies: no advice may overlook them. */
import { oneOf } from './pattern.ts';

/** Matched in compounds too, as in `Nussallergie`. */
const HARM = String.raw`
  allerg[iy], alérgi, alergi, intoleran, unverträglich, anaphyla, anafil, asthma, asmátic, diabet,
  diabét, epilep, epilép, celiac, coeliac, celíac, zöliakie, pregnan, schwanger, embaraza,
  pacemaker, schrittmacher, marcapasos, blood thinner, blutverdünner, anticoagulant, hemophil,
  haemophil, hämophil, hemofil, (?<!\p{L})asma(?!\p{L}), (?<!\p{L})vertrage (?:kein|kaum),
  (?<!\p{L})ich vertrag kein
`;
const HAN = '过敏, 不耐受, 哮喘, 糖尿病, 癫痫, 怀孕, 心脏起搏器';
export const HEALTH_RISKS = new RegExp(oneOf([HARM, HAN].join(',')), 'iu');

export function namesHealthRisk(text: string): boolean {
  return HEALTH_RISKS.test(text);
}
