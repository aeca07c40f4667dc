import { makeOfVin } from '../catalogue/makes.ts'
import { hardwareOf } from '../catalogue/vehicles-and-dongles.ts'
import { insertOf, revised, updateOf } from '../db/bulk-rows.ts'
import { revisionAfter } from '../db/revisions.ts'
import type { LockedDevices } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { writeMoves } from '../derive/assignment-rows.ts'
import { lockVins } from '../derive/assignments/vehicle-ids.ts'
import { reviseVehicles } from '../derive/device-records.ts'
import { markCars } from '../derive/due.ts'
import { hardwareEntered } from '../derive/identity/identity.ts'
import type { DeviceId } from '../model/sample.ts'
import { dropClaims, type HandedOut, keepClaims, readHandedOut } from './claims.ts'
import { type CarColumns, carColumnsOf, type DeviceEntry, type EntryProblem } from './device-entry.ts'
import { changeSettingsWithin } from './vehicle-settings.ts'
import { currentDeviceOf } from './vehicles.ts'

/** The outcome of entries: how many dongles were created or have a changed car, or why nothing was done. */
export type EntryOutcome =
  | { readonly kind: 'entered'; readonly added: number; readonly updated: number; readonly unchanged: number }
  | { readonly kind: 'refused'; readonly problems: readonly EntryProblem[] }

export interface EntryOptions {
  readonly firstAccountId: number
  readonly onlyNew?: boolean
  /** The account that registers them by itself: once there are several, only what was handed out to it. */
  readonly claimantId?: number
}

/** The dongles that entries concern: themselves, and those that read a VIN that is entered. */
export async function readConcerned(transaction: Transaction, entries: readonly DeviceEntry[]): Promise<DeviceId[]> {
  const readers = await readReaders(
    transaction,
    entries.flatMap(entry => entry.vin ?? []),
  )
  return [...new Set([...entries.map(entry => entry.deviceId), ...readers])]
}

/** Enters dongles and cars, all or none; repeats change nothing. @param locked those of `readConcerned`, derived */
export async function enterDevices(
  locked: LockedDevices,
  entries: readonly DeviceEntry[],
  { firstAccountId, onlyNew, claimantId }: EntryOptions,
): Promise<EntryOutcome> {
  const { transaction } = locked
  const deviceIds = entries.map(entry => entry.deviceId)
  const handedOut = await readHandedOut(transaction, deviceIds)
  const accountIds = new Set(entries.map(entry => entry.accountId ?? firstAccountId))
  for (const accountId of handedOut.owners.values()) accountIds.add(accountId)
  for (const accountId of await readAccountsOf(transaction, deviceIds)) accountIds.add(accountId)
  await lockVins(transaction, accountIds)
  // Only now VINs are locked.
  const known = await readKnownFleet(transaction, entries)
  if (claimantId !== undefined) {
    const notTheirs = entries.filter(entry => !mayClaim(entry, claimantId, handedOut, known))
    await keepClaims(transaction, notTheirs.map(claimOf(claimantId)), 'refused')
    const text = 'was not handed out to this account by the operator of the service'
    const refused = notTheirs.map((entry): EntryProblem => ({ entry, field: 'deviceId', text }))
    if (refused.length > 0) return { kind: 'refused', problems: refused }
  }
  const existing = onlyNew ? entries.filter(entry => known.devices.has(entry.deviceId)) : []
  const { placed, problems: misplaced } = placeNew(entries, handedOut, known)
  const plan = planEntries(placed, known, firstAccountId)
  const problems = existing.length > 0 ? existing.map(entry => isThere(entry)) : [...misplaced, ...plan.problems]
  if (problems.length > 0) return { kind: 'refused', problems }
  await confirm(transaction, deviceIds)
  await addDongles(locked, plan.added)
  await changeCars(transaction, plan.cars)
  await changeHardware(locked, plan.hardware)
  const newVins = plan.added.flatMap(({ entry, vehicleId }) =>
    vehicleId === undefined && entry.vin !== undefined ? [entry.vin] : [],
  )
  await lookAgainAtReaders(transaction, newVins)
  if (claimantId !== undefined && !handedOut.isSoleAccount)
    await keepClaims(transaction, entries.map(claimOf(claimantId)), 'open')
  return { kind: 'entered', added: plan.added.length, updated: plan.updatedCount, unchanged: plan.unchangedCount }
}

const claimOf = (accountId: number) => (entry: DeviceEntry) => ({ deviceId: entry.deviceId, accountId })

