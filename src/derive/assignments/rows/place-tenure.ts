import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Assignment } from '../../device-records.ts'
import { type VinRun } from '../../trips/derive/state.ts'
import { placeMoved } from '../derive/moves.ts'
import { type Home, type Placed, placeStays } from '../derive/placement.ts'
import { staysOf } from '../derive/stays.ts'
import type { Tenure } from './assignment-rows.ts'
import { readHome, readOwnOfVins, readVehicleAs, readVehiclesOfVins } from './home-and-vins.ts'
import type { HeldVins } from './locked-vins.ts'
import type { OperatorMove } from './moves.ts'
import { nameHome } from './name-home.ts'
import { createVehicle } from './public-ids.ts'

/** What is known about a device during the time in which it belonged to one account. */
interface TenureFacts {
  readonly deviceId: DeviceId
  readonly tenure: Tenure
  /** Its VIN readings in that time, ascending. */
  readonly runs: readonly VinRun[]
  /** Where operators put it in that time, ascending. */
  readonly moves: readonly OperatorMove[]
}

interface NamedVehicle {
  readonly accountId: number
  readonly vehicleId: number
  readonly vin: string
}

export interface PlacedTenure {
  readonly spans: readonly Assignment[]
  /** Vehicles that get their VIN when the vehicle that still has it is retired. */
  readonly namedLater: readonly NamedVehicle[]
}

/**
 * Finds out in which vehicles a device was while it belonged to one account (docs/adr/0009, docs/adr/0011). Vehicles get the VINs
 * that it read, and are made where there is none.
 */
export function placeTenure(held: HeldVins, facts: TenureFacts): Promise<PlacedTenure> {
  return facts.moves.length === 0 ? placeByReadings(held, facts) : placeByMoves(held, facts)
}

async function placeByReadings(held: HeldVins, { deviceId, tenure, runs }: TenureFacts): Promise<PlacedTenure> {
  const { accountId } = tenure
  const transaction = held.transactionFor(accountId)
  const { vehicleOfVin, operatorVins } = await readVehiclesOfVins(transaction, accountId, vinsOf(runs))
  const home = await readHome(transaction, deviceId, tenure)
  const placement = placeStays(staysOf(runs, operatorVins), home, vehicleOfVin)
  if (placement.homeVin !== home.vin) await nameHome(held, { accountId, deviceId }, home, placement.homeVin)
  return { spans: await spansOf(held, deviceId, tenure, placement.placed, new Map()), namedLater: [] }
}

/** The time between two moves. */
interface Leg {
  readonly fromMs: number
  readonly toMs: number
  readonly home: Home
  readonly isMoved: boolean
}

/**
 * If there are moves, each leg between two of them is placed by what was read in it, in the order of time. VINs that the
 * vehicles have from this dongle's readings alone are ignored at first and derived again, so that it does not matter in
 * which order readings and moves became known.
 */
async function placeByMoves(held: HeldVins, facts: TenureFacts): Promise<PlacedTenure> {
  const { deviceId, tenure, runs } = facts
  const { accountId } = tenure
  const transaction = held.transactionFor(accountId)
  const legs = await legsOf(transaction, facts)
  const homes = new Map(legs.map(({ home }) => [home.vehicleId, home]))
  const vins = vinsOf(runs)
  const { vehicleOfVin, operatorVins } = await readVehiclesOfVins(transaction, accountId, vins)
  const own = await readOwnOfVins(transaction, { deviceId, tenure, vins, except: [...homes.keys()] })
  const known = new Map([...vehicleOfVin].filter(([vin]) => !own.has(vin)))
  for (const { vehicleId, vin } of homes.values())
    if (vin !== undefined && vehicleOfVin.get(vin) === vehicleId && isGivenAnew(homes, vehicleId)) known.delete(vin)

  const names = new Map([...homes].map(([id, { vin }]) => [id, isGivenAnew(homes, id) ? undefined : vin]))
  const ofNewVehicles = new Set<string>()
  const placed: Placed[] = []
  for (const { fromMs, toMs, home: stored, isMoved } of legs) {
    const home = { ...stored, vin: names.get(stored.vehicleId) }
    const read = runs.filter(({ firstMs }) => firstMs >= fromMs && firstMs < toMs)
    const stays = staysOf(read, operatorVins, isMoved ? fromMs : undefined)
    let vin: string | undefined
    if (isMoved) {
      const placement = placeMoved(fromMs, stays, home, { vehicleOfVin: known, ofNewVehicles })
      vin = placement.vin
      placed.push(...placement.placed)
    } else {
      const placement = placeStays(stays, home, known)
      vin = placement.homeVin
      placed.push(...placement.placed)
    }
    names.set(home.vehicleId, vin)
    if (vin !== undefined) known.set(vin, home.vehicleId)
    for (const { vehicle } of placed)
      if (vehicle.kind === 'new' && vehicle.vin !== undefined) ofNewVehicles.add(vehicle.vin)
  }
  const namedLater = await nameHomes(held, { accountId, deviceId, homes, names, own })
  return { spans: await spansOf(held, deviceId, tenure, placed, own), namedLater }
}

