/** Why facts are dropped: few and fixed reasons, since they are labels of metrics. */

export const DROP_REASONS = [
  'NoSource',
  'UnknownSource',
  'QuoteNotInSource',
  'SpeakerNotInSource',
  'NumberNotInSource',
  'UnitNotInSource',
  'DateNotInSource',
  'DerivationDiffers',
  'IdentifierNotInSource',
  'NegationDiffers',
  'OppositeInSource',
  'AttributionDiffers',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];
