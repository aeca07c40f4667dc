/** Units of the contract (fleet-api-v2.md, *Unit ids*). */
interface Unit {
  readonly id: number
  /** The symbol clients see; empty for dimensionless values. */
  readonly unitType: string
}

export const DIMENSIONLESS_UNIT_ID = 10

export const UNITS: readonly Unit[] = [
  { id: 10, unitType: '' },
  { id: 20, unitType: '%' },
  { id: 30, unitType: '°C' },
  { id: 40, unitType: 'V' },
  { id: 50, unitType: 'A' },
  { id: 60, unitType: '°' },
  { id: 90, unitType: 'l' },
  { id: 110, unitType: 'm' },
  { id: 111, unitType: 'km' },
  { id: 113, unitType: 'mm' },
  { id: 121, unitType: 'km/h' },
  { id: 130, unitType: 'm/s²' },
  { id: 160, unitType: 's' },
  { id: 163, unitType: 'min' },
  { id: 165, unitType: 'd' },
  { id: 180, unitType: 'Ohm' },
  { id: 191, unitType: 'l/h' },
  { id: 200, unitType: 'Ah' },
  { id: 241, unitType: '1/min' },
  { id: 373, unitType: 'kWh' },
]

const unitsById = new Map(UNITS.map(unit => [unit.id, unit]))

/** @throws when the id is not in the contract: a row of the catalogue is wrong. */
export function unitById(id: number): Unit {
  const unit = unitsById.get(id)
  if (!unit) throw new Error(`no unit with id ${id}`)
  return unit
}
