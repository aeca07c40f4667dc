import type { Device, LastEvent, Vehicle } from '../api/types.ts'
import { pointOf } from '../measurements/event-types.ts'
import { type DongleState, dongleStateOf, isOfNow, known, type Learned, newestMsOf } from './dongle-state.ts'

/** Everything that a state is derived from. A view passes in what it knows of a car, and shows the result. */
export interface CarFacts {
  readonly vehicle: Vehicle
  /** The dongle that is in the car now. */
  readonly device: Learned<Device | undefined>
  /** The fault codes that the car has now. */
  readonly codes: Learned<readonly string[]>
  readonly mayReadPositions: boolean
  readonly nowMs: number
}

/** What a car does. */
export type Movement =
  | { readonly kind: 'driving'; readonly speedKmh: number | undefined }
  /** In a trip, but not moving. */
  | { readonly kind: 'idling' }
  | { readonly kind: 'parked' }
  /** Its dongle uploads what it measured while it was out of reach, so what the car does now is not known yet. */
  | { readonly kind: 'catchingUp'; readonly measuredMs: number }
  | { readonly kind: 'silent'; readonly sinceMs: number; readonly isInTrip: boolean }
  /** No dongle is in it any more, or none ever was. What is known of it is from then. */
  | { readonly kind: 'withoutDongle'; readonly sinceMs: number | undefined }
  /** The dongle that is in it has measured nothing so far. */
  | { readonly kind: 'neverReported' }

export type MovementKind = Movement['kind']

/** Whether it is on a trip now, driving or standing. */
export function isMoving({ kind }: Movement): boolean {
  return kind === 'driving' || kind === 'idling'
}

/** Why a car needs a look. */
export type Reason =
  | {
      readonly kind: 'battery'
      readonly state: WorryingBattery
      readonly voltageV: number | undefined
      readonly sinceMs: number
    }
  | { readonly kind: 'lamp'; readonly sinceMs: number }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  /** The car says that it has some, but not which; or this person may not know, or does not know yet. */
  | {
      readonly kind: 'unnamedCodes'
      readonly count: number | undefined
      readonly why: 'unread' | 'forbidden' | 'awaited'
      readonly sinceMs: number
    }
  | { readonly kind: 'unplugged'; readonly sinceMs: number }

type WorryingBattery = Exclude<BatteryState, 'Normal' | 'Loading'>

export type Health =
  /** The most urgent reason comes first. */
  | { readonly kind: 'attention'; readonly reasons: readonly [Reason, ...Reason[]] }
  /** It reports of battery, warning light or fault codes, and nothing is wrong with them. */
  | { readonly kind: 'healthy' }
  /** It reports nothing that would show it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'awaited' }
  | { readonly kind: 'forbidden' }

export type Place =
  | { readonly kind: 'at'; readonly longitude: number; readonly latitude: number; readonly measuredMs: number }
  | { readonly kind: 'neverReported' }
  | { readonly kind: 'forbidden' }

/** What is in the tank or in the battery that drives the car. */
export interface Energy {
  readonly kind: 'fuel' | 'charge'
  readonly value: number
  /** As the API names it: `%` or `l`. */
  readonly unit: string
  readonly isCharging: boolean
}

export interface CarState {
  readonly movement: Movement
  readonly health: Health
  readonly place: Place
  /** Undefined when there is none in the car. */
  readonly dongle: DongleState | undefined
  readonly energy: Energy | undefined
  /** The starter battery; undefined when the car has not reported it. */
  readonly battery: Battery | undefined
  /** Whether the car can be told to have fault codes or none; false when its dongle has never read any. */
  readonly areCodesRead: boolean
  /** When the newest value of the car was measured, by whichever dongle. */
  readonly newestMs: number | undefined
}

/** A car in a trip that is slower than this counts as standing, because positions of a standing car wander. */
export const STANDS_BELOW_KMH = 3

/** A speed that is so much older than the newest value says nothing of when that was measured. */
const SPEED_COUNTS_MS = 2 * 60_000

/** In a trip, values come at least every 300 s: a speed that is older is not shown as that of now. */
const SPEED_SHOWN_MS = 6 * 60_000

/** Speeds that were measured so close to each other are about the same moment. */
const TOGETHER_MS = 30_000

/** The alternator stops with the engine: of a car that does not drive, a voltage of charging says so little longer. */
const ALTERNATOR_COUNTS_MS = 2 * 60_000

/** A parked car's dongle reports every hour or so; a charge that it has not confirmed for longer may have ended. */
const CHARGING_COUNTS_MS = 2 * 3_600_000

