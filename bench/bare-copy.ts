import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Sample } from '../src/intake/sample.ts'
import { encodeSamples } from '../src/store/samples/sample-writer.ts'
import type { RunningService } from './running-service.ts'

/** How long the same rows take into a table of the same columns and indexes, in one COPY, encoded beforehand. */
export async function bareCopySeconds(
  { database, databaseUrl }: RunningService,
  samples: readonly Sample[],
): Promise<number> {
  const rows = encodeSamples(samples, await database.shapes.idsOf(samples), Date.now() * 1000)
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('create table bare (like samples including all)')
    const started = performance.now()
    await pipeline(
      Readable.from([rows], { objectMode: false }),
      client.query(copyFrom('copy bare (device_id, time, stored, shape_id, numbers, texts) from stdin binary')),
    )
    return (performance.now() - started) / 1000
  } finally {
    await client.query('drop table if exists bare')
    await client.end()
  }
}
