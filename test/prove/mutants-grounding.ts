/** Mutants of grounding: rules that let a false fact pass. */
import type { Mutant } from './mutant.ts';

export const GROUNDING_MUTANTS: readonly Mutant[] = [
  {
    id: 'DREAM-06',
    file: 'core/grounding/measure.ts',
    find: "return isNamed ? 'UnitNotInSource' : 'NumberNotInSource';",
    replace: 'return null;',
    breaks: 'any number is believed',
  },
  {
    id: 'DREAM-06',
    file: 'core/grounding/measure.ts',
    find: "return 'DateNotInSource';\n  }\n  for (const time",
    replace: 'continue;\n  }\n  for (const time',
    breaks: 'any day is believed',
  },
  {
    id: 'DREAM-06',
    file: 'core/grounding/judge.ts',
    find: "if (isNegationFlipped(told, all, closest)) return 'NegationDiffers';",
    replace: '',
    breaks: 'a fact may deny what its source says',
  },
  {
    id: 'DREAM-06',
    file: 'core/grounding/judge.ts',
    find: "if (isMisattributed(told, all, book.isKnown)) return 'AttributionDiffers';",
    replace: '',
    breaks: 'a fact may give to one what the source gives to another',
  },
  {
    id: 'DREAM-06',
    file: 'core/grounding/judge.ts',
    find: "    : 'SpeakerNotInSource';",
    replace: '    : null;',
    breaks: 'a fact may state any speaker',
  },
];
