import type { Sample } from '../../model/sample.ts'
import { rowOfCopy } from '../copied-row.ts'
import type { HistorySource } from './history-source.ts'
import type { Interval } from './interval.ts'
import { chunkOf, numbersOf, type RawSample, samplesOfChunk, textsOf } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
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
export async function* readAhead(source: HistorySource, interval: Interval): AsyncGenerator<readonly Sample[]> {
  const connection: RawConnection = {
    layouts: source.layouts,
    rows: (statement, options) => source.rows(statement, options),
    row: async statement => rowOfCopy(await source.copied(statement)),
    chunk: async (statement, options = {}) =>
      samplesOfChunk(
        rowOfCopy(await source.copied(chunkOf(statement, options))),
        source.layouts,
        ids => source.layouts.load(ids, source),
        options,
      ),
  }
  const chunks = readWholeIntervals(connection, [interval], undefined, PORTION)
  let next = chunks.next()
  try {
    for (let read = await next; !read.done; read = await next) {
      next = chunks.next()
      // The reader has stopped.
      next.catch(() => undefined)
      for (let at = 0; at < read.value.length; at += CHUNK_SAMPLES)
        yield read.value.slice(at, at + CHUNK_SAMPLES).map(sampleOfRaw)
    }
  } finally {
    await next.catch(() => undefined)
  }
}

/** With all its values unpacked. */
export function sampleOfRaw(raw: RawSample): Sample {
  const { deviceId, timeMs, layout } = raw
  return { deviceId, timeMs, types: layout.types, numbers: numbersOf(raw), texts: textsOf(raw) }
}
