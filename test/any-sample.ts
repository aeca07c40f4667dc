import fc from 'fast-check'
import { EVENT_TYPES, type EventType, type EventTypeId, requiredEventType } from '../src/catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../src/model/sample.ts'
import { anyCharacter } from './any-character.ts'

/** Every finite double, small whole numbers more often than the rest. */
const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -5, max: 200 }),
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE, 0.1, 2 ** 53, -0),
)

/** Every text that the gateways let pass: any characters but NUL, and what looks special to PostgreSQL or to JSON. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  fc
    .string({ unit: anyCharacter, maxLength: 20 })
    .map(text => text.replaceAll('\0', ''))
    .filter(text => text.isWellFormed()),
  fc.constantFrom(
    '',
    'NULL',
    'null',
    '"',
    '\\',
    '\\N',
    '{}',
    '{a,b}',
    ',',
    ' ',
    '\n\r\t',
    '\u2028',
    '\ufeff',
    '😀',
    "'",
  ),
)

const anyPosition = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
})

/** A value that fits the event type. */
function anyValue({ dataType }: EventType): fc.Arbitrary<EventValue> {
  if (dataType === 'NUMBER') return anyNumber
  if (dataType === 'BOOLEAN') return fc.boolean()
  return dataType === 'STRING' ? anyText : anyPosition
}

/** A few event types of every data type, and those that something is derived from. */
export const SOME_TYPES: readonly EventType[] = (
  ['ALARM_SYSTEM', 'BATTERY_STATE', 'BATTERY_VOLTAGE', 'GPS_SPEED', 'IS_DONGLE_PLUGGED_IN', 'POSITION', 'VIN'] as const
).map(requiredEventType)

interface SampleLimits {
  readonly deviceIds?: fc.Arbitrary<number>
  readonly timesMs?: fc.Arbitrary<number>
  readonly types?: readonly EventType[]
  /** Values of an event type, where any that fits is too much. */
  readonly value?: (type: EventType) => fc.Arbitrary<EventValue>
  readonly minTypes?: number
}

const LATEST_MS = Date.UTC(2100, 0, 1)

/** Any sample, as a gateway would hand it on. */
export function anySample({
  deviceIds = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  timesMs = fc.integer({ min: Date.UTC(2000, 0, 1), max: LATEST_MS }),
  types = EVENT_TYPES,
  value = anyValue,
  minTypes = 0,
}: SampleLimits = {}): fc.Arbitrary<Sample> {
  const events = fc
    .subarray([...types], { minLength: minTypes })
    .chain(chosen =>
      fc
        .tuple(...chosen.map(value))
        .map(values => new Map<EventTypeId, EventValue>(chosen.map((type, index) => [type.id, values[index] ?? 0]))),
    )
  return fc
    .tuple(deviceIds, timesMs, events)
    .map(([deviceId, timeMs, byType]) => sampleOf(deviceId as DeviceId, timeMs, byType))
}

/** Any two orders of the same things. */
export function anyOrder<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })
}
