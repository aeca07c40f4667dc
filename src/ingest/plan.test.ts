import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anySample, SOME_TYPES } from '../../test/any-sample.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import type { DeviceRecord } from '../derive/device-records/device-records.ts'
import { BATTERY_STATE, withBatteryState } from '../derive/latest-values/derive/battery-state.ts'
import { type LatestValues, withSamples } from '../derive/latest-values/derive/latest-values.ts'
import { fold } from '../derive/trips/derive/fold.ts'
import { serialiseState } from '../derive/trips/derive/state.ts'
import { type DeviceId, type EventValue, eventsOf, type Sample, sampleOf } from '../model/sample.ts'
import { mergeSamples } from './merge-samples.ts'
import { planBatch, type Receipt, type Submission } from './plan.ts'

const DEVICES = [1, 2] as DeviceId[]
/** The dongle moved to another car at this time. */
const MOVED_MS = 4
const FIRST_CAR = 10
const SECOND_CAR = 20

const VOLTAGES_V = [5, 9, 11, 12, 12.5, 13.5, 16]

const sample = anySample({
  deviceIds: fc.constantFrom(...DEVICES),
  timesMs: fc.integer({ min: 0, max: 7 }),
  types: SOME_TYPES,
  minTypes: 1,
  value: ({ name, dataType }): fc.Arbitrary<EventValue> => {
    if (name === 'BATTERY_VOLTAGE') return fc.constantFrom(...VOLTAGES_V)
    if (dataType === 'NUMBER') return fc.constantFrom(1, 2)
    if (dataType === 'BOOLEAN') return fc.boolean()
    if (dataType === 'STRING') return fc.constantFrom('a', 'b')
    return fc.record({ lon: fc.constantFrom(1, 2), lat: fc.constantFrom(1, 2) })
  },
})
const submission: fc.Arbitrary<Submission> = fc
  .array(sample, { maxLength: 6 })
  .map(samples => ({ samples, accountId: undefined }))
/** What arrives, batch after batch. */
const batches = fc.array(fc.array(submission, { minLength: 1, maxLength: 3 }), { maxLength: 6 })

/** A store that does what plans say. */
class PlannedStore {
  readonly samples = new Map<string, Sample>()
  readonly records = new Map<DeviceId, DeviceRecord>(DEVICES.map(id => [id, newRecord(id)]))
  readonly outOfOrder = new Map<DeviceId, { fromMs: number; toMs: number }>()

  apply(submissions: readonly Submission[]): readonly Receipt[] {
    const keys = new Set(submissions.flatMap(({ samples }) => samples.map(keyOf)))
    const existing = [...this.samples.values()].filter(known => keys.has(keyOf(known)))
    const plan = planBatch(submissions, this.records, existing)
    // COPY would refuse a key that exists, and an update of one that does not would do nothing.
    if (plan.inserts.some(one => this.samples.has(keyOf(one)))) throw new Error('inserts what exists')
    if (!plan.replacements.every(one => this.samples.has(keyOf(one)))) throw new Error('replaces what does not exist')
    for (const written of [...plan.inserts, ...plan.replacements]) this.samples.set(keyOf(written), written)
    for (const { deviceId, extent, outOfOrder, latest, status } of plan.updates) {
      const record = this.records.get(deviceId)!
      const latestByVehicle = new Map(record.latestByVehicle)
      for (const { vehicleId, values } of latest) latestByVehicle.set(vehicleId, values)
      const isPluggedIn = status ? status.isPluggedIn : record.isPluggedIn
      this.records.set(deviceId, { ...record, extent, latestByVehicle, isPluggedIn, isOnline: true })
      const known = this.outOfOrder.get(deviceId) ?? outOfOrder
      if (outOfOrder && known)
        this.outOfOrder.set(deviceId, {
          fromMs: Math.min(outOfOrder.fromMs, known.fromMs),
          toMs: Math.max(outOfOrder.toMs, known.toMs),
        })
    }
    for (const { record, folded } of plan.folds)
      this.records.set(record.deviceId, { ...this.records.get(record.deviceId)!, fold: folded.state })
    for (const { deviceId, assignment } of plan.lostBatteryStates) this.#lookUpState(deviceId, assignment.vehicleId)
    return plan.receipts
  }

