import type { Sample } from '../../model/sample.ts'
import type { AccountReads } from '../account-reads.ts'
import type { Interval } from './interval.ts'
import { numbersOf, type RawSample, textsOf } from './packed-samples.ts'
import { type RawConnection, withRawConnection } from './raw-connection.ts'
import { readWholeIntervals } from './whole-reader.ts'

/** One statement for so much: to plan and begin one costs as much as to read a thousand samples. */
const PORTION = { weeks: 4, samples: 10_000 }
/** To make samples of so many takes a millisecond. */
const CHUNK_SAMPLES = 1000

/**
 * All samples of a device in an interval, in the order of time, a chunk at a time. While the caller works on some chunks, the next ones are
 * read. Each statement takes a turn of the account.
 * @param interval a finite one
 */
export async function* readAhead(reads: AccountReads, interval: Interval): AsyncGenerator<readonly Sample[]> {
  const connection: RawConnection = {
    layouts: reads.layouts,
    rows: (statement, options) => reads.rows(statement, options),
    chunk: (statement, options) => withRawConnection(reads, held => held.chunk(statement, options)),
  }
  const chunks = readWholeIntervals(connection, [interval], undefined, PORTION)
  let next = chunks.next()
  try {
    for (let read = await next; !read.done; read = await next) {
      next = chunks.next()
      // Whoever stops is told nothing more.
      next.catch(() => undefined)
      for (let at = 0; at < read.value.length; at += CHUNK_SAMPLES)
        yield read.value.slice(at, at + CHUNK_SAMPLES).map(sampleOfRaw)
    }
  } finally {
    await next.catch(() => undefined)
  }
}

function sampleOfRaw(raw: RawSample): Sample {
  const { deviceId, timeMs, layout } = raw
  return { deviceId, timeMs, types: layout.types, numbers: numbersOf(raw), texts: textsOf(raw) }
}
