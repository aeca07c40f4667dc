import { readClockMs } from '../db/clock.ts'
import type { LockedDevice } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantOfMs } from '../db/values.ts'
import { readAssignments, readMoves, type Tenure, tenuresOf, writeMoves } from '../derive/assignment-rows.ts'
import { createVehicle, type HeldVins, lockVins } from '../derive/assignments/vehicle-ids.ts'
import { markToFoldAgain } from '../derive/due.ts'
import { handOver, reconcileAssignments } from '../derive/reconcile-assignments.ts'
import type { DeviceId } from '../model/sample.ts'
import { isIn } from '../model/time-range.ts'
import { lookAgainAtReaders } from './enter-devices.ts'
import { type FoundVehicle, findVehicles } from './vehicles.ts'

export interface MoveRequest {
  readonly deviceId: DeviceId
  /** The id, VIN or number plate of a vehicle, or a vehicle to be made, or one that is made unless there is one. */
  readonly to:
    | { readonly kind: 'named'; readonly name: string }
    | { readonly kind: 'new'; readonly vin: string | undefined }
    | { readonly kind: 'found or new'; readonly vin: string }
  /** undefined: the one it belongs to at that time. */
  readonly accountId: number | undefined
  /** The account it must belong to, at that time and now; any unless given. */
  readonly ownerId?: number
  readonly atMs: number | undefined
}

/** Where the dongle was put, or why it cannot be; unknown when there is none, or not with that owner. */
export type MoveOutcome =
  | { readonly kind: 'moved'; readonly publicId: string; readonly atMs: number }
  | {
      readonly kind: 'refused'
      readonly field: 'atMs' | 'to'
      readonly text: string
      readonly advice?: string
    }
  | { readonly kind: 'unknown' }

/** No data of dongles is older. */
const OLDEST_MS = Date.UTC(2000)

/** Records that a dongle was put into a car and works out where it was (docs/adr/0011). Later data waits to be folded
 * again. */
export async function recordMove(locked: LockedDevice, request: Omit<MoveRequest, 'deviceId'>): Promise<MoveOutcome> {
  const { transaction, deviceId } = locked
  const nowMs = await readClockMs(transaction)
  const atMs = Math.floor(request.atMs ?? nowMs)
  if (atMs > nowMs) return refused('atMs', 'That instant is still to come: the dongle is where it is until it is moved')
  if (atMs < OLDEST_MS) return refused('atMs', 'Dongles tell nothing from before 2000')
  const place = await placeOf(locked, request, atMs)
  if (place.kind !== 'place') return place
  const { accountId, isHandover } = place
  const vins = await lockVins(transaction, [accountId])
  const vehicle = await vehicleOf(locked, request, { ...place, vins })
  if (vehicle.kind === 'refused') return vehicle
  const { id: vehicleId, publicId, isNew } = vehicle
  await writeMoves(locked, [{ deviceId, atMs, vehicleId, isNewVehicle: isNew }])
  if (isHandover) await handOver(locked, { accountId, vehicleId, atMs })
  else await reconcileAssignments(locked)
  await markToFoldAgain(
    transaction,
    sql`
      select device_id, ${instantOfMs(atMs)}::timestamptz as from_time
      from device_states where device_id = ${deviceId} and last_time >= ${instantOfMs(atMs)}::timestamptz`,
  )
  return { kind: 'moved', publicId, atMs }
}

interface Place {
  readonly kind: 'place'
  readonly accountId: number
  readonly isHandover: boolean
}

type Refused = Extract<MoveOutcome, { readonly kind: 'refused' }>

const refused = (field: Refused['field'], text: string, advice?: string): Refused => ({
  kind: 'refused',
  field,
  text,
  ...(advice === undefined ? {} : { advice }),
})

