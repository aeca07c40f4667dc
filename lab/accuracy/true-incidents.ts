import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { distanceM } from '../../src/model/earth.ts'
import type { Position } from '../../src/model/sample.ts'
import { type Drive, speedKmhAt } from '../simulation/drive-plan.ts'
import type { Reading } from '../simulation/readings.ts'
import type { Recording } from '../simulation/recording.ts'
import { placeOf, stretchesOf, within } from './recorded.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LOOK_EVERY_MS = 1000

export function trueIncidents(recording: Recording, undisturbed: Recording, asked: Asked): TrueIncident[] {
  const { truth } = recording
  const seen = readingsInOrder(recording)
  const drives = truth.stints.flatMap(({ schedule }) => schedule.drives)
  const tows = (truth.tows ?? []).map(({ fromMs, toMs }) => ({ startMs: fromMs, endMs: toMs }))
  return [
    ...speedings(drives, seen, recording, asked),
    ...asked.areas.flatMap(area => trueVisits(recording, seen, area)),
    ...usesOutsideHours(drives, seen, asked),
    // Without a word of the ignition, a tow looks like a drive.
    ...(recording.dongle.silentAbout.has('IS_IGNITION_ON') ? usesOutsideHours(tows, [], asked) : []),
    ...refuellings(undisturbed, seen),
    ...charges(recording, seen),
    ...troubleCodes(recording, seen),
    ...happenings(recording, seen),
    ...crashesByClock(recording),
    ...weakBatteries(undisturbed, seen),
    ...harshBraking(drives, seen),
  ]
}

function readingsInOrder({ readings }: Recording): Reading[] {
  return readings.filter(({ timeMs, takenMs }) => timeMs === takenMs).sort((a, b) => a.timeMs - b.timeMs)
}

/** It may be found wherever it is near the limit; it must be found where several records in a row are clearly above it. */
function speedings(
  drives: readonly Drive[],
  seen: readonly Reading[],
  { dongle }: Recording,
  { limitKmh }: Asked,
): TrueIncident[] {
  const stepMs = Math.max(dongle.intervals.fixMs, dongle.intervals.engineMs)
  return drives.flatMap(drive => {
    const kmhAt = (timeMs: number) => speedKmhAt(drive.plan, timeMs - drive.startMs)
    const near = stretchesOf(drive.startMs, drive.endMs, LOOK_EVERY_MS, timeMs => kmhAt(timeMs) > limitKmh - 2)
    return near.map(({ fromMs, toMs }) => {
      const clear = stretchesOf(fromMs, toMs, LOOK_EVERY_MS, timeMs => kmhAt(timeMs) > limitKmh + 6)
      const isSure = clear.some(
        each =>
          each.toMs - each.fromMs >= Math.max(25_000, 4 * stepMs) &&
          isWatched(seen, each.fromMs, each.toMs, 'VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'),
      )
      return { kind: 'SPEEDING' as const, fromMs, toMs, isSure }
    })
  })
}

/** Records with one of these values came without a long gap. */
function isWatched(
  seen: readonly Reading[],
  fromMs: number,
  toMs: number,
  ...types: readonly Parameters<Reading['events']['has']>[0][]
): boolean {
  const told = within(seen, fromMs, toMs).filter(({ events }) => types.some(type => events.has(type)))
  const gaps = told.map(({ timeMs }, index) => timeMs - (told[index - 1]?.timeMs ?? fromMs))
  return told.length >= 4 && Math.max(...gaps, toMs - (told.at(-1)?.timeMs ?? fromMs)) <= (toMs - fromMs) / 2
}

function usesOutsideHours(
  drives: readonly Pick<Drive, 'startMs' | 'endMs'>[],
  seen: readonly Reading[],
  { permittedHours: [from, to] }: Asked,
): TrueIncident[] {
  const isPermitted = (timeMs: number) => {
    const hour = (timeMs / HOUR_MS) % 24
    return from <= hour && hour < to
  }
  return drives.flatMap(drive =>
    stretchesOf(drive.startMs, drive.endMs, LOOK_EVERY_MS, timeMs => !isPermitted(timeMs)).map(({ fromMs, toMs }) => ({
      kind: 'USED_OUTSIDE_HOURS' as const,
      fromMs,
      toMs,
      isSure:
        toMs - fromMs >= 5 * MINUTE_MS &&
        isWatched(seen, fromMs, toMs, 'VEHICLE_SPEED_AVERAGE', 'GPS_SPEED', 'POSITION'),
    })),
  )
}

