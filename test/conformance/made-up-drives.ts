/** Longitude and latitude. */
export interface Place {
  readonly lat: number
  readonly lon: number
}

type Values = Readonly<Record<string, unknown>>

/** What a dongle reports, by seconds after the start. */
export type Samples = Readonly<Record<number, Values>>

const START_MS = Date.UTC(2026, 0, 12, 8)

export const instant = (second: number) => new Date(START_MS + second * 1000).toISOString()
export const secondOf = (timestamp: string) => (Date.parse(timestamp) - START_MS) / 1000

const METRES_PER_DEGREE = 111_195
const START: Place = { lat: 48.1, lon: 11.6 }

/** The place so many metres to the north and to the east. */
export function off(from: Place, northM: number, eastM: number): Place {
  const degreesEast = eastM / (METRES_PER_DEGREE * Math.cos((from.lat * Math.PI) / 180))
  const lon = from.lon + degreesEast
  return { lat: from.lat + northM / METRES_PER_DEGREE, lon: lon > 180 ? lon - 360 : lon }
}

/** The road winds to both sides of its direction, and is a tenth longer than the straight line. */
const LEG_M = 2500
const TURN_RAD = (25 / 180) * Math.PI

/** The place so many metres along a road to the north. */
export function onRoad(metres: number, start: Place = START): Place {
  const leg = Math.floor(metres / LEG_M)
  const inLegM = metres - leg * LEG_M
  const asideM = (leg % 2 === 0 ? inLegM : LEG_M - inLegM) * Math.sin(TURN_RAD)
  return off(start, metres * Math.cos(TURN_RAD), asideM)
}

/** Positions along the road, from its start up to so many metres. */
function roadUpTo(metres: number, start: Place = START): readonly Place[] {
  return Array.from({ length: Math.ceil(metres / 50) + 1 }, (_, step) => onRoad(step * 50, start))
}

const KMH = 60
const MPS = KMH / 3.6

/** A car that drives along the road at 60 km/h during these seconds, and otherwise stands. */
export function car(...drives: readonly (readonly [from: number, to: number])[]) {
  const isDriving = (at: number) => drives.some(([from, to]) => at >= from && at < to)
  const metres = (at: number) => drives.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(at, to) - from), 0) * MPS
  return {
    isDriving,
    metres,
    place: (at: number) => onRoad(metres(at)),
    fix: (at: number) => ({ POSITION: onRoad(metres(at)) }),
    ignition: (at: number) => ({ IS_IGNITION_ON: isDriving(at) }),
    odometer: (at: number, startKm = 48_211.4) => ({ MILEAGE: startKm + Math.round(metres(at)) / 1000 }),
    carSpeed: (at: number) => ({ VEHICLE_SPEED_AVERAGE: isDriving(at) ? KMH : 0 }),
    gpsSpeed: (at: number) => ({ GPS_SPEED: isDriving(at) ? KMH : 0 }),
    /** Its drives, as its trips should show them. */
    drives: (within: { readonly withinS?: number; readonly withinKm?: number } = {}) =>
      drives.map(([from, to]) => ({ from, to, km: ((to - from) * MPS) / 1000, ...within })),
    road: roadUpTo(metres(Number.MAX_SAFE_INTEGER)),
  }
}

/** A sample every so many seconds, the last second included. */
export function every(stepS: number, from: number, to: number, values: (at: number) => Values): Samples {
  const samples: Record<number, Values> = {}
  for (let at = from; at <= to; at += stepS) samples[at] = values(at)
  return samples
}

/** The same samples without those of some period, in which the dongle had no reception and stored nothing. */
export function silentBetween(from: number, to: number, samples: Samples): Samples {
  return Object.fromEntries(Object.entries(samples).filter(([at]) => Number(at) <= from || Number(at) >= to))
}
