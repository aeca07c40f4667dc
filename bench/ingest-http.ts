import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Sample } from '../src/intake/sample.ts'
import { encodeSamples } from '../src/store/samples/sample-writer.ts'
import { sendBodies } from './http-sender.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestBodies } from './sample-events.ts'
import { generateVedShape } from './ved-shape.ts'

const SAMPLES = 322_263
const CONNECTIONS = 16

/** HTTP ingest of batches of 1,000 events, committed, against a bare binary COPY of the same samples. */
export async function benchIngest(service: RunningService): Promise<BenchResult> {
  const samples = [...generateVedShape({ vehicles: 133, samples: SAMPLES, seed: 7 })].sort(
    (a, b) => a.timeMs - b.timeMs,
  )
  const { bodies, events } = ingestBodies(samples, 1000)
  const half = Math.floor(bodies.length / 2)
  // The first half warms everything up, partitions and devices included.
  await sendBodies(service, bodies.slice(0, half), CONNECTIONS)
  const started = performance.now()
  await sendBodies(service, bodies.slice(half), CONNECTIONS)
  const ingestPerS = (events * (1 - half / bodies.length)) / ((performance.now() - started) / 1000)
  const copyPerS = events / (await bareCopySeconds(service, samples))
  return {
    name: 'HTTP ingest',
    measured: `${Math.round(ingestPerS)} events/s in batches of 1,000 over ${CONNECTIONS} connections, committed`,
    against: `bare binary COPY ${Math.round(copyPerS)} events/s`,
    ratio: ingestPerS / copyPerS,
    target: { atLeast: 0.1 },
  }
}

/** The same rows into a table of the same columns and indexes, in one COPY, encoded beforehand. */
async function bareCopySeconds({ database, databaseUrl }: RunningService, samples: readonly Sample[]): Promise<number> {
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