  #lookUpState(deviceId: DeviceId, vehicleId: number): void {
    const record = this.records.get(deviceId)!
    const values = new Map(record.latestByVehicle.get(vehicleId))
    const found = latestOf([...this.samples.values()], deviceId, vehicleId).get(BATTERY_STATE.id)
    if (found) values.set(BATTERY_STATE.id, found)
    else values.delete(BATTERY_STATE.id)
    this.records.set(deviceId, {
      ...record,
      latestByVehicle: new Map([...record.latestByVehicle, [vehicleId, values]]),
    })
  }
}

function newRecord(deviceId: DeviceId): DeviceRecord {
  return {
    deviceId,
    isOnline: false,
    isPluggedIn: null,
    isClaimed: false,
    extent: undefined,
    assignments: [
      { accountId: 1, vehicleId: FIRST_CAR, fromMs: Number.NEGATIVE_INFINITY, toMs: MOVED_MS },
      { accountId: 1, vehicleId: SECOND_CAR, fromMs: MOVED_MS, toMs: Number.POSITIVE_INFINITY },
    ],
    othersUntilMs: new Map(),
    movesMs: [],
    rules: { assignments: [] },
    contextKey: '',
    latestByVehicle: new Map(),
    fold: undefined,
    trip: undefined,
  }
}

const keyOf = ({ deviceId, timeMs }: { deviceId: DeviceId; timeMs: number }) => `${deviceId} ${timeMs}`

/** The union of all samples of each device and instant. */
function unionOf(samples: readonly Sample[]): Map<string, Sample> {
  const union = new Map<string, Sample>()
  for (const one of samples) {
    const known = union.get(keyOf(one))
    union.set(keyOf(one), known ? mergeSamples(known, one).sample : one)
  }
  return union
}

/** The newest value of every type that a device measured in a car, worked out from all its samples in order. */
function latestOf(samples: readonly Sample[], deviceId: DeviceId, vehicleId: number): LatestValues {
  const inCar = samples
    .filter(one => one.deviceId === deviceId && one.timeMs >= MOVED_MS === (vehicleId === SECOND_CAR))
    .sort((a, b) => a.timeMs - b.timeMs)
  return withSamples(new Map(), inCar)
}

const sorted = <K extends number | string, V>(map: ReadonlyMap<K, V> | undefined) =>
  [...(map ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))

