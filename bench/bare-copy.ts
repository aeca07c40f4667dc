import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { encodeSamples } from '../src/db/samples/sample-writer.ts'
import type { Sample } from '../src/model/sample.ts'
import { encodeArrayRows } from './array-rows.ts'
import type { RunningService } from './running-service.ts'

/** A form of rows in which samples can be stored. */
interface RowForm {
  /** Makes the table `bare`. */
  readonly table: string
  readonly columns: string
  readonly encode: (samples: readonly Sample[], service: RunningService) => Promise<Buffer>
}

/** As Tacho stores them (docs/adr/0002). */
const OWN_ROWS: RowForm = {
  table: 'create table bare (like samples including all)',
  columns: 'device_id, time, stored, layout_id, numbers, texts',
  encode: async (samples, { database }) =>
    encodeSamples(samples, await database.layouts.idsOf(samples), Date.now() * 1000),
}

/** As the design has them (decision 1), with the same keys: what its numbers for ingest were set against. */
const ARRAY_ROWS: RowForm = {
  table: `
    create table bare (device_id bigint, time timestamptz, stored timestamptz not null, types smallint[] not null,
      numbers float8[] not null, texts text[] not null, primary key (device_id, time));
    create index on bare using brin (time, stored) with (pages_per_range = 16, autosummarize = on)`,
  columns: 'device_id, time, stored, types, numbers, texts',
  encode: samples => Promise.resolve(encodeArrayRows(samples, Date.now())),
}

/** Microseconds that a bare COPY takes for each sample. */
interface BareCopy {
  readonly designRowsUs: number
  readonly ownRowsUs: number
}

/**
 * Samples in one COPY into a table of their own, encoded beforehand, in both forms: the numbers of the design are held
 * against its own rows (docs/adr/0015).
 */
export async function bareCopy(service: RunningService, samples: readonly Sample[]): Promise<BareCopy> {
  return {
    designRowsUs: await copyUs(service, samples, ARRAY_ROWS),
    ownRowsUs: await copyUs(service, samples, OWN_ROWS),
  }
}

/** Of one before the load and one after it, because the machine may be busier at one time than at another. */
export function meanOf(before: BareCopy, after: BareCopy): BareCopy {
  return {
    designRowsUs: (before.designRowsUs + after.designRowsUs) / 2,
    ownRowsUs: (before.ownRowsUs + after.ownRowsUs) / 2,
  }
}

/** What a load that took so long for each sample is compared with, in words. */
export function asWords({ designRowsUs, ownRowsUs }: BareCopy, sampleUs: number): string {
  return `bare binary COPY of the design's rows ${designRowsUs.toFixed(1)} µs (of Tacho's rows ${ownRowsUs.toFixed(1)} µs: ${(ownRowsUs / sampleUs).toPrecision(3)})`
}

async function copyUs(
  service: RunningService,
  samples: readonly Sample[],
  { table, columns, encode }: RowForm,
): Promise<number> {
  const rows = await encode(samples, service)
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    await client.query(table)
    const started = performance.now()
    await pipeline(
      Readable.from([rows], { objectMode: false }),
      client.query(copyFrom(`copy bare (${columns}) from stdin binary`)),
    )
    return ((performance.now() - started) * 1000) / samples.length
  } finally {
    await client.query('drop table if exists bare')
    await client.end()
  }
}