/** Dongles of another account and unregistered ones give the same error, so that they cannot be distinguished. */
function mayClaim({ deviceId }: DeviceEntry, claimantId: number, handedOut: HandedOut, known: KnownFleet): boolean {
  const device = known.devices.get(deviceId)
  if (handedOut.isSoleAccount || device?.account_id === claimantId) return true
  return !device && handedOut.owners.get(deviceId) === claimantId
}

/** New dongles join the account to which they were handed out, and no other. */
function placeNew(
  entries: readonly DeviceEntry[],
  { owners }: HandedOut,
  known: KnownFleet,
): { readonly placed: readonly DeviceEntry[]; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = []
  const placed = entries.map(entry => {
    const ownerId = owners.get(entry.deviceId)
    if (ownerId === undefined || known.devices.has(entry.deviceId)) return entry
    if (entry.accountId !== undefined && entry.accountId !== ownerId) {
      const advice = '`tacho account ranges` shows to which, and `tacho account take-back` takes it back'
      problems.push({ entry, field: 'accountId', text: 'is not the account to which it was handed out', advice })
    }
    return { ...entry, accountId: ownerId }
  })
  return { placed, problems }
}

/** The account is confirmed: they are no mere claims any more. */
async function confirm(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  await transaction.rows(sql`
    update devices set is_claimed = false where is_claimed and id = any(${deviceIds}::bigint[])`)
  await dropClaims(transaction, deviceIds)
}

