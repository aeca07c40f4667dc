import type { AccountReads } from '../../db/account-reads.ts'
import { isIn } from '../../model/time-range.ts'
import type { Interval } from '../interval.ts'
import { numbersOf, type RawSample } from '../packed-samples.ts'
import { type RawConnection, withRawConnection } from '../raw-connection.ts'
import { readSamples } from '../reader.ts'
import { column, type Fixes, POSITION, type Portion, selectFixes } from '../wanted-fixes.ts'
import { withSealedPieces } from './sealed-pieces.ts'

/** The fixes of intervals in which there are sealed days: as `readFixes` gives them. */
export function readFixesBesideSealed(
  reads: AccountReads,
  intervals: readonly Interval[],
  portion: Portion,
  most: number,
): Promise<Fixes> {
  return withRawConnection(reads, async connection => {
    const found: RawSample[] = []
    const chunks =
      portion.most === undefined ? readAll(connection, intervals, most) : readPortions(connection, intervals, portion)
    for await (const samples of chunks) {
      // Also self-describing rows without a fix: whoever asks for the rest goes by how many there are.
      found.push(...samples)
      if (found.length >= most) break
    }
    return columnsOf(found.slice(0, most))
  })
}

async function* readAll(
  connection: RawConnection,
  intervals: readonly Interval[],
  most: number,
): AsyncGenerator<readonly RawSample[]> {
  const all = { isFromEnd: false, skip: 0, most: undefined }
  const { samples } = await connection.chunk(await selectFixes(connection, intervals, all, most))
  const upTo = samples.length < most ? undefined : samples.at(-1)
  yield* withSealedPieces(connection, samples, upTo ? until(intervals, upTo) : intervals, [POSITION.id])
}

/** What of intervals is not later than a sample in one of them. */
function until(intervals: readonly Interval[], { deviceId, timeMs }: RawSample): readonly Interval[] {
  const index = intervals.findIndex(interval => interval.deviceId === deviceId && isIn(interval, timeMs))
  return intervals
    .slice(0, index + 1)
    .map((interval, place) => (place === index ? { ...interval, toMs: timeMs + 1 } : interval))
}

async function* readPortions(
  connection: RawConnection,
  intervals: readonly Interval[],
  { isFromEnd, skip, most = Number.POSITIVE_INFINITY }: Portion,
): AsyncGenerator<readonly RawSample[]> {
  for (const interval of intervals) {
    const fixes: RawSample[] = []
    const chunks = readSamples(connection, [interval], {
      types: [POSITION.id],
      direction: isFromEnd ? 'descending' : 'ascending',
      nextSamples: () => skip + most - fixes.length,
    })
    for await (const samples of chunks) {
      fixes.push(...samples)
      if (fixes.length >= skip + most) break
    }
    const own = fixes.slice(skip, skip + most)
    yield isFromEnd ? own.toReversed() : own
  }
}

function columnsOf(samples: readonly RawSample[]): Fixes {
  const count = samples.length
  const [deviceIds, timesMs, longitudes, latitudes] = [column(count), column(count), column(count), column(count)]
  for (const [index, sample] of samples.entries()) {
    const place = sample.layout.indexOf(POSITION)
    const numbers = numbersOf(sample)
    deviceIds[index] = sample.deviceId
    timesMs[index] = sample.timeMs
    longitudes[index] = place < 0 ? Number.NaN : (numbers[place] ?? 0)
    latitudes[index] = place < 0 ? Number.NaN : (numbers[place + 1] ?? 0)
  }
  return { count, deviceIds, timesMs, longitudes, latitudes }
}