/** Its VIN comes from readings of this dongle alone. */
function isGivenAnew(homes: ReadonlyMap<number, Home>, vehicleId: number): boolean {
  const home = homes.get(vehicleId)
  return home?.vin !== undefined && !home.isByOperator && !home.isShared
}

async function legsOf(transaction: Transaction, { deviceId, tenure, moves }: TenureFacts): Promise<Leg[]> {
  const { fromMs, toMs } = tenure
  const legs: Leg[] = []
  const [first] = moves
  if (!first || first.atMs > fromMs)
    legs.push({
      fromMs,
      toMs: first?.atMs ?? toMs,
      home: await readHome(transaction, deviceId, tenure),
      isMoved: false,
    })
  for (const [index, { atMs, vehicleId }] of moves.entries())
    legs.push({
      fromMs: atMs,
      toMs: moves[index + 1]?.atMs ?? toMs,
      home: await readVehicleAs(transaction, { deviceId, tenure }, vehicleId),
      isMoved: true,
    })
  return legs
}

/** Takes VINs away before it gives any, so that those are free. @returns the vehicles that must wait for theirs. */
async function nameHomes(
  held: HeldVins,
  {
    accountId,
    deviceId,
    homes,
    names,
    own,
  }: {
    readonly accountId: number
    readonly deviceId: DeviceId
    readonly homes: ReadonlyMap<number, Home>
    readonly names: ReadonlyMap<number, string | undefined>
    readonly own: ReadonlyMap<string, number>
  },
): Promise<NamedVehicle[]> {
  const changed = [...homes.values()].filter(({ vehicleId, vin }) => names.get(vehicleId) !== vin)
  const nameOf = (home: Home, vin: string | undefined) =>
    nameHome(held, { accountId, deviceId: home.isChosen ? undefined : deviceId }, home, vin)
  for (const home of changed) if (home.vin !== undefined) await nameOf(home, undefined)
  const later: NamedVehicle[] = []
  for (const home of changed) {
    const vin = names.get(home.vehicleId)
    if (vin === undefined) continue
    if (own.has(vin)) later.push({ accountId, vehicleId: home.vehicleId, vin })
    else await nameOf(home, vin)
  }
  return later
}

function vinsOf(runs: readonly VinRun[]): string[] {
  return [...new Set(runs.map(run => run.vin))]
}

/**
 * The placement in existing vehicles, within the time in which the device is in the account.
 * @param existing vehicles that were made earlier for the VINs that need a new one
 */
async function spansOf(
  held: HeldVins,
  deviceId: DeviceId,
  { accountId, fromMs, toMs }: Tenure,
  placed: readonly Placed[],
  existing: ReadonlyMap<string, number>,
): Promise<Assignment[]> {
  const created = new Map<string | undefined, number>(existing)
  const spans: Assignment[] = []
  for (const [index, { vehicle, fromMs: placedMs }] of placed.entries()) {
    const span = {
      fromMs: Math.max(placedMs, fromMs),
      toMs: Math.min(placed[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY, toMs),
    }
    if (span.fromMs >= span.toMs) continue
    let vehicleId = vehicle.kind === 'known' ? vehicle.vehicleId : created.get(vehicle.vin)
    if (vehicle.kind === 'new') {
      vehicleId ??= await createVehicle(held, { accountId, deviceId, vin: vehicle.vin })
      created.set(vehicle.vin, vehicleId)
    }
    if (vehicleId === undefined) throw new Error('a placement without a vehicle')
    const last = spans.at(-1)
    if (last?.vehicleId === vehicleId) spans.splice(-1, 1, { ...last, toMs: span.toMs })
    else spans.push({ accountId, vehicleId, ...span })
  }
  return spans
}