/** What state a car is in, and why: pure, and the only place that decides it. */
export function carStateOf(facts: CarFacts): CarState {
  const { vehicle, device, codes, mayReadPositions, nowMs } = facts
  const { deviceId, lastEvents, tripId } = vehicle
  const latest: Latest = new Map(lastEvents.map(event => [event.eventType, event]))
  const events = { is: 'known', value: lastEvents.filter(event => event.deviceId === deviceId) } as const
  const dongle = deviceId === null ? undefined : dongleStateOf({ device, events, isInTrip: tripId !== '', nowMs })
  const movement = movementOf(facts, latest, dongle)
  const battery = batteryOf(latest, movement, nowMs)
  return {
    movement,
    health: healthOf(facts, latest, dongle, battery),
    place: placeOf(latest.get('POSITION'), mayReadPositions),
    dongle,
    energy: energyOf(latest, nowMs),
    battery,
    areCodesRead: readsFaults(lastEvents) || (known(codes)?.length ?? 0) > 0,
    newestMs: newestMsOf(lastEvents),
  }
}

type Latest = ReadonlyMap<string, LastEvent>

function movementOf({ vehicle, nowMs }: CarFacts, latest: Latest, dongle: DongleState | undefined): Movement {
  if (!dongle) return { kind: 'withoutDongle', sinceMs: newestMsOf(vehicle.lastEvents) }
  const { contact } = dongle
  const isInTrip = vehicle.tripId !== ''
  if (contact.kind === 'silent') return { kind: 'silent', sinceMs: contact.heardMs, isInTrip }
  if (contact.kind === 'catchingUp') return { kind: 'catchingUp', measuredMs: contact.heardMs }
  if (contact.kind !== 'asleep' && (contact.kind !== 'online' || contact.heardMs === undefined))
    return { kind: 'neverReported' }
  if (!isInTrip) return { kind: 'parked' }
  const speed = speedOf(latest, contact.heardMs ?? 0)
  if (speed && speed.speedKmh < STANDS_BELOW_KMH) return { kind: 'idling' }
  const isRecent = speed && nowMs - speed.measuredMs <= SPEED_SHOWN_MS
  return { kind: 'driving', speedKmh: isRecent ? speed.speedKmh : undefined }
}

/**
 * The speed that the newest measures show together: a car that says it drives does, whatever its receiver says, which may hold an old fix;
 * and a receiver alone is believed unless a motion sensor says standstill, because positions of a standing car wander.
 */
function speedOf(latest: Latest, newestMs: number) {
  const speeds = ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'].map(type => {
    const event = latest.get(type)
    const speedKmh = numberOf(event)
    return event && speedKmh !== undefined ? { speedKmh, measuredMs: timeOf(event) } : undefined
  })
  const measuredMs = Math.max(...speeds.map(speed => speed?.measuredMs ?? 0))
  if (newestMs - measuredMs > SPEED_COUNTS_MS) return undefined
  const isTogether = (otherMs: number) => measuredMs - otherMs <= TOGETHER_MS
  const [ofCar, ofReceiver] = speeds.map(speed => (speed && isTogether(speed.measuredMs) ? speed : undefined))
  if (!ofCar || !ofReceiver || ofCar.speedKmh >= STANDS_BELOW_KMH) return ofCar ?? ofReceiver
  const sensor = latest.get('IS_MOVING')
  return sensor?.value === false && isTogether(timeOf(sensor)) ? ofCar : ofReceiver
}

function healthOf(
  { vehicle, codes }: CarFacts,
  latest: Latest,
  dongle: DongleState | undefined,
  battery: Battery | undefined,
): Health {
  const lamp = latest.get('IS_MIL_ON')
  const plug = latest.get('IS_DONGLE_PLUGGED_IN')
  const reasons: Reason[] = []
  if (battery && isWorrying(battery.state))
    reasons.push({ kind: 'battery', state: battery.state, voltageV: battery.voltageV, sinceMs: battery.measuredMs })
  if (lamp?.value === true) reasons.push({ kind: 'lamp', sinceMs: timeOf(lamp) })
  reasons.push(...codesReasonOf(latest, codes))
  if (dongle?.plug === 'out' && plug) reasons.push({ kind: 'unplugged', sinceMs: timeOf(plug) })
  const [first, ...others] = reasons
  if (first) return { kind: 'attention', reasons: [first, ...others] }
  if (battery || readsFaults(vehicle.lastEvents)) return { kind: 'healthy' }
  // Others may see codes that this person does not.
  return { kind: codes.is === 'known' ? 'unknown' : codes.is }
}

export function isWorrying(state: BatteryState): state is WorryingBattery {
  return state !== 'Normal' && state !== 'Loading'
}

const LISTS_OF_CODES = ['OBD_DTC_PERMANENT', 'OBD_DTC_SPORADIC'] as const

/** A dongle that measured one of these reads what the engine says of faults. */
const READS_OF_CODES = [...LISTS_OF_CODES, 'OBD_DTC_COUNT', 'IS_MIL_ON'] as const

