import { HOUR_MS } from '../../../model/time-range.ts'
import { type HourColumns } from '../../../store/index.ts'

export interface Point {
  readonly timeMs: number
  readonly value: number | string
}

/** Equal parts of a time range; a thinned series keeps at most `POINTS_OF_A_BUCKET` points of each. */
export interface Buckets {
  readonly fromMs: number
  readonly bucketMs: number
}

const POINTS_OF_A_BUCKET = 4

/** Buckets of so much or more are whole hours of UTC, so that what is kept of whole hours can be put into them. */
const HOURLY_FROM_MS = 2 * HOUR_MS

/** @param range milliseconds, `toMs` exclusive; both finite */
export function bucketsOf(range: { readonly fromMs: number; readonly toMs: number }, maxPoints: number): Buckets {
  const count = Math.max(Math.floor(maxPoints / POINTS_OF_A_BUCKET), 1)
  const bucketMs = Math.max(Math.ceil((range.toMs - range.fromMs) / count), 1)
  if (bucketMs < HOURLY_FROM_MS) return { fromMs: range.fromMs, bucketMs }
  const fromMs = Math.floor(range.fromMs / HOUR_MS) * HOUR_MS
  return { fromMs, bucketMs: Math.ceil((range.toMs - fromMs) / count / HOUR_MS) * HOUR_MS }
}

export function isOfHours({ bucketMs }: Buckets): boolean {
  return bucketMs >= HOURLY_FROM_MS
}

/** M4 aggregation (Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", PVLDB 7(10), 2014): keeps
 * the first, lowest, highest and last point of each bucket, so also both ends of every silence longer than a bucket. */
export class Thinning {
  readonly #buckets: Buckets
  readonly #maxPoints: number
  /** All points, while there are few. */
  #whole: Point[] | undefined = []
  readonly #kept: Point[] = []
  #index = Number.NaN
  #bucket: Bucket | undefined

  constructor(buckets: Buckets, maxPoints: number) {
    this.#buckets = buckets
    this.#maxPoints = maxPoints
  }

  /** Adds the next point; times ascend and lie in the range of the buckets. */
  add(point: Point): void {
    if (this.#whole && this.#whole.push(point) > this.#maxPoints) this.#whole = undefined
    const bucket = this.#bucketAt(point.timeMs)
    if (!bucket) {
      this.#begin(point)
      return
    }
    if (point.value < bucket.lowest.value) bucket.lowest = point
    if (point.value > bucket.highest.value) bucket.highest = point
    bucket.last = point
  }

  /** Adds the next points of a bucket, of which only those of an hour's rollup are known. There are more than `maxPoints` in all. */
  addHour(hours: HourColumns, place: number): void {
    this.#whole = undefined
    const bucket =
      this.#bucketAt(hours.column('firstMs')[place] as number) ?? this.#begin(pointOf(hours, 'first', place))
    // Points are made of the few that are kept.
    if (valueOf(hours, 'lowest', place) < bucket.lowest.value) bucket.lowest = pointOf(hours, 'lowest', place)
    if (valueOf(hours, 'highest', place) > bucket.highest.value) bucket.highest = pointOf(hours, 'highest', place)
    bucket.last = pointOf(hours, 'last', place)
  }

  /** The bucket of a time, if it is the one that was begun. */
  #bucketAt(timeMs: number): Bucket | undefined {
    const index = Math.floor((timeMs - this.#buckets.fromMs) / this.#buckets.bucketMs)
    if (index === this.#index) return this.#bucket
    if (this.#bucket) keep(this.#bucket, this.#kept)
    this.#index = index
    return (this.#bucket = undefined)
  }

  #begin(point: Point): Bucket {
    return (this.#bucket = { first: point, lowest: point, highest: point, last: point })
  }

  /** The points kept so far, by time: all of them while there are at most `maxPoints`. */
  points(): readonly Point[] {
    if (this.#whole) return this.#whole
    const points = [...this.#kept]
    if (this.#bucket) keep(this.#bucket, points)
    return points
  }
}

interface Bucket {
  readonly first: Point
  lowest: Point
  highest: Point
  last: Point
}

const MS_OF = { first: 'firstMs', lowest: 'lowestMs', highest: 'highestMs', last: 'lastMs' } as const
type End = keyof typeof MS_OF

function pointOf(hours: HourColumns, end: End, place: number): Point {
  return { timeMs: hours.column(MS_OF[end])[place] as number, value: valueOf(hours, end, place) }
}

function valueOf(hours: HourColumns, end: End, place: number): Point['value'] {
  return hours.column(end)[place] as number
}

/** Adds the points of a bucket by time, each once. */
function keep({ first, lowest, highest, last }: Bucket, kept: Point[]): void {
  const [earlier, later] = lowest.timeMs < highest.timeMs ? [lowest, highest] : [highest, lowest]
  kept.push(first)
  for (const point of [earlier, later, last]) if (point.timeMs !== kept.at(-1)?.timeMs) kept.push(point)
}
