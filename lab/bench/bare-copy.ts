import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Sample } from '../../src/model/sample.ts'
import { encodeSamples } from '../../src/store/index.ts'
import type { RunningService } from './running-service.ts'

/**
 * What ingest is held against (docs/adr/0015): samples as Tacho stores them in one binary COPY, encoded beforehand, into a
 * table of their own with the same indexes.
 * @returns microseconds a sample
 */
export async function bareCopyUs(service: RunningService, samples: readonly Sample[]): Promise<number> {
  const rows = encodeSamples(samples, await service.database.layouts.idsOf(samples), Date.now() * 1000)
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    await client.query('create table bare (like samples including all)')
    const started = performance.now()
    await pipeline(
      Readable.from([rows], { objectMode: false }),
      client.query(copyFrom('copy bare (device_id, time, stored, layout_id, numbers, texts) from stdin binary')),
    )
    return ((performance.now() - started) * 1000) / samples.length
  } finally {
    await client.query('drop table if exists bare')
    await client.end()
  }
}

/** Of one before the load and one after it, because the machine may be busier at one time than at another. */
export function meanOf(beforeUs: number, afterUs: number): number {
  return (beforeUs + afterUs) / 2
}

/** In words. */
export function bareCopyText(us: number): string {
  return `bare binary COPY of the same rows ${us.toFixed(1)} µs`
}