/** Jumps of the level in what an undisturbed dongle would have told. */
function refuellings(undisturbed: Recording, seen: readonly Reading[]): TrueIncident[] {
  const told = levelsIn(undisturbed.readings, 'FUEL_LEVEL_PERCENT')
  return told.flatMap(({ timeMs, level }, index) => {
    const before = told[index - 1]
    if (!before || level - before.level < 8) return []
    const after = within(seen, timeMs, timeMs + 3 * HOUR_MS).filter(({ events }) => events.has('FUEL_LEVEL_PERCENT'))
    const lastBefore = seen.findLast(each => each.timeMs <= before.timeMs && each.events.has('FUEL_LEVEL_PERCENT'))
    return {
      kind: 'REFUELLED' as const,
      fromMs: before.timeMs,
      toMs: timeMs,
      isSure:
        level - before.level >= 15 &&
        after.length >= 2 &&
        // A level is believed once it has lasted for minutes.
        !wasUnplugged(seen, lastBefore?.timeMs ?? before.timeMs, (after[0]?.timeMs ?? timeMs) + 6 * MINUTE_MS),
    }
  })
}

function charges(recording: Recording, seen: readonly Reading[]): TrueIncident[] {
  return recording.truth.stints.flatMap(({ schedule, toMs: untilMs }) =>
    schedule.car.engine !== 'electric'
      ? []
      : schedule.drives.flatMap(({ endMs }, index) => {
          const toMs = schedule.drives[index + 1]?.startMs ?? untilMs
          const levels = levelsIn(within(seen, endMs, toMs), 'HV_BATTERY_SOC').map(({ level }) => level)
          const rise = levels.length > 1 ? Math.max(...levels) - (levels[0] ?? 0) : 0
          return [{ kind: 'CHARGED' as const, fromMs: endMs, toMs, isSure: rise >= 6 && levels.length >= 4 }]
        }),
  )
}

function levelsIn(readings: readonly Reading[], type: 'FUEL_LEVEL_PERCENT' | 'HV_BATTERY_SOC' | 'MILEAGE') {
  return readings.flatMap(({ timeMs, events }) => {
    const level = events.get(type)
    return typeof level === 'number' ? [{ timeMs, level }] : []
  })
}

function troubleCodes({ truth: { stints } }: Recording, seen: readonly Reading[]): TrueIncident[] {
  return stints.flatMap(({ faults, fromMs, toMs }) =>
    faults.map(fault => {
      const span = { fromMs: Math.max(fromMs, fault.fromMs), toMs: Math.min(toMs, fault.toMs ?? toMs) }
      const isListed = ({ events }: Reading) =>
        [events.get('OBD_DTC_PERMANENT'), events.get('OBD_DTC_SPORADIC')].some(
          list => typeof list === 'string' && list.includes(fault.code),
        )
      return { kind: 'TROUBLE_CODE' as const, ...span, isSure: within(seen, span.fromMs, span.toMs).some(isListed) }
    }),
  )
}

const COLD_V = 11.8
/** Half an hour: before that, the surface charge of the battery may look like charging. */
const REST_MS = 65 * MINUTE_MS
/** The half hour of the rule and a margin: for this long, the records must show that the car is at rest. */
const TOLD_REST_MS = 35 * MINUTE_MS

/** Thieves take a few percent more. */
const LEAST_STOLEN_PERCENT = 10

const MOST_PERCENT_PER_KM = 0.5

/** By the odometer, as far as it was read at both ends. */
function kilometresBetween(
  seen: readonly Reading[],
  before: { readonly timeMs: number },
  after: { readonly timeMs: number },
): number {
  const read = levelsIn(seen, 'MILEAGE')
  const from = read.findLast(({ timeMs }) => timeMs <= before.timeMs)
  const to = read.find(({ timeMs }) => timeMs >= after.timeMs)
  return from && to ? Math.max(0, to.level - from.level) : 0
}

