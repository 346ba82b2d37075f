/**
 * Names of time zones, exactly as they are written. An API server looks them up letter by letter in
 * the IANA database that is linked into it; JavaScript takes any letters, and knows zones such as
 * `SystemV/EST5` that the database dropped long ago.
 */

/**
 * Other names of zones, which `Intl.supportedValuesOf` leaves out: the links of the file `backward`
 * of the IANA database (release 2026c), by area. A zone that is renamed later is taken under its
 * new name once it stands here.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Africa: 'Asmara Timbuktu',
  America:
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba ' +
    'Argentina/Jujuy Argentina/Mendoza Atikokan Atka Ensenada Fort_Wayne Indiana/Indianapolis ' +
    'Kentucky/Louisville Knox_IN Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River ' +
    'Rosario Santa_Isabel Shiprock Thunder_Bay Virgin Yellowknife',
  Antarctica: 'South_Pole',
  Asia:
    'Ashkhabad Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar ' +
    'Kathmandu Kolkata Macao Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  Atlantic: 'Faroe Jan_Mayen',
  Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
  Brazil: 'Acre DeNoronha East West',
  Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
  Chile: 'Continental EasterIsland',
  Etc: `GMT GMT0 Greenwich UCT UTC Universal Zulu ${offsets('-', 14)} ${offsets('+', 12)}`,
  Europe: 'Belfast Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
  Mexico: 'BajaNorte BajaSur General',
  Pacific: 'Chuuk Johnston Kanton Pohnpei Samoa Yap',
  US:
    'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan ' +
    'Mountain Pacific Samoa',
};

/** Of about 550 names; those without an area, such as `Japan`, are left out but for `UTC`. */
export const TIME_ZONES: ReadonlySet<string> = new Set([
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')),
  ...Object.entries(OTHER_NAMES).flatMap(([area, names]) =>
    names.split(' ').map((name) => `${area}/${name}`),
  ),
]);

/** `GMT-0 GMT-1 …` up to the hours that are given. */
function offsets(sign: '+' | '-', hoursMax: number): string {
  return Array.from({ length: hoursMax + 1 }, (_, hours) => `GMT${sign}${hours}`).join(' ');
}
