import MAKES_OF_REGIONS from './makes.json' with { type: 'json' }

/** World manufacturer identifiers (ISO 3780), separated by spaces. `VF9/795`: a small manufacturer; characters 12 to 14
 * of the VIN belong to the identifier. `1C4.J`: a shared identifier, where the fifth character decides. */
type MakeRow = readonly [make: string, identifiers: string]

/** Compiled by us from what manufacturers publish. Since 2012 the brands of the former Chrysler share identifiers and
 * differ in the fifth character: J Jeep, D Dodge, R Ram, F Fiat, C Chrysler. */
export const MAKES: readonly MakeRow[] = Object.values(MAKES_OF_REGIONS).flatMap(makes => Object.entries(makes))

const makeByIdentifier = new Map(MAKES.flatMap(([make, list]) => list.split(' ').map(identifier => [identifier, make])))

/** ISO 3779, ISO 3780; European VINs have no check digit. @param vin 17 characters in upper case @returns '' if none */
export function makeOfVin(vin: string): string {
  const identifier = vin.slice(0, 3)
  return (
    makeByIdentifier.get(`${identifier}/${vin.slice(11, 14)}`) ??
    makeByIdentifier.get(`${identifier}.${vin.slice(4, 5)}`) ??
    makeByIdentifier.get(identifier) ??
    ''
  )
}
