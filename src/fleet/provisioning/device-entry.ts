import type { DeviceId } from '../../model/sample.ts'

/** An operator's entry for a dongle and its car; absent fields stay as they are. */
export interface DeviceEntry {
  readonly deviceId: DeviceId
  /** Where a new one joins; where an existing one must be. undefined: the first account, or wherever it is. */
  readonly accountId: number | undefined
  /** Well-formed. */
  readonly vin?: string
  readonly plate?: string
  readonly make?: string
  readonly model?: string
  /** The car's type in words, such as "Golf VII 1.4 TSI". */
  readonly vehicle?: string
  readonly fuelType?: string
  readonly tecdocMakeId?: number
  readonly tecdocModelId?: number
  readonly tecdocVehicleId?: number
  readonly kba?: string
  /** The model of the dongle, such as FMC003. */
  readonly hardware?: string
}

/** Why an entry is refused. */
export interface EntryProblem {
  readonly entry: DeviceEntry
  readonly field: 'deviceId' | 'accountId' | 'vin'
  /** After the name or the value of the field. */
  readonly text: string
  /** What an operator can do at the command line. */
  readonly advice?: string
}

/** The settings of a vehicle that are a column each. */
export type CarColumns = Readonly<
  Record<'license_plate' | 'make' | 'model' | 'vehicle' | 'fuel_type_set' | 'kba', string> &
    Record<'tecdoc_make_id' | 'tecdoc_model_id' | 'tecdoc_vehicle_id', number>
>

/** What an entry says of these columns. */
export function carColumnsOf(entry: DeviceEntry): Partial<CarColumns> {
  const columns = {
    license_plate: entry.plate,
    make: entry.make,
    model: entry.model,
    vehicle: entry.vehicle,
    fuel_type_set: entry.fuelType,
    kba: entry.kba,
    tecdoc_make_id: entry.tecdocMakeId,
    tecdoc_model_id: entry.tecdocModelId,
    tecdoc_vehicle_id: entry.tecdocVehicleId,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
