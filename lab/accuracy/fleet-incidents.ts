import { DAY_MS } from '../simulation/fleet/car-day.ts'
import { disturbedDay } from '../simulation/fleet/disturbed-day.ts'
import { dongleDays } from '../simulation/fleet/dongle-day.ts'
import type { VirtualCar, VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import type { Recording } from '../simulation/recording.ts'
import type { Asked, TrueIncident } from './true-incident.ts'
import { trueIncidents } from './true-incidents.ts'

/** Values that take long to compute for thousands of cars. */
const MOST_AREAS = 4
const AREA_RADIUS_M = 350

/** What rules ask for of a virtual fleet: visits are those of the homes of some of its drivers. */
export function askedOfFleet(fleet: readonly VirtualDongle[]): Asked {
  const homes = fleet.slice(0, MOST_AREAS).map(({ cars: [car] }) => car.home)
  return {
    limitKmh: 110,
    areas: homes.map(center => ({ center, radiusM: AREA_RADIUS_M })),
    permittedHours: [6, 18],
  }
}

interface FleetIncident extends TrueIncident {
  readonly vin: string
}

interface SentTime {
  /** The dongle sends nothing from before this. */
  readonly fromMs: number
  /** It has sent everything up to this instant. */
  readonly toMs: number
}

/** Samples this long after an incident may still be needed to show it. */
const SHOWN_WITHIN_MS = 12 * 3_600_000

/** Up to when the incidents of a dongle are known that has sent everything up to `toMs`: the end of a day of its car. */
export function incidentsKnownUntilMs(dongle: VirtualDongle, fromMs: number, toMs: number): number {
  let untilMs = fromMs
  for (const { plan } of dongleDays(dongle, Math.max(fromMs, toMs - 3 * DAY_MS), toMs))
    if (plan.toMs <= toMs - SHOWN_WITHIN_MS) untilMs = Math.max(untilMs, plan.toMs)
  return untilMs
}

/**
 * What rules should find in what a dongle sent, of the incidents that ended after `afterMs` up to `untilMs`. Those that begin before
 * the dongle does, or still go on when it ends, need not be found.
 */
export function fleetIncidents(
  dongle: VirtualDongle,
  asked: Asked,
  sent: SentTime,
  afterMs: number,
  untilMs: number,
): FleetIncident[] {
  return staysBetween(dongle, Math.max(sent.fromMs, afterMs - DAY_MS), sent.toMs).flatMap(({ car, days }) => {
    const isSent = ({ takenMs }: { takenMs: number }) => sent.fromMs < takenMs && takenMs <= sent.toMs
    const whole = joined(days.map(({ recording }) => recording))
    const undisturbed = joined(days.map(day => day.undisturbed))
    const recording = { ...whole, readings: whole.readings.filter(isSent) }
    return trueIncidents(recording, undisturbed, asked)
      .map(each => ({ ...each, toMs: Math.min(each.toMs, sent.toMs), isCut: each.toMs > sent.toMs }))
      .filter(({ fromMs, toMs }) => fromMs < sent.toMs && afterMs < toMs && toMs <= untilMs)
      .map(({ kind, fromMs, toMs, isSure, isCut }) => ({
        kind,
        fromMs,
        toMs,
        isSure: isSure && !isCut && fromMs > sent.fromMs,
        vin: car.car.vin,
      }))
  })
}

interface Stay {
  readonly car: VirtualCar
  readonly days: { readonly recording: Recording; readonly undisturbed: Recording }[]
}

/** Days of a dongle in the same car. */
function staysBetween(dongle: VirtualDongle, fromMs: number, toMs: number): Stay[] {
  const stays: Stay[] = []
  for (const day of dongleDays(dongle, fromMs, toMs)) {
    const last = stays.at(-1)
    const worked = disturbedDay(dongle, day)
    if (last && !day.isFirst) last.days.push(worked)
    else stays.push({ car: day.virtualCar, days: [worked] })
  }
  return stays
}

function joined(recordings: readonly Recording[]): Recording {
  const [first] = recordings
  if (!first) throw new Error('a stay has at least a day')
  return {
    dongle: first.dongle,
    readings: recordings.flatMap(({ readings }) => readings),
    truth: {
      trips: recordings.flatMap(({ truth }) => truth.trips),
      stints: recordings.flatMap(({ truth }) => truth.stints),
      tows: recordings.flatMap(({ truth }) => truth.tows ?? []),
      happened: recordings.flatMap(({ truth }) => truth.happened ?? []),
    },
  }
}
