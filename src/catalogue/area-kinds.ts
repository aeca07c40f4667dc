/** The purpose of an area. Rules go by the area, not by its kind; people find and colour areas by it. */
export const AREA_KINDS = [
  'DEPOT',
  'CUSTOMER',
  'WORKSHOP',
  'FUEL_STATION',
  'CHARGING_STATION',
  'PARKING',
  'HOME',
  'ZONE',
  'FORBIDDEN',
  'OTHER',
] as const

export type AreaKind = (typeof AREA_KINDS)[number]

/** The kind that a word from outside names, in any letter case. */
export function areaKindOf(word: string): AreaKind | undefined {
  const wanted = word
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
  return AREA_KINDS.find(kind => kind === wanted)
}