function happenings(recording: Recording, seen: readonly Reading[]): TrueIncident[] {
  const { truth } = recording
  const placeAt = placeOf(recording)
  const tows = (truth.tows ?? []).map(({ fromMs, toMs }) => ({ kind: 'TOWED' as const, fromMs, toMs }))
  return [...(truth.happened ?? []), ...tows].map(each => {
    // If the car was towed in the meantime, it is unknown where the fuel went, and to an engine alone, whether it rested.
    const isBlurred =
      each.kind === 'LOW_BATTERY' ? recording.dongle.silentAbout.has('IS_IGNITION_ON') : each.kind === 'FUEL_LOST'
    const isTowed =
      isBlurred && tows.some(tow => tow.fromMs - 3 * HOUR_MS <= each.toMs && each.fromMs <= tow.toMs + 3 * HOUR_MS)
    return {
      ...each,
      isSure: !isTowed && (each.kind === 'TOWED' ? isTowShown(each, seen, placeAt) : isShown(each, seen)),
    }
  })
}

/** By a wrong clock that no record gives away, a crash is found at the time of its record. */
function crashesByClock({ readings, truth }: Recording): TrueIncident[] {
  const crashes = (truth.happened ?? []).filter(({ kind }) => kind === 'CRASH')
  return readings.flatMap(({ timeMs, takenMs, events }) =>
    timeMs !== takenMs &&
    events.has('SEVERE_CRASH') &&
    crashes.some(({ fromMs, toMs }) => fromMs <= takenMs && takenMs <= toMs)
      ? { kind: 'CRASH' as const, fromMs: timeMs, toMs: timeMs, isSure: false }
      : [],
  )
}

function isShown({ kind, fromMs, toMs }: Omit<TrueIncident, 'isSure'>, seen: readonly Reading[]): boolean {
  const during = within(seen, fromMs, toMs)
  switch (kind) {
    case 'IDLING':
      return toMs - fromMs >= 7 * MINUTE_MS && isWatched(seen, fromMs, toMs, 'IS_IGNITION_ON', 'ENGINE_STATE')
    case 'LOW_BATTERY': {
      // When a car was parked is unknown if it sent nothing in the meantime: it is at rest from the first record that says so.
      const toldMs = during.find(record => wordIn(record) === false)?.timeMs ?? toMs
      const restedMs = Math.max(fromMs + REST_MS, toldMs + TOLD_REST_MS)
      return (
        !during.some(wordIn) &&
        during.filter(({ timeMs, events }) => timeMs >= restedMs && Number(events.get('BATTERY_VOLTAGE')) < COLD_V)
          .length >= 2
      )
    }
    case 'ENGINE_HOT':
      return during.filter(({ events }) => Number(events.get('ENGINE_COOLANT_TEMPERATURE')) > 112).length >= 3
    case 'CRASH':
      return during.some(({ events }) => events.has('SEVERE_CRASH'))
    case 'HARSH_BRAKING':
      return during.some(({ events }) => events.has('HARSH_BRAKING'))
    case 'FUEL_LOST': {
      const levels = levelsIn(within(seen, fromMs - 12 * HOUR_MS, toMs + 12 * HOUR_MS), 'FUEL_LEVEL_PERCENT')
      const before = levels.findLast(({ timeMs }) => timeMs < fromMs)
      const after = levels.filter(({ timeMs }) => timeMs > toMs)
      if (!before || !after[0] || after.length < 2) return false
      // A refill before the next record hides a theft, and so does a drive that may have used as much.
      const leastPercent = LEAST_STOLEN_PERCENT + MOST_PERCENT_PER_KM * kilometresBetween(seen, before, after[0])
      if (after.slice(0, 2).some(({ level }) => before.level - level < leastPercent)) return false
      return !wasUnplugged(seen, before.timeMs, after[0].timeMs)
    }
    default:
      return true
  }
}

/** A dongle that was unplugged may come back in another car, so levels are not compared. */
function wasUnplugged(seen: readonly Reading[], fromMs: number, toMs: number): boolean {
  return within(seen, fromMs, toMs).some(({ events }) => events.get('IS_DONGLE_PLUGGED_IN') === false)
}

/** A fix farther than this from where the car was does not show where it went: receivers repeat an old fix, or wander around it. */
const TOLD_M = 200

/** Of the ignition, or of the engine. A dongle without it knows neither that a car is towed, nor that its battery rests. */
const wordIn = ({ events }: Reading) => events.get('IS_IGNITION_ON') ?? events.get('ENGINE_STATE')

