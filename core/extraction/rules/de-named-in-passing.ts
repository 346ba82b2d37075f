/** Rules of extraction for German: homes, employers and people that people name in passing. */
import { oneOf } from '../../text/pattern.ts';
import { anyCase, namesOf, personsOf, type Rule, ruleMakers } from '../rule.ts';
import { capital, NAMED } from './de-nouns.ts';
import { JOB_AND_HOME_CHANGES } from './job-and-home-changes.ts';
import { TAKEN_BACK } from './taken-back.ts';

const rule = ruleMakers({
  TOWN: String.raw`(?<value>\p{Lu}\p{L}+(?:[ -](?:am |an der |im )?\p{Lu}\p{L}+)*)(?![\p{L}-])`,
  EMPLOYER: String.raw`(?:der |dem )?(?<value>\p{Lu}[\p{L}&.-]*(?: \p{Lu}[\p{L}&.-]*)*)`,
  PERSON: namesOf(capital(personsOf(NAMED))),
  /** Excludes what is still to come. */
  SOFAR: String.raw`(?!.*(?<!\p{L})${anyCase(`
    werde, wird, werden, will, wollen, möchte\\p{L}*, such\\p{L}+, sobald, bevor, bis, wenn, bald,
    nächste\\p{L}*, ziehe[nt]?, einziehen, besichtig\\p{L}+, gekauft, kaufen, bauen, gebaut, Makler,
    Ferien, Urlaub, vermiete\\p{L}*, Mieter, beworben, Bewerbung, Vorstellungsgespräch, beginnt,
    startet
  `)}(?!\p{L}))`,
  MY: String.raw`(?<!\p{L})(?:[Mm]ein|[Uu]nser)(?:e|em|en|er|es)?`,
  HOME: oneOf('Wohnung, Haus, Häuschen, Zuhause, Apartment, Bude, WG'),
  SCHOOL: oneOf('[Ss]chule, [Gg]ymnasium, [Uu]niversität, [Uu]ni, [Kk]olleg'),
  JOB: oneOf('Job, Stelle, Arbeit, Arbeitgeber, Arbeitsstelle'),
});

export const DE_IN_PASSING: readonly Rule[] = [
  rule.teaches(
    String.raw`(?:[Ii]ch unterrichte|[Ss]eit [^.,;!?]{3,20} unterrichte ich)(?: jetzt| nun| ` +
      String.raw`inzwischen| mittlerweile)?(?: \p{Lu}\p{L}+(?: und \p{Lu}\p{L}+)?)? ` +
      String.raw`(?:am|im|an (?:der|einer|einem)|in einer) (?<value>(?:\p{Ll}+ )?` +
      String.raw`(?:\p{Lu}\p{L}*)?{SCHOOL})(?!\p{L})`,
  ),
  rule.residenceInPassing(
    '[Ss]eit (?:dem|unserem|meinem)(?: \\p{Ll}+)? Umzug (?:(?:von|aus) \\p{Lu}\\p{L}+ )?' +
      'nach {TOWN}',
  ),
  rule.residenceInPassing('[Ss]eit (?:ich|wir)(?: jetzt)? in {TOWN} (?:wohne|lebe)n?'),
  rule.residenceInPassing('^{SOFAR}.*?{MY} neue[ns]? (?:\\p{Ll}+ )?{HOME} in {TOWN}'),
  rule.employerInPassing(
    '[Ss]eit ich(?: jetzt)? (?:bei|für) {EMPLOYER} (?:arbeite|angefangen habe|angestellt bin)',
  ),
  rule.employerInPassing('^{SOFAR}.*?{MY} neue[nrms]? {JOB} (?:bei|für) {EMPLOYER}'),
  rule.theOneInPassing(
    '{MY} neue[nrms]? (?<thing>{PERSON}),? ' +
      '(?<value>(?:Dr\\. |Frau |Herrn? )?\\p{Lu}\\p{Ll}[\\p{L}-]*(?: \\p{Lu}\\p{Ll}+)?)(?!\\p{L})',
  ),
  ...TAKEN_BACK.de,
  ...JOB_AND_HOME_CHANGES.de,
];
