import { AMERICA } from './america.ts'
import { ASIA } from './asia.ts'
import { EUROPE } from './europe.ts'
import type { MakeRow } from './row.ts'

/** Makes by the manufacturer identifiers in VINs. Compiled by us from what manufacturers publish. */
export const MAKES: readonly MakeRow[] = [...EUROPE, ...AMERICA, ...ASIA]

const makeByIdentifier = new Map(MAKES.flatMap(([make, list]) => list.split(' ').map(identifier => [identifier, make])))

/**
 * The make in a VIN (ISO 3779, ISO 3780). The check digit is ignored: European VINs have none.
 * @param vin 17 characters in upper case
 * @returns '' when the identifier is not known.
 */
export function makeOfVin(vin: string): string {
  const identifier = vin.slice(0, 3)
  return (
    makeByIdentifier.get(`${identifier}/${vin.slice(11, 14)}`) ??
    makeByIdentifier.get(`${identifier}.${vin.slice(4, 5)}`) ??
    makeByIdentifier.get(identifier) ??
    ''
  )
}