/** Nothing indicates that the car drives by itself, and fixes show that it was moved, and when that ended. */
function isTowShown(
  { fromMs, toMs }: Omit<TrueIncident, 'isSure' | 'kind'>,
  seen: readonly Reading[],
  placeAt: (timeMs: number) => Position,
): boolean {
  // A record with the ignition on, or with turning wheels, means that somebody drives.
  const isDriven = within(seen, fromMs - HOUR_MS / 4, toMs + HOUR_MS / 4).some(
    record => wordIn(record) === true || Number(record.events.get('VEHICLE_SPEED_AVERAGE') ?? 0) > 0,
  )
  const words = seen.flatMap(record => (record.timeMs <= fromMs ? (wordIn(record) ?? []) : []))
  const [stood, arrived] = [placeAt(fromMs), placeAt(toMs)]
  const toldFixes = (from: number, to: number, isWanted: (position: Position) => boolean) =>
    within(seen, from, to).filter(({ timeMs, events }) => {
      const fix = events.get('POSITION')
      return typeof fix === 'object' && distanceM(fix, placeAt(timeMs)) < TOLD_M && isWanted(fix)
    }).length
  return (
    !isDriven &&
    words.at(-1) === false &&
    toldFixes(fromMs, toMs, fix => distanceM(fix, stood) > TOLD_M) >= 2 &&
    toldFixes(toMs, toMs + HOUR_MS, fix => distanceM(fix, arrived) < TOLD_M) >= 2
  )
}

/** Ripple on the voltage that a dongle measures. */
const RIPPLE_V = 0.1

function weakBatteries({ readings, truth }: Recording, seen: readonly Reading[]): TrueIncident[] {
  const low: { fromMs: number; toMs: number }[] = []
  let isGoingOn = false
  for (const { timeMs, events } of readings) {
    const volts = events.get('BATTERY_VOLTAGE')
    if (typeof volts !== 'number') continue
    const last = low.at(-1)
    const isLow = volts < COLD_V + RIPPLE_V
    if (isLow && last && isGoingOn) last.toMs = timeMs
    else if (isLow) low.push({ fromMs: timeMs, toMs: timeMs })
    isGoingOn = isLow
  }
  const known = (truth.happened ?? []).filter(({ kind }) => kind === 'LOW_BATTERY')
  return low
    .filter(span => !known.some(({ fromMs, toMs }) => fromMs <= span.toMs && span.fromMs <= toMs))
    .map(span => ({ kind: 'LOW_BATTERY' as const, ...span }))
    .map(each => ({ ...each, isSure: isShown(each, seen) }))
}

function harshBraking(drives: readonly Drive[], seen: readonly Reading[]): TrueIncident[] {
  return drives.flatMap(({ plan, startMs }) =>
    plan.incidents.flatMap(({ kind, atMs }) => {
      const each = { kind: 'HARSH_BRAKING' as const, fromMs: startMs + atMs, toMs: startMs + atMs }
      return kind === 'braking' ? { ...each, isSure: isShown(each, seen) } : []
    }),
  )
}

const LONGEST_LOOK_MS = 20_000
const BORDER_M = 60
/** The default of the rule, and a tolerance within which either result is right. */
const STAYED_MS = HOUR_MS
const STAYED_SLACK_MS = 10 * MINUTE_MS
const SHORTEST_VISIT_MS = 2 * MINUTE_MS
/** A car that left is seen elsewhere within this time; otherwise its leaving need not be found. */
const SHOWN_LEFT_MS = 30 * MINUTE_MS

/** So far outside, a record shows that the car has left (docs/adr/0033); what comes after it is another visit. */
const LEFT_M = 25

/** Records that tell that the car was there all the time, for longer than the shortest visit. */
function isVisitShown(inside: readonly Reading[]): boolean {
  const shownMs = (inside.at(-1)?.timeMs ?? 0) - (inside[0]?.timeMs ?? 0)
  return inside.length >= 4 && shownMs >= SHORTEST_VISIT_MS + MINUTE_MS
}

function splitBy(records: readonly Reading[], isParting: (record: Reading) => boolean): Reading[][] {
  const parts: Reading[][] = [[]]
  for (const record of records) {
    if (isParting(record)) parts.push([])
    else parts.at(-1)?.push(record)
  }
  return parts
}

