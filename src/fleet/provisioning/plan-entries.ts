import { type CarColumns, carColumnsOf, type DeviceEntry, type EntryProblem } from './device-entry.ts'
import type { KnownDevice, KnownFleet } from './known-fleet.ts'

/** A dongle that is new, in a car of its own or in one that is there without a dongle. */
export interface NewDongle {
  readonly entry: DeviceEntry
  readonly accountId: number
  /** undefined makes one. */
  readonly vehicleId: number | undefined
}

/** What changes of a car or its dongle. */
export interface CarChange {
  readonly accountId: number
  readonly vehicleId: number
  /** Before the VIN changes. */
  readonly publicId: string
  readonly columns: Partial<CarColumns>
  /** An operator's from now on. */
  readonly vin: string | undefined
}

export interface HardwareChange {
  readonly device: KnownDevice
  readonly hardware: string
}

interface EntryPlan {
  readonly problems: readonly EntryProblem[]
  readonly added: readonly NewDongle[]
  readonly cars: readonly CarChange[]
  readonly hardware: readonly HardwareChange[]
  readonly updatedCount: number
  readonly unchangedCount: number
}

/**
 * Works out what entries change, without touching anything: a dongle that is not there is made, of one that is there the
 * car that it is in now gets what differs.
 */
export function planEntries(entries: readonly DeviceEntry[], known: KnownFleet, firstAccountId: number): EntryPlan {
  const plan = {
    problems: [] as EntryProblem[],
    added: [] as NewDongle[],
    cars: [] as CarChange[],
    hardware: [] as HardwareChange[],
    updatedCount: 0,
    unchangedCount: 0,
  }
  const dongleOfVin = new Map<string, DeviceEntry>()
  for (const entry of entries) {
    const device = known.devices.get(entry.deviceId)
    const accountId = device?.account_id ?? entry.accountId ?? firstAccountId
    const problem =
      otherAccount(entry, device) ?? repeatedVin(entry, accountId, dongleOfVin) ?? takenVin(entry, accountId, known)
    if (problem) plan.problems.push(problem)
    else if (device) planExisting(entry, device, plan)
    else planNew(entry, accountId, known, plan)
  }
  return plan
}

function otherAccount(entry: DeviceEntry, device: KnownDevice | undefined): EntryProblem | undefined {
  if (!device || entry.accountId === undefined || entry.accountId === device.account_id) return undefined
  const text = `belongs to the account ${device.account_name}`
  return { entry, field: 'accountId', text, advice: '`tacho device move` with --account changes that' }
}

function repeatedVin(
  entry: DeviceEntry,
  accountId: number,
  dongleOfVin: Map<string, DeviceEntry>,
): EntryProblem | undefined {
  if (entry.vin === undefined) return undefined
  const key = `${accountId} ${entry.vin}`
  const other = dongleOfVin.get(key)
  if (other) return { entry, field: 'vin', text: `is the VIN of ${other.deviceId}, too` }
  dongleOfVin.set(key, entry)
  return undefined
}

function takenVin(entry: DeviceEntry, accountId: number, known: KnownFleet): EntryProblem | undefined {
  const car = entry.vin === undefined ? undefined : known.carOfVin(accountId, entry.vin)
  const device = known.devices.get(entry.deviceId)
  if (!car || car.vehicleId === device?.vehicle_id || (!device && car.deviceId === null)) return undefined
  const itsDongle = car.deviceId === null ? '' : `, in which the dongle ${car.deviceId} is`
  const advice = device
    ? `\`tacho device move\` puts ${entry.deviceId} into it`
    : `add ${entry.deviceId} without a VIN, and \`tacho device move\` puts it there`
  return { entry, field: 'vin', text: `is the VIN of the vehicle ${car.publicId}${itsDongle}`, advice }
}

interface Growing {
  readonly added: NewDongle[]
  readonly cars: CarChange[]
  readonly hardware: HardwareChange[]
  updatedCount: number
  unchangedCount: number
}

function planNew(entry: DeviceEntry, accountId: number, known: KnownFleet, plan: Growing): void {
  const car = entry.vin === undefined ? undefined : known.carOfVin(accountId, entry.vin)
  plan.added.push({ entry, accountId, vehicleId: car?.vehicleId })
  if (!car) return
  const { vehicleId, publicId } = car
  plan.cars.push({ accountId, vehicleId, publicId, columns: carColumnsOf(entry), vin: entry.vin })
}

function planExisting(entry: DeviceEntry, device: KnownDevice, plan: Growing): void {
  const columns = Object.fromEntries(
    Object.entries(carColumnsOf(entry)).filter(([name, value]) =>
      // A make that follows from the VIN becomes the operator's.
      name === 'make' && !device.make_by_operator ? true : device[name as keyof CarColumns] !== value,
    ),
  )
  const isSameVin = entry.vin === undefined || (device.vin === entry.vin && device.vin_by_operator)
  const vin = isSameVin ? undefined : entry.vin
  const isSameCar = Object.keys(columns).length === 0 && vin === undefined
  const isSameHardware = entry.hardware === undefined || entry.hardware === device.hardware_set
  if (!isSameCar) {
    const { account_id: accountId, vehicle_id: vehicleId, public_id: publicId } = device
    plan.cars.push({ accountId, vehicleId, publicId, columns, vin })
  }
  if (!isSameHardware && entry.hardware !== undefined) plan.hardware.push({ device, hardware: entry.hardware })
  if (isSameCar && isSameHardware) plan.unchangedCount++
  else plan.updatedCount++
}