async function readAccountsOf(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<number[]> {
  const rows = await transaction.rows<{ account_id: number }>(sql`
    select distinct account_id from assignments where device_id = any(${deviceIds}::bigint[]) and to_time = 'infinity'`)
  return rows.map(row => row.account_id)
}

function isThere(entry: DeviceEntry): EntryProblem {
  const advice =
    '`tacho device import` and the settings of the API change its car, `tacho device move` puts it into another'
  return { entry, field: 'deviceId', text: 'is there already', advice }
}

/** The dongles that read one of these VINs, which an operator enters now: one reading is enough from then on. */
async function readReaders(transaction: Transaction, vins: readonly string[]): Promise<DeviceId[]> {
  if (vins.length === 0) return []
  const rows = await transaction.rows<{ device_id: DeviceId }>(sql`
    select distinct device_id from vin_runs where vin = any(${vins}::text[])`)
  return rows.map(row => row.device_id)
}

/** Where they were is worked out again in the background (docs/adr/0009). */
export async function lookAgainAtReaders(transaction: Transaction, vins: readonly string[]): Promise<void> {
  await markCars(transaction, await readReaders(transaction, vins))
}

/** A dongle that is new, in a car of its own or in one that is there without a dongle. */
interface NewDongle {
  readonly entry: DeviceEntry
  readonly accountId: number
  readonly vehicleId: number | undefined
}

interface CarChange {
  readonly accountId: number
  readonly vehicleId: number
  /** Before the VIN changes. */
  readonly publicId: string
  readonly columns: Partial<CarColumns>
  readonly vin: string | undefined
}

interface HardwareChange {
  readonly device: KnownDevice
  readonly hardware: string
}

interface EntryPlan {
  readonly problems: EntryProblem[]
  readonly added: NewDongle[]
  readonly cars: CarChange[]
  readonly hardware: HardwareChange[]
  updatedCount: number
  unchangedCount: number
}

/** Plans what entries change: a dongle that is not there is made, of another one its car gets what differs. */
function planEntries(entries: readonly DeviceEntry[], known: KnownFleet, firstAccountId: number): EntryPlan {
  const plan: EntryPlan = { problems: [], added: [], cars: [], hardware: [], updatedCount: 0, unchangedCount: 0 }
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

function planNew(entry: DeviceEntry, accountId: number, known: KnownFleet, plan: EntryPlan): void {
  const car = entry.vin === undefined ? undefined : known.carOfVin(accountId, entry.vin)
  plan.added.push({ entry, accountId, vehicleId: car?.vehicleId })
  if (!car) return
  const { vehicleId, publicId } = car
  plan.cars.push({ accountId, vehicleId, publicId, columns: carColumnsOf(entry), vin: entry.vin })
}

function planExisting(entry: DeviceEntry, device: KnownDevice, plan: EntryPlan): void {
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

/** Makes dongles, with a car for each that has none. The caller has locked the VINs of the accounts. */
async function addDongles(locked: LockedDevices, added: readonly NewDongle[]): Promise<void> {
  if (added.length === 0) return
  const { transaction } = locked.devices(added.map(({ entry }) => entry.deviceId))
  const dongles = added.map(({ entry }) => ({
    id: entry.deviceId,
    ...hardwareColumns(entry.hardware ?? ''),
    hardware_set: entry.hardware ?? '',
  }))
  await transaction.rows(
    insertOf(
      'devices',
      await revised(transaction, dongles),
      sql`on conflict (id) do update set manufacturer = excluded.manufacturer, hardware_type = excluded.hardware_type,
        hardware_version = excluded.hardware_version, hardware_set = excluded.hardware_set, deleted = null,
        created = clock_timestamp(), modified = excluded.modified`,
    ),
  )
  const made = await addCars(
    transaction,
    added.filter(({ vehicleId }) => vehicleId === undefined),
  )
  const joined = added.flatMap(({ entry: { deviceId }, accountId, vehicleId }) =>
    vehicleId === undefined ? [] : [{ deviceId, accountId, vehicleId }],
  )
  const placed = [...made, ...joined].map(({ deviceId, accountId, vehicleId }) => ({
    device_id: deviceId,
    account_id: accountId,
    vehicle_id: vehicleId,
  }))
  await transaction.rows(insertOf('assignments', placed))
  await reviseVehicles(
    transaction,
    joined.map(({ vehicleId }) => vehicleId),
  )
  // Stored as an operator's entry, so that a car whose VIN the dongle never reads stays its car.
  await writeMoves(
    locked,
    joined.map(item => ({ ...item, atMs: Number.NEGATIVE_INFINITY, isNewVehicle: false })),
  )
}

async function addCars(
  transaction: Transaction,
  added: readonly NewDongle[],
): Promise<{ deviceId: DeviceId; accountId: number; vehicleId: number }[]> {
  if (added.length === 0) return []
  const cars = added.map(({ accountId, entry }) => ({
    account_id: accountId,
    first_device_id: entry.deviceId,
    vin: entry.vin ?? null,
    vin_by_operator: entry.vin !== undefined,
    make: entry.make ?? (entry.vin === undefined ? '' : makeOfVin(entry.vin)),
    make_by_operator: entry.make !== undefined,
    model: entry.model ?? '',
    vehicle: entry.vehicle ?? '',
    fuel_type: entry.fuelType ?? '',
    fuel_type_set: entry.fuelType ?? '',
    kba: entry.kba ?? '',
    license_plate: entry.plate ?? '',
    tecdoc_make_id: entry.tecdocMakeId ?? 0,
    tecdoc_model_id: entry.tecdocModelId ?? 0,
    tecdoc_vehicle_id: entry.tecdocVehicleId ?? 0,
  }))
  // On conflict: the car of a dongle that was deleted, and comes again.
  const inserted = insertOf(
    'vehicles',
    await revised(transaction, cars),
    sql`on conflict (account_id, public_id) do update set make = excluded.make,
        make_by_operator = excluded.make_by_operator, model = excluded.model, vehicle = excluded.vehicle,
        fuel_type = excluded.fuel_type, fuel_type_set = excluded.fuel_type_set, kba = excluded.kba,
        license_plate = excluded.license_plate, tecdoc_make_id = excluded.tecdoc_make_id,
        tecdoc_model_id = excluded.tecdoc_model_id, tecdoc_vehicle_id = excluded.tecdoc_vehicle_id,
        deleted = null, modified = excluded.modified
      returning id, first_device_id, account_id, public_id`,
  )
  return transaction.rows(sql`
    with made as (${inserted}), forgotten as (
      -- An id that a vehicle has now is nobody's former one any more.
      delete from former_vehicle_ids f using made
      where f.account_id = made.account_id and f.public_id = made.public_id
    )
    select first_device_id as "deviceId", account_id as "accountId", id as "vehicleId" from made`)
}

async function changeCars(transaction: Transaction, cars: readonly CarChange[]): Promise<void> {
  const changed = cars.filter(({ columns }) => Object.keys(columns).length > 0)
  if (changed.length > 0) await updateColumns(transaction, changed)
  for (const { accountId, publicId, vin } of cars)
    if (vin !== undefined) await changeSettingsWithin(transaction, accountId, publicId, { vin })
}

async function updateColumns(transaction: Transaction, changed: readonly CarChange[]): Promise<void> {
  const first = await transaction.takeRevisions(changed.length)
  const textsOf = (name: keyof CarColumns): Statement => sql`${changed.map(({ columns }) => columns[name] ?? null)}`
  await transaction.rows(sql`
    update vehicles v set
      license_plate = coalesce(u.license_plate, v.license_plate),
      make = coalesce(u.make, v.make), make_by_operator = v.make_by_operator or u.make is not null,
      model = coalesce(u.model, v.model), vehicle = coalesce(u.vehicle, v.vehicle), kba = coalesce(u.kba, v.kba),
      fuel_type = coalesce(u.fuel_type, v.fuel_type), fuel_type_set = coalesce(u.fuel_type, v.fuel_type_set),
      tecdoc_make_id = coalesce(u.tecdoc_make_id, v.tecdoc_make_id),
      tecdoc_model_id = coalesce(u.tecdoc_model_id, v.tecdoc_model_id),
      tecdoc_vehicle_id = coalesce(u.tecdoc_vehicle_id, v.tecdoc_vehicle_id),
      modified = u.modified
    from unnest(
      ${changed.map(({ vehicleId }) => vehicleId)}::bigint[],
      ${textsOf('license_plate')}::text[], ${textsOf('make')}::text[], ${textsOf('model')}::text[],
      ${textsOf('vehicle')}::text[], ${textsOf('kba')}::text[], ${textsOf('fuel_type_set')}::text[],
      ${textsOf('tecdoc_make_id')}::integer[], ${textsOf('tecdoc_model_id')}::integer[],
      ${textsOf('tecdoc_vehicle_id')}::integer[],
      ${changed.map((_, index) => revisionAfter(first, index))}::timestamptz[]
    ) as u (id, license_plate, make, model, vehicle, kba, fuel_type, tecdoc_make_id, tecdoc_model_id, tecdoc_vehicle_id,
      modified)
    where v.id = u.id`)
}

/** Sets the models of dongles; one that names its own goes on to show that. */
async function changeHardware(locked: LockedDevices, changes: readonly HardwareChange[]): Promise<void> {
  if (changes.length === 0) return
  const { transaction } = locked.devices(changes.map(({ device }) => device.id))
  const entered = changes.map(({ device, hardware }) => ({ id: device.id, hardware_set: hardware }))
  await transaction.rows(updateOf('devices', ['id'], entered))
  const shown = changes.filter(({ device }) => hardwareOf(device.firmware_version).hardwareType === '')
  if (shown.length === 0) return
  const rows = shown.map(({ device, hardware }) => ({ id: device.id, ...hardwareColumns(hardware) }))
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, rows)))
}

