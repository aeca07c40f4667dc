import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'

export const SAMPLE_EVERY_MS = 10_000
/** Half an hour of them. */
export const DRIVE_SAMPLES = 180

const type = (name: EventTypeName) => requiredEventType(name).id
const IGNITION = type('IS_IGNITION_ON')
const DRIVING: readonly (readonly [EventTypeId, (step: number) => EventValue])[] = [
  [type('VEHICLE_SPEED_AVERAGE'), step => 40 + (step % 20)],
  [type('ENGINE_RPM_AVERAGE'), step => 1500 + ((step * 37) % 900)],
  [type('MILEAGE'), step => 50_000 + step * 0.125],
  [type('POSITION'), step => ({ lon: 11.6 + Math.sin(step / 40) * 0.01, lat: 48.1 + step * 0.0008 })],
]

/** The next samples of cars that drive half an hour and stand half an hour. */
export function batchOf(
  firstDevice: number,
  { devices, samplesEach, startMs, batch }: Readonly<Record<'devices' | 'samplesEach' | 'startMs' | 'batch', number>>,
): Sample[] {
  return Array.from({ length: devices * samplesEach }, (_, index) => {
    const step = batch * samplesEach + (index % samplesEach)
    const deviceId = firstDevice + Math.floor(index / samplesEach)
    const timeMs = startMs + step * SAMPLE_EVERY_MS
    return Math.floor(step / DRIVE_SAMPLES) % 2 === 0
      ? drivingSample(deviceId, timeMs, step)
      : standingSample(deviceId, timeMs)
  })
}

export function drivingSample(deviceId: number, timeMs: number, step: number): Sample {
  const values = DRIVING.map(([id, valueAt]) => [id, valueAt(step)] as const)
  return sampleOf(deviceId as DeviceId, timeMs, new Map<EventTypeId, EventValue>([[IGNITION, true], ...values]))
}

export function standingSample(deviceId: number, timeMs: number): Sample {
  return sampleOf(deviceId as DeviceId, timeMs, new Map([[IGNITION, false]]))
}
