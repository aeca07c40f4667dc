import type { AccountReads } from '../../../db/account-reads.ts'
import { sql } from '../../../db/sql.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { RuleVersion } from '../../../derive/incidents/derive/rule-book.ts'
import { readAreaVersions } from '../../../derive/incidents/rule-books.ts'
import type { RuleWish } from '../../../fleet/rules/wish.ts'
import { inLanes } from '../../../lib/in-lanes.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { countingOf } from './counting.ts'
import { DEVICES_AT_ONCE, type FoldingThreads } from './folding-threads.ts'
import { type FoundIncident, type Tally, Tallying } from './tally.ts'
import type { TriedBook } from './thread-messages.ts'

/** How far a preview is. */
export interface PreviewProgress {
  readonly devices: number
  readonly devicesDone: number
  readonly samples: number
  readonly found: Tally
}

interface PreviewOptions {
  readonly accountId: number
  readonly wish: RuleWish
  readonly period: TimeRange
  readonly threads: FoldingThreads
}

/**
 * Folds stored samples by a rule that is not saved: the same fold as when it is saved, of all samples that can matter. Nothing is written.
 * @yields after each chunk of samples, with what was found in it; of vehicles with several devices last, what of it counts
 */
export async function* previewRule(
  reads: AccountReads,
  { accountId, wish, period, threads }: PreviewOptions,
): AsyncGenerator<PreviewProgress> {
  const book = await bookOf(reads, accountId, wish, period)
  const stays = await readStays(reads, { accountId, vehicleIds: wish.vehicleIds, period })
  const devices = new Map<DeviceId, Stay[]>()
  for (const stay of stays) devices.set(stay.device_id, [...(devices.get(stay.device_id) ?? []), stay])
  const shared = sharedOf(stays)
  const rivals: FoundIncident[] = []
  let [devicesDone, samples] = [0, 0]
  const progress = (found: Tally): PreviewProgress => ({ devices: devices.size, devicesDone, samples, found })
  const tallying = new Tallying()
  yield progress(tallying.tally([]))
  const stepsOf = async function* ([deviceId, ofDevice]: readonly [DeviceId, readonly Stay[]]) {
    const ofPeriod = ofDevice.map(stay => ({
      fromMs: Math.max(instantMs(stay.from_time), period.fromMs),
      toMs: Math.min(instantMs(stay.to_time), period.toMs),
      vehicleId: stay.vehicle_id,
      publicId: stay.public_id,
      isShared: shared.has(stay.public_id),
    }))
    for await (const folded of threads.fold({ accountId, reads, book, device: { deviceId, stays: ofPeriod } })) {
      samples += folded.count
      rivals.push(...folded.rivals)
      yield folded.found
    }
    devicesDone++
    yield tallying.tally([])
  }
  for await (const found of inLanes(devices, DEVICES_AT_ONCE, stepsOf)) yield progress(found)
  if (rivals.length > 0) yield progress(tallying.tally(countingOf(rivals)))
}

/** Vehicles in which several devices were, by their public ids. */
function sharedOf(stays: readonly Stay[]): ReadonlySet<string> {
  const devices = new Map<string, DeviceId>()
  const shared = new Set<string>()
  for (const { public_id, device_id } of stays) {
    const known = devices.get(public_id)
    if (known !== undefined && known !== device_id) shared.add(public_id)
    devices.set(public_id, device_id)
  }
  return shared
}

async function bookOf(reads: AccountReads, accountId: number, wish: RuleWish, period: TimeRange): Promise<TriedBook> {
  const rule: RuleVersion = { ...wish, ...period, ruleId: 0, version: 1 }
  return { rule, rules: [rule], areas: await readAreaVersions(reads, accountId, wish.kind) }
}

interface Stay {
  readonly device_id: DeviceId
  readonly vehicle_id: number
  readonly public_id: string
  readonly from_time: string
  readonly to_time: string
}

/** Where devices were in cars of the account in a period, by device and time. */
function readStays(
  reads: AccountReads,
  {
    accountId,
    vehicleIds,
    period,
  }: { readonly accountId: number; readonly vehicleIds: readonly number[] | null; readonly period: TimeRange },
): Promise<Stay[]> {
  return reads.rows<Stay>(sql`
    select a.device_id, a.vehicle_id, v.public_id, a.from_time, a.to_time
    from assignments a join vehicles v on v.id = a.vehicle_id
    where a.account_id = ${accountId} and (${vehicleIds}::bigint[] is null or a.vehicle_id = any(${vehicleIds}::bigint[]))
      and a.from_time < ${instantOfMs(period.toMs)}::timestamptz and a.to_time > ${instantOfMs(period.fromMs)}::timestamptz
    order by a.device_id, a.from_time`)
}
