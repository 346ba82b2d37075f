/** Why a claim loses its wording: a short fixed list, because reasons are labels of metrics. */

const DROP_REASONS = [
  'NoSource',
  'UnknownSource',
  'QuoteNotInSource',
  'SpeakerNotInSource',
  'NumberNotInSource',
  'UnitNotInSource',
  'DateNotInSource',
  'DerivationDiffers',
  'IdentifierNotInSource',
  'NameNotInSource',
  'NotInSource',
  'NegationDiffers',
  'ModalityDiffers',
  'AttributionDiffers',
  'RolesDiffer',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];
