import type { AccountReads } from '../../../db/account-reads.ts'
import { sql } from '../../../db/sql.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import { type RivalIncident, supersededIncidents } from '../../../derive/incidents/superseded.ts'
import { readAreaVersions } from '../../../derive/rules/rule-books.ts'
import type { RuleDraft } from '../../../fleet/rules/read-rule.ts'
import { inLanes } from '../../../lib/in-lanes.ts'
import { grouped } from '../../../model/grouped.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { DEVICES_AT_ONCE, type FoldingThreads, type FoundIncident, type TriedDevice } from './folding-threads.ts'

/** How far a preview is, and the incidents that it found since it said so last. */
export interface PreviewProgress {
  readonly devices: number
  readonly devicesDone: number
  readonly samples: number
  readonly found: readonly FoundIncident[]
}

interface PreviewOptions {
  readonly accountId: number
  readonly draft: RuleDraft
  readonly period: TimeRange
  readonly threads: FoldingThreads
}

/** The same fold as when the rule is saved. Nothing is written.
 * @yields after each chunk of samples; of vehicles with several devices last, the incidents that count */
export async function* previewRule(
  reads: AccountReads,
  { accountId, draft, period, threads }: PreviewOptions,
): AsyncGenerator<PreviewProgress> {
  const rule = { ...draft, ...period, ruleId: 0, version: 1 }
  const book = { rule, rules: [rule], areas: await readAreaVersions(reads, accountId, draft.kind) }
  const devices = await readDevices(reads, accountId, draft.vehicleIds, period)
  const shared = sharedVehicles(devices)
  const rivals: FoundIncident[] = []
  let [devicesDone, samples] = [0, 0]
  const progress = (found: readonly FoundIncident[]) => ({ devices: devices.length, devicesDone, samples, found })
  yield progress([])
  const stepsOf = async function* (device: TriedDevice) {
    for await (const folded of threads.fold({ accountId, reads, book, device })) {
      samples += folded.samples
      rivals.push(...folded.found.filter(({ publicId }) => shared.has(publicId)))
      yield folded.found.filter(({ publicId }) => !shared.has(publicId))
    }
    devicesDone++
    yield []
  }
  for await (const found of inLanes(devices, DEVICES_AT_ONCE, stepsOf)) yield progress(found)
  if (rivals.length > 0) yield progress(countingOf(rivals))
}

/** Vehicles in which several devices were, by their public ids. */
function sharedVehicles(devices: readonly TriedDevice[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { periods } of devices)
    for (const publicId of new Set(periods.map(period => period.publicId)))
      (seen.has(publicId) ? shared : seen).add(publicId)
  return shared
}

/** Those that count of the incidents that several dongles in the same vehicles found (docs/adr/0034). */
function countingOf(found: readonly FoundIncident[]): FoundIncident[] {
  return [...grouped(found, ({ publicId }) => publicId).values()].flatMap(ofVehicle => {
    const rivals = ofVehicle.map(rivalOf)
    const superseded = supersededIncidents(rivals)
    return rivals.flatMap(rival => (superseded.has(rival) ? [] : [rival.found]))
  })
}

function rivalOf(found: FoundIncident): RivalIncident & { readonly found: FoundIncident } {
  const { areaId, detail, startLongitude, ...item } = found.item
  return {
    ...item,
    deviceId: found.deviceId,
    areaId: areaId ?? 0,
    detail: detail ?? '',
    isCutShort: false,
    hasPosition: startLongitude !== null,
    found,
  }
}

/** The devices in cars of the account in a period, by id, each with its cars by time. */
async function readDevices(
  reads: AccountReads,
  accountId: number,
  vehicleIds: readonly number[] | null,
  period: TimeRange,
): Promise<readonly TriedDevice[]> {
  const rows = await reads.rows<{
    readonly device_id: DeviceId
    readonly vehicle_id: number
    readonly public_id: string
    readonly from_time: string
    readonly to_time: string
  }>(sql`
    select a.device_id, a.vehicle_id, v.public_id, a.from_time, a.to_time
    from assignments a join vehicles v on v.id = a.vehicle_id
    where a.account_id = ${accountId} and (${vehicleIds}::bigint[] is null or a.vehicle_id = any(${vehicleIds}::bigint[]))
      and a.from_time < ${instantOfMs(period.toMs)}::timestamptz and a.to_time > ${instantOfMs(period.fromMs)}::timestamptz
    order by a.device_id, a.from_time`)
  return [...grouped(rows, row => row.device_id)].map(([deviceId, ofDevice]) => ({
    deviceId,
    periods: ofDevice.map(row => ({
      fromMs: Math.max(instantMs(row.from_time), period.fromMs),
      toMs: Math.min(instantMs(row.to_time), period.toMs),
      vehicleId: row.vehicle_id,
      publicId: row.public_id,
    })),
  }))
}