describe('batches of samples', () => {
  it('leave the union of all samples, and the latest values that follow from it, whatever came when', () => {
    fc.assert(
      fc.property(batches, all => {
        const store = new PlannedStore()
        for (const batch of all) store.apply(batch)
        const sent = all.flat().flatMap(({ samples }) => samples)
        const union = unionOf(sent)
        expect(sorted(store.samples)).toEqual(sorted(union))
        for (const deviceId of DEVICES) {
          const record = store.records.get(deviceId)!
          for (const vehicleId of [FIRST_CAR, SECOND_CAR])
            expect(sorted(record.latestByVehicle.get(vehicleId))).toEqual(
              sorted(latestOf([...union.values()], deviceId, vehicleId)),
            )
          const times = sent.filter(one => one.deviceId === deviceId).map(one => one.timeMs)
          expect(record.extent).toEqual(
            times.length > 0 ? { firstMs: Math.min(...times), lastMs: Math.max(...times) } : undefined,
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('count every event as accepted or as a duplicate, and all as duplicates when they come again', () => {
    fc.assert(
      fc.property(batches, all => {
        const store = new PlannedStore()
        const receiptsOf = (batch: readonly Submission[]) =>
          store.apply(batch).map((receipt, index) => ({
            ...receipt,
            sent: batch[index]!.samples.reduce((sum, { types }) => sum + types.length, 0),
          }))
        for (const { accepted, duplicates, conflicts, sent } of all.flatMap(receiptsOf)) {
          expect(accepted + duplicates).toBe(sent)
          expect(conflicts).toBeLessThanOrEqual(sent)
        }
        for (const { accepted, duplicates, sent } of all.flatMap(receiptsOf))
          expect({ accepted, duplicates }).toEqual({ accepted: 0, duplicates: sent })
      }),
    )
  })

  it('name the stretch that changed behind the newest instant, which may still come in pieces', () => {
    fc.assert(
      fc.property(batches, submission, (before, late) => {
        const store = new PlannedStore()
        for (const batch of before) store.apply(batch)
        const known = new Map(store.records)
        const samplesBefore = new Map(store.samples)
        store.outOfOrder.clear()
        store.apply([late])
        for (const deviceId of DEVICES) {
          const lastMs = known.get(deviceId)!.extent?.lastMs
          const changed = [...store.samples.values()].filter(
            one => one.deviceId === deviceId && samplesBefore.get(keyOf(one)) !== one,
          )
          const timesMs = changed.map(one => one.timeMs).filter(timeMs => lastMs !== undefined && timeMs < lastMs)
          expect(store.outOfOrder.get(deviceId)).toEqual(
            timesMs.length > 0 ? { fromMs: Math.min(...timesMs), toMs: Math.max(...timesMs) } : undefined,
          )
        }
      }),
    )
  })

  it('fold all samples of a device in the order of time, unless it is named out of order', () => {
    fc.assert(
      fc.property(batches, all => {
        const store = new PlannedStore()
        for (const batch of all) store.apply(batch)
        for (const deviceId of DEVICES.filter(id => !store.outOfOrder.has(id))) {
          const samples = [...store.samples.values()].filter(one => one.deviceId === deviceId)
          const inOrder = samples.sort((a, b) => a.timeMs - b.timeMs)
          const state = store.records.get(deviceId)!.fold
          expect(state && serialiseState(state)).toBe(
            inOrder.length === 0 ? undefined : serialiseState(fold(undefined, inOrder).state),
          )
        }
      }),
    )
  })

  it('tell clients of a device only what changes for them', () => {
    const plugged = requiredEventType('IS_DONGLE_PLUGGED_IN').id
    const says = (timeMs: number, value: boolean): Submission => ({
      accountId: undefined,
      samples: [sampleOf(1 as DeviceId, timeMs, new Map([[plugged, value]]))],
    })
    const store = new PlannedStore()
    const planOf = (one: Submission) => planBatch([one], store.records, []).updates.map(({ status }) => status)
    expect(planOf(says(5, true))).toEqual([{ isPluggedIn: true }])
    store.apply([says(5, true)])
    expect(planOf(says(6, true))).toEqual([undefined])
    expect(planOf(says(4, false))).toEqual([undefined])
    expect(planOf(says(7, false))).toEqual([{ isPluggedIn: false }])
  })

  it('look for an earlier battery state when a corrected voltage takes the newest one back', () => {
    const voltage = requiredEventType('BATTERY_VOLTAGE').id
    const measured = (timeMs: number, voltageV: number) =>
      sampleOf(1 as DeviceId, timeMs, new Map([[voltage, voltageV]]))
    const store = new PlannedStore()
    store.apply([{ accountId: undefined, samples: [measured(0, 9), measured(1, 11)] }])
    store.apply([{ accountId: undefined, samples: [measured(1, 12)] }])
    expect(eventsOf(withBatteryState(measured(1, 12))).has(BATTERY_STATE.id)).toBe(false)
    expect(
      store.records
        .get(1 as DeviceId)
        ?.latestByVehicle.get(FIRST_CAR)
        ?.get(BATTERY_STATE.id),
    ).toEqual({
      timeMs: 0,
      value: 'Very Low',
    })
  })
})