function trueVisits(
  recording: Recording,
  seen: readonly Reading[],
  { center, radiusM }: Asked['areas'][number],
): TrueIncident[] {
  const placeAt = placeOf(recording)
  const fromMs = recording.truth.stints[0]?.fromMs ?? 0
  const toMs = recording.truth.stints.at(-1)?.toMs ?? 0
  const awayM = (timeMs: number) => distanceM(center, placeAt(timeMs))
  const isTold = (position: unknown, timeMs: number) =>
    typeof position === 'object' && distanceM(position as Position, placeAt(timeMs)) < BORDER_M
  const stays = stretchesOf(fromMs, toMs, LONGEST_LOOK_MS, timeMs => awayM(timeMs) <= radiusM + BORDER_M)
  const isSeenOutside = (from: number, to: number) =>
    within(seen, from, to).some(
      ({ timeMs, events }) => awayM(timeMs) > radiusM + BORDER_M && isTold(events.get('POSITION'), timeMs),
    )
  const visited = stays.flatMap(visit => {
    const told = within(seen, visit.fromMs, visit.toMs).filter(({ timeMs, events }) =>
      isTold(events.get('POSITION'), timeMs),
    )
    const isInside = ({ timeMs }: Reading) => awayM(timeMs) <= radiusM - BORDER_M
    const stints = splitBy(
      told,
      ({ events }) => distanceM(center, events.get('POSITION') as Position) > radiusM + LEFT_M,
    )
      .map(stint => stint.filter(isInside))
      .filter(stint => stint.length > 0)
    const last = stints.at(-1) ?? []
    const entered = [
      { kind: 'AREA_ENTERED' as const, ...visit, isSure: stints.some(isVisitShown) },
      ...longStay(visit, stints),
    ]
    const between = stints.slice(1).map((stint, index) => ({
      kind: 'AREA_LEFT' as const,
      fromMs: stints[index]?.at(-1)?.timeMs ?? visit.fromMs,
      toMs: stint[0]?.timeMs ?? visit.toMs,
      isSure: false,
    }))
    if (visit.toMs + LONGEST_LOOK_MS > toMs) return [...entered, ...between]
    const outside = within(seen, visit.toMs, visit.toMs + SHOWN_LEFT_MS).filter(
      ({ timeMs, events }) => awayM(timeMs) > radiusM + 2 * BORDER_M && isTold(events.get('POSITION'), timeMs),
    )
    // It left after the last record inside, and before the first outside.
    const left = { fromMs: last.at(-1)?.timeMs ?? visit.fromMs, toMs: outside[0]?.timeMs ?? visit.toMs }
    const isSure = isVisitShown(last) && outside.length >= 4
    return [...entered, ...between, { kind: 'AREA_LEFT' as const, ...left, isSure }]
  })
  return [...visited, ...seemingStays(stays, isSeenOutside)]
}

/** A car that no record shows away may as well have stayed. */
function seemingStays(
  stays: readonly { readonly fromMs: number; readonly toMs: number }[],
  isSeenOutside: (fromMs: number, toMs: number) => boolean,
): TrueIncident[] {
  const joined: { fromMs: number; toMs: number; count: number }[] = []
  for (const { fromMs, toMs } of stays) {
    const last = joined.at(-1)
    if (last && !isSeenOutside(last.toMs, fromMs)) joined.splice(-1, 1, { ...last, toMs, count: last.count + 1 })
    else joined.push({ fromMs, toMs, count: 1 })
  }
  return joined
    .filter(({ fromMs, toMs, count }) => count > 1 && toMs - fromMs >= STAYED_MS - STAYED_SLACK_MS)
    .map(({ fromMs, toMs }) => ({ kind: 'AREA_STAYED', fromMs, toMs, isSure: false }))
}

/** @param stints records that tell that the car was there, of each time until it left */
function longStay(
  visit: { readonly fromMs: number; readonly toMs: number },
  stints: readonly (readonly Reading[])[],
): TrueIncident[] {
  if (visit.toMs - visit.fromMs < STAYED_MS - STAYED_SLACK_MS) return []
  const longestMs = Math.max(0, ...stints.map(inside => (inside.at(-1)?.timeMs ?? 0) - (inside[0]?.timeMs ?? 0)))
  return [{ kind: 'AREA_STAYED', ...visit, isSure: longestMs >= STAYED_MS + STAYED_SLACK_MS }]
}

/** Something that should be found, or may be: near its limits, a rule may decide either way. */
export interface TrueIncident {
  readonly kind: RuleKindName
  readonly fromMs: number
  readonly toMs: number
  /** The records show it clearly. */
  readonly isSure: boolean
}

export interface Asked {
  readonly limitKmh: number
  readonly areas: readonly { readonly center: Position; readonly radiusM: number }[]
  /** Hours of each day, UTC, at which use is permitted. */
  readonly permittedHours: readonly [fromHour: number, toHour: number]
}
