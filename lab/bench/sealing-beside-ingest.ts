import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Failing } from '../../src/derive/failing.ts'
import { lowPriority } from '../../src/derive/pace.ts'
import { sealHistory } from '../../src/derive/sealing/seal-history.ts'
import { SYSTEM_CLOCK } from '../../src/lib/clock.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { Partitions } from '../../src/store/index.ts'
import { withHalfLoad } from './half-load.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { fillYear } from './sealed-reads.ts'
import { pairRatios, quantile } from './spread.ts'
import { sendLive } from './teltonika-ingest.ts'

const DONGLES = 1_000
/** Of dongles that send a record as soon as the one before is acknowledged: how much the machine takes at most. */
const FULL_PACKETS = 60
const ROUNDS = 4
const MEASURED_MS = 10_000
const WARM_UP_MS = 5_000
/** With a year of 712 samples of 20 values a day. */
const CAR = 356_307_042_999_936 as DeviceId

/** What dongles that send half of what the machine takes get stored while history is sealed, against the same without, in turn. */
export async function benchSealingBesideIngest(service: RunningService): Promise<BenchResult[]> {
  const { database } = service
  await fillYear(database, CAR)
  const full = await sendLive(service, DONGLES, FULL_PACKETS)
  const fullRecordsPerS = (DONGLES * FULL_PACKETS * 1000) / full.derivedMs
  const acknowledged = { alone: [] as number[], beside: [] as number[] }
  const p99 = { alone: [] as number[], beside: [] as number[] }
  let sealed = 0
  await withHalfLoad(
    service,
    { dongles: DONGLES, recordsPerS: fullRecordsPerS / 2, warmUpMs: WARM_UP_MS },
    async load => {
      for (let round = 0; round < ROUNDS; round++)
        for (const kind of ['alone', 'beside'] as const) {
          const stop = new AbortController()
          const sealing = kind === 'beside' ? seal(stop.signal) : Promise.resolve(0)
          const waitsMs = await load.measureWhile(() => sleep(MEASURED_MS))
          stop.abort()
          sealed += await sealing
          acknowledged[kind].push((waitsMs.length * 1000) / MEASURED_MS)
          p99[kind].push(quantile(waitsMs, 0.99))
        }
    },
  )
  const figures = {
    aloneRecordsPerS: median(acknowledged.alone),
    besideRecordsPerS: median(acknowledged.beside),
    sealedDays: sealed,
  }
  const ratios = pairRatios(acknowledged.beside, acknowledged.alone)
  return [
    {
      name: 'Ingest at half load while days are sealed',
      measured: `${figures.besideRecordsPerS.toFixed(0)} records/s of ${fullRecordsPerS.toFixed(0)}, p99 ${median(p99.beside).toFixed(0)} ms, ${sealed} days sealed in ${(ROUNDS * MEASURED_MS) / 1000} s`,
      against: `without ${figures.aloneRecordsPerS.toFixed(0)} records/s, p99 ${median(p99.alone).toFixed(0)} ms`,
      ratio: median(ratios),
      target: { atLeast: 0.9 },
      runs: ratios,
      figures,
    },
  ]

  /** As the job of the service does while it finds nothing more urgent: a quarter of the time. */
  function seal(signal: AbortSignal): Promise<number> {
    return sealHistory(database, {
      afterDays: 2,
      quietS: 0,
      partitions: new Partitions(database),
      pace: lowPriority(() => false, signal),
      signal,
      failing: new Failing(),
      log: pino({ level: 'silent' }),
      clock: SYSTEM_CLOCK,
      observe: () => undefined,
    })
  }
}