/** Whether it is known of a car if it has faults: its dongle reads what the engine says of them. */
export function readsFaults(lastEvents: readonly LastEvent[]): boolean {
  return lastEvents.some(({ eventType }) => READS_OF_CODES.some(type => type === eventType))
}

function codesReasonOf(latest: Latest, codes: Learned<readonly string[]>): readonly Reason[] {
  const named = known(codes)
  if (named && named.length > 0) return [{ kind: 'codes', codes: named }]
  const why = codes.is === 'known' ? 'unread' : codes.is
  const lists = LISTS_OF_CODES.map(type => latest.get(type)).filter(event => event !== undefined)
  // A count that is older than a list of codes does not hold any more.
  const listedMs = Math.max(...lists.map(timeOf))
  const counted = latest.get('OBD_DTC_COUNT')
  if (counted && Number(counted.value) > 0 && timeOf(counted) >= listedMs)
    return [{ kind: 'unnamedCodes', count: Number(counted.value), why, sinceMs: timeOf(counted) }]
  const full = named ? undefined : lists.find(({ value }) => /[A-Z0-9]/i.test(String(value)))
  return full ? [{ kind: 'unnamedCodes', count: undefined, why, sinceMs: timeOf(full) }] : []
}

function placeOf(position: LastEvent | undefined, mayReadPositions: boolean): Place {
  if (!mayReadPositions) return { kind: 'forbidden' }
  const point = pointOf(position?.value)
  return position && point ? { kind: 'at', ...point, measuredMs: timeOf(position) } : { kind: 'neverReported' }
}

const ENERGY_TYPES = ['HV_BATTERY_SOC', 'FUEL_LEVEL_PERCENT', 'FUEL_LEVEL'] as const

/** The newest value that shows it; of two at the same time, that of the traction battery. */
function energyOf(latest: Latest, nowMs: number): Energy | undefined {
  const told = ENERGY_TYPES.map(type => latest.get(type)).filter(event => event !== undefined)
  const [newest] = told.toSorted((one, other) => timeOf(other) - timeOf(one))
  const value = numberOf(newest)
  if (!newest || value === undefined) return undefined
  const isCharge = newest.eventType === 'HV_BATTERY_SOC'
  return {
    kind: isCharge ? 'charge' : 'fuel',
    value,
    unit: newest.unit ?? '%',
    isCharging: isCharge && isCharging(latest.get('HV_BATTERY_IS_CHARGING'), nowMs) === true,
  }
}

/** Whether the battery that drives a car is charged now; undefined when that is not known, or not any more. */
export function isCharging(told: LastEvent | undefined, nowMs: number): boolean | undefined {
  if (!told || nowMs - timeOf(told) > CHARGING_COUNTS_MS) return undefined
  return told.value === true
}

function numberOf(event: LastEvent | undefined): number | undefined {
  return typeof event?.value === 'number' ? event.value : undefined
}

function timeOf(event: LastEvent): number {
  return Date.parse(event.recordedTimestamp)
}

/** The states of the contract (fleet-api-v2.md, *States and transitions*), and `Normal` for the voltages in between. */
const BATTERY_STATES = ['Overvoltage', 'Loading', 'Normal', 'Warning', 'Very Low', 'Empty'] as const
export type BatteryState = (typeof BATTERY_STATES)[number]

interface Battery {
  readonly state: BatteryState
  readonly voltageV: number | undefined
  readonly measuredMs: number
  /** It was charged when it was measured, and is not known to be charged now. */
  readonly wasCharging: boolean
}

/**
 * The starter battery by a car's latest values. A voltage from 11.3 to 13 V has no state, so a state that is older than
 * the voltage does not hold any more.
 *
 * @returns undefined when the car has not reported it
 */
function batteryOf(latest: Latest, movement: Movement, nowMs: number): Battery | undefined {
  const [voltage, told] = [latest.get('BATTERY_VOLTAGE'), latest.get('BATTERY_STATE')]
  if (!voltage && !told) return undefined
  const voltageMs = voltage ? timeOf(voltage) : 0
  const toldMs = told ? timeOf(told) : 0
  const measuredMs = Math.max(voltageMs, toldMs)
  const state = BATTERY_STATES.find(each => each === told?.value && toldMs >= voltageMs) ?? 'Normal'
  const wasCharging = state === 'Loading' && !mayBeCharged(measuredMs, movement, latest, nowMs)
  return { state, voltageV: numberOf(voltage), measuredMs, wasCharging }
}

/** Whether a battery that was charged then may still be. */
function mayBeCharged(measuredMs: number, movement: Movement, latest: Latest, nowMs: number): boolean {
  if (isMoving(movement)) return isOfNow(measuredMs, nowMs)
  const ignition = latest.get('IS_IGNITION_ON')
  const isOff = ignition?.value === false && timeOf(ignition) >= measuredMs
  return !isOff && nowMs - measuredMs <= ALTERNATOR_COUNTS_MS
}
