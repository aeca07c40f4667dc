import { type EventTypeId, type EventTypeName, requiredEventType } from '../src/catalogue/event-types.ts'
import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { lockDerived } from '../src/derive/derive.ts'
import { readDeviceRecords } from '../src/derive/device-records.ts'
import { Folding } from '../src/derive/folding.ts'
import { reconcileAssignments } from '../src/derive/reconcile-assignments.ts'
import { writeResults } from '../src/derive/results.ts'
import { type DeviceId, type EventValue, eventsOf, type Sample, sampleOf } from '../src/model/sample.ts'
import { holdKeptSince, readStretch } from '../src/store/index.ts'

/** Rules as an older Tacho could have had them: the current ones, with fewer values of the samples. */
type OlderRules = (samples: readonly Sample[]) => readonly Sample[]

const without =
  (...names: readonly EventTypeName[]): OlderRules =>
  samples => {
    const left = names.map(name => requiredEventType(name).id)
    return samples.map(sample => {
      const events = [...eventsOf(sample)].filter(([type]) => !left.includes(type))
      return sampleOf(sample.deviceId, sample.timeMs, new Map(events))
    })
  }

/** Ignition that is never off, and no silence that is too long: a trip goes on from the first sample to the last. */
const bridging =
  (longestMs: number): OlderRules =>
  samples =>
    samples.flatMap((sample, i) => {
      const { deviceId, timeMs } = sample
      const driving = (atMs: number, events: ReadonlyMap<EventTypeId, EventValue>) =>
        sampleOf(deviceId, atMs, new Map([...events, [IGNITION, true]]))
      const gapMs = (samples[i + 1]?.timeMs ?? timeMs) - timeMs
      const between = gapMs > longestMs ? 0 : Math.floor((gapMs - 1) / BRIDGE_MS)
      return [
        driving(timeMs, eventsOf(sample)),
        ...Array.from({ length: between }, (_, step) => driving(timeMs + (step + 1) * BRIDGE_MS, new Map())),
      ]
    })

const IGNITION = requiredEventType('IS_IGNITION_ON').id
const BRIDGE_MS = 60_000
const HOUR_MS = 3_600_000

export const OLDER_RULES = {
  'without ignition and engine': without('IS_IGNITION_ON', 'ENGINE_STATE', 'ENGINE_RPM_AVERAGE'),
  'without odometer': without('MILEAGE'),
  'without positions': without('POSITION'),
  'without VINs': without('VIN'),
  'one sample of three': samples => samples.filter((_, i) => i % 3 === 0 || i === samples.length - 1),
  'that bridge an hour': bridging(HOUR_MS),
  'that bridge a day': bridging(24 * HOUR_MS),
  'without trips': samples =>
    samples.map(({ deviceId, timeMs }) => sampleOf(deviceId, timeMs, new Map<never, never>())),
  'the same': samples => samples,
} as const satisfies Readonly<Record<string, OlderRules>>

export type OlderRulesName = keyof typeof OLDER_RULES

/**
 * Leaves what follows from all samples of a device as an older Tacho would have left it: its trips, VIN runs,
 * assignments, statistics and states, these in another form, which can still be read.
 */
export function makeOutdated(database: Database, deviceId: DeviceId, name: OlderRulesName): Promise<void> {
  return writeTransaction(database, async transaction => {
    const locked = (await lockDerived(transaction, [deviceId])).device(deviceId)
    const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
    const samples: Sample[] = []
    for await (const some of readStretch(transaction, deviceId, await holdKeptSince(transaction))) samples.push(...some)
    if (!record || samples.length === 0) throw new Error(`the device ${deviceId} has no samples`)
    const folding = new Folding(
      { fromMs: Number.NEGATIVE_INFINITY, state: undefined, keptSinceMs: Number.NEGATIVE_INFINITY },
      record,
    )
    folding.take(folding.look(OLDER_RULES[name](samples)))
    const folded = folding.toNewestSample()
    await writeResults(locked, [{ record, samples: [], receivedMs: undefined, folded }])
    await reconcileAssignments(locked)
    await transaction.rows(sql`
      update device_states set folded_by = 0, fold = fold || ' ' where device_id = ${deviceId}`)
    await transaction.rows(sql`update fold_checkpoints set state = state || ' ' where device_id = ${deviceId}`)
  })
}
