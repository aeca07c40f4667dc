import type { LonLat } from './polyline.ts'
import { LONGEST_STEP_MS, type TrackPoint } from './track.ts'

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