function hardwareColumns(entered: string) {
  const { manufacturer, hardwareType, hardwareVersion } = hardwareEntered(entered)
  return { manufacturer, hardware_type: hardwareType, hardware_version: hardwareVersion }
}

interface KnownDevice extends CarColumns {
  readonly id: DeviceId
  readonly firmware_version: string
  readonly hardware_set: string
  readonly account_id: number
  readonly account_name: string
  readonly vehicle_id: number
  readonly public_id: string
  readonly vin: string | null
  readonly vin_by_operator: boolean
  readonly make_by_operator: boolean
}

interface KnownCar {
  readonly vehicleId: number
  readonly publicId: string
  readonly deviceId: DeviceId | null
}

interface KnownFleet {
  readonly devices: ReadonlyMap<DeviceId, KnownDevice>
  carOfVin(accountId: number, vin: string): KnownCar | undefined
}

async function readKnownFleet(transaction: Transaction, entries: readonly DeviceEntry[]): Promise<KnownFleet> {
  const devices = await transaction.rows<KnownDevice>(sql`
    select d.id, d.firmware_version, d.hardware_set, a.account_id, c.name as account_name, a.vehicle_id, v.public_id, v.vin,
      v.vin_by_operator, v.make_by_operator, v.license_plate, v.make, v.model, v.vehicle, v.fuel_type_set, v.kba,
      v.tecdoc_make_id, v.tecdoc_model_id, v.tecdoc_vehicle_id
    from devices d
    join assignments a on a.device_id = d.id and a.to_time = 'infinity'
    join accounts c on c.id = a.account_id
    join vehicles v on v.id = a.vehicle_id
    where d.id = any(${entries.map(entry => entry.deviceId)}::bigint[])`)
  const cars = await transaction.rows<KnownCar & { readonly accountId: number; readonly vin: string }>(sql`
    select v.account_id as "accountId", v.vin, v.id as "vehicleId", v.public_id as "publicId",
      ${currentDeviceOf(sql`v.id`)} as "deviceId"
    from vehicles v where v.vin = any(${entries.flatMap(entry => entry.vin ?? [])}::text[])`)
  const carByKey = new Map(cars.map(car => [`${car.accountId} ${car.vin}`, car]))
  return {
    devices: new Map(devices.map(row => [row.id, row])),
    carOfVin: (accountId, vin) => carByKey.get(`${accountId} ${vin}`),
  }
}
