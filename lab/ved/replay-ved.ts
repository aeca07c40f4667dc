import {
  createIngestClient,
  type IngestClient,
  type IngestClientOptions,
  type IngestTotals,
} from '../upload/ingest-client.ts'
import { rowsAsDue, type SpeedFactor, shiftToNowMs } from './pacing.ts'
import { readRows } from './recording.ts'
import { tripKey, type VedRow } from './row.ts'
import { sampleOfRow } from './samples.ts'
import { type Survey, surveyOf } from './survey.ts'

export interface VedReplay {
  readonly file: string
  readonly speed: SpeedFactor
  /** Moves the recording so that it ends with its replay, instead of keeping the times recorded. */
  readonly toNow: boolean
  readonly signal: AbortSignal
  readonly client: IngestClientOptions
  readonly onSurveyed: (survey: Survey) => void
}

export interface VedReplayReport {
  readonly survey: Survey
  readonly totals: IngestTotals
  readonly shiftMs: number
  readonly tookMs: number
}

/**
 * Sends a recording through the HTTP ingest. The whole file is read and checked before the first sample is sent.
 * @throws OperatorError when the file or the service refuses; the signal's reason when it aborts.
 */
export async function replayVed(replay: VedReplay): Promise<VedReplayReport> {
  const survey = await surveyOf(readRows(replay.file))
  replay.onSurveyed(survey)
  const shiftMs = replay.toNow ? shiftToNowMs(survey.firstMs, survey.lastMs, Date.now(), replay.speed) : 0
  const startMs = performance.now()
  const client = createIngestClient({ ...replay.client, signal: replay.signal })
  const add = addRow(client, shiftMs)
  if (replay.speed === undefined) for await (const row of readRows(replay.file)) await add(row)
  else
    for await (const rows of rowsAsDue(readRows(replay.file), replay.speed, replay.signal)) {
      for (const row of rows) await add(row)
      await client.flush()
    }
  await client.flush()
  return { survey, totals: client.totals(), shiftMs, tookMs: performance.now() - startMs }
}

function addRow(client: IngestClient, shiftMs: number): (row: VedRow) => Promise<void> {
  const tripsBegun = new Set<string>()
  return async row => {
    const trip = tripKey(row)
    const sample = sampleOfRow(row, !tripsBegun.has(trip), shiftMs)
    tripsBegun.add(trip)
    if (sample) await client.add(sample)
  }
}