async function placeOf(
  { transaction, deviceId }: LockedDevice,
  { accountId, ownerId }: Pick<MoveRequest, 'accountId' | 'ownerId'>,
  atMs: number,
): Promise<Place | Exclude<MoveOutcome, { readonly kind: 'moved' }>> {
  const stored = await readAssignments(transaction, deviceId)
  const span = stored?.spans.find(item => isIn(item, atMs))
  const tenure = stored && tenuresOf(stored.spans).at(-1)
  if (!span || !tenure || tenure.accountId !== (ownerId ?? tenure.accountId)) return { kind: 'unknown' }
  if (span.accountId !== (ownerId ?? span.accountId))
    return refused('atMs', 'At that time the dongle did not belong to this account')
  const isHandover = accountId !== undefined && accountId !== span.accountId
  if (!isHandover) return { kind: 'place', accountId: span.accountId, isHandover }
  const lastMs = await lastMoveMs(transaction, deviceId, tenure)
  if (lastMs >= atMs)
    return refused(
      'atMs',
      `It was moved at ${instantOfMs(lastMs)}, and another account can only take over after that`,
      'give a later --at',
    )
  return { kind: 'place', accountId, isHandover }
}

async function lastMoveMs(transaction: Transaction, deviceId: DeviceId, tenure: Tenure): Promise<number> {
  return Math.max(tenure.fromMs, ...(await readMoves(transaction, deviceId)).map(({ atMs }) => atMs))
}

type PlaceWithVins = Place & { readonly vins: HeldVins }

type Vehicle = FoundVehicle & { readonly kind: 'vehicle'; readonly isNew: boolean }

async function vehicleOf(
  locked: LockedDevice,
  { to }: Pick<MoveRequest, 'to'>,
  place: PlaceWithVins,
): Promise<Vehicle | Refused> {
  const { transaction } = locked
  const { accountId } = place
  if (to.kind === 'new') return newVehicle(locked, place, to.vin)
  if (to.kind === 'found or new') {
    const vehicle = await findByVin(transaction, accountId, to.vin)
    if (vehicle) return { kind: 'vehicle', ...vehicle, isNew: false }
    return newVehicle(locked, place, to.vin)
  }
  const found = await findVehicles(transaction, accountId, to.name)
  const [vehicle] = found
  if (!vehicle) return refused('to', `The account has no vehicle ${to.name}`, '`--to new` makes one')
  if (found.length > 1)
    return refused('to', `Several vehicles have that number plate: ${found.map(({ publicId }) => publicId).join(', ')}`)
  return { kind: 'vehicle', ...vehicle, isNew: false }
}

async function newVehicle(
  { transaction, deviceId }: LockedDevice,
  { accountId, isHandover, vins }: PlaceWithVins,
  vin: string | undefined,
): Promise<Vehicle | Refused> {
  if (vin === undefined && !(isHandover && (await isStranger(transaction, deviceId, accountId))))
    return refused(
      'to',
      `A new car needs its VIN here (--vin): without one it would be IMEI_${deviceId}, which is the dongle's first car`,
    )
  const other = vin === undefined ? undefined : await findByVin(transaction, accountId, vin)
  if (other) return refused('to', `The account has a vehicle with that VIN: --to ${other.publicId}`)
  const id = await createVehicle(vins, { accountId, deviceId, vin })
  if (vin !== undefined) {
    await transaction.rows(sql`update vehicles set vin_by_operator = true where id = ${id}`)
    await lookAgainAtReaders(transaction, [vin])
  }
  return { kind: 'vehicle', id, publicId: vin === undefined ? `IMEI_${deviceId}` : `VIN${vin}`, isNew: true }
}

async function findByVin(transaction: Transaction, accountId: number, vin: string): Promise<FoundVehicle | undefined> {
  const [vehicle] = await findVehicles(transaction, accountId, `VIN${vin}`)
  return vehicle?.publicId === `VIN${vin}` ? vehicle : undefined
}

/** No car of the account can ever answer to the `IMEI_…` of the dongle. */
async function isStranger(transaction: Transaction, deviceId: DeviceId, accountId: number): Promise<boolean> {
  const own = await transaction.rows(sql`
    select from vehicles where account_id = ${accountId} and first_device_id = ${deviceId} and not vin_by_operator`)
  return own.length === 0
}
