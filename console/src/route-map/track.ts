import type { LonLat } from '../base-map/lon-lat.ts'

/** A measured place of the car. */
export interface TrackPoint {
  readonly timeMs: number
  readonly longitude: number
  readonly latitude: number
  readonly speedKmh: number | undefined
  readonly altitudeM: number | undefined
  readonly courseDeg: number | undefined
}

/** Where the car was at an instant. */
export interface CarOnTrack {
  readonly longitude: number
  readonly latitude: number
  /** Clockwise from north; undefined if unknown. */
  readonly headingDeg: number | undefined
  readonly speedKmh: number | undefined
}

/** Between positions further apart in time the position is unknown; the car stays until it is seen again. */
const LONGEST_STEP_MS = 120_000

/** Where the car was, between two measured places on the straight line. @returns undefined for a track without places */
export function carAt(track: readonly TrackPoint[], timeMs: number): CarOnTrack | undefined {
  const index = track.findLastIndex(point => point.timeMs <= timeMs)
  const before = track[Math.max(0, index)]
  if (!before) return undefined
  const after = track[index + 1]
  const lengthMs = after ? after.timeMs - before.timeMs : 0
  if (index < 0 || !after || lengthMs > LONGEST_STEP_MS) return { ...before, headingDeg: before.courseDeg }
  const share = (timeMs - before.timeMs) / lengthMs
  const between = (from: number, to: number) => from + (to - from) * share
  return {
    longitude: between(before.longitude, after.longitude),
    latitude: between(before.latitude, after.latitude),
    headingDeg: before.courseDeg ?? bearingDeg(before, after),
    speedKmh:
      before.speedKmh === undefined || after.speedKmh === undefined
        ? before.speedKmh
        : between(before.speedKmh, after.speedKmh),
  }
}

/** Direction on a flat map, which is right for places a few hundred metres apart. */
function bearingDeg(from: TrackPoint, to: TrackPoint): number | undefined {
  const east = (to.longitude - from.longitude) * Math.cos((from.latitude * Math.PI) / 180)
  const north = to.latitude - from.latitude
  if (east === 0 && north === 0) return undefined
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360
}

/** Speed classes that colour a route: upper limits in km/h, the last one is open. */
export const SPEED_CLASSES = [
  { toKmh: 30, color: '#2b7bba' },
  { toKmh: 50, color: '#12a3a8' },
  { toKmh: 80, color: '#6aa637' },
  { toKmh: 120, color: '#f0a01e' },
  { toKmh: Number.POSITIVE_INFINITY, color: '#d6322d' },
] as const

/** A piece of the way that was driven at speeds of one class. */
interface SpeedRun {
  readonly points: readonly LonLat[]
  /** Undefined where the speed is not known. */
  readonly color: string | undefined
}

/** The track in adjacent pieces of one colour each, with gaps where the position is unknown. */
export function speedRunsOf(track: readonly TrackPoint[]): readonly SpeedRun[] {
  const runs: { points: LonLat[]; color: string | undefined }[] = []
  for (const [index, point] of track.entries()) {
    const before = track[index - 1]
    if (!before || point.timeMs - before.timeMs > LONGEST_STEP_MS) continue
    const color = colorOf(point.speedKmh ?? before.speedKmh)
    const last = runs.at(-1)
    const end = last?.points.at(-1)
    const isNext = end !== undefined && end[0] === before.longitude && end[1] === before.latitude
    if (last && isNext && last.color === color) last.points.push(lonLatOf(point))
    else runs.push({ color, points: [lonLatOf(before), lonLatOf(point)] })
  }
  return runs
}

function colorOf(speedKmh: number | undefined): string | undefined {
  return speedKmh === undefined ? undefined : SPEED_CLASSES.find(({ toKmh }) => speedKmh <= toKmh)?.color
}

function lonLatOf({ longitude, latitude }: TrackPoint): LonLat {
  return [longitude, latitude]
}
