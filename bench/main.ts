import { benchAggregations } from './aggregations.ts'
import { benchDerivation } from './derivation.ts'
import { benchEventsList } from './events-list.ts'
import { benchEventsThinned } from './events-thinned.ts'
import { benchIncidentLatency } from './incident-latency.ts'
import { benchIngest } from './ingest-http.ts'
import { benchAtRest, benchOrdinaryLoad } from './ordinary-load.ts'
import { benchPreview } from './preview.ts'
import { type BenchResult, meets, printResults } from './result.ts'
import { benchRuledDerivation } from './ruled-derivation.ts'
import { type RunningService, runService } from './running-service.ts'
import { benchSealedBodies } from './sealed-bodies.ts'
import { benchStorage } from './storage.ts'
import { benchTeltonikaDecode } from './teltonika-decode.ts'
import { benchTeltonikaIdle } from './teltonika-idle.ts'
import { benchTeltonikaIngest } from './teltonika-ingest.ts'
import { benchVehicle } from './vehicle-get.ts'
import { benchVisits } from './visits.ts'

/* Every benchmark but those of an ordinary day against one running service; each ratio is taken inside this run. */
const results: BenchResult[] = await ordinaryDay()
const service = await runService()
try {
  // First, because memory that was needed once is seldom given back.
  results.push(await benchTeltonikaIdle(service), ...benchTeltonikaDecode(), ...(await benchSealedBodies()))
  results.push(await benchIngest(service), await benchStorage(service))
  results.push(...(await benchTeltonikaIngest(service)))
  await settle(service)
  results.push(await benchVehicle(service), ...(await benchEventsList(service)))
  results.push(...(await benchDerivation(service)), await benchRuledDerivation(service))
  results.push(...(await benchVisits(service)), await benchPreview(service))
  results.push(...(await benchAggregations(service)))
  // Last, because it makes a car with far more samples than the others.
  results.push(...(await benchEventsThinned(service)))
  // Its rule would hold for what others send.
  results.push(...(await benchIncidentLatency(service)))
  printResults(results)
  process.exitCode = results.every(meets) ? 0 : 1
} finally {
  await service.stop()
}

/** A service of its own: what it holds is part of what is measured. */
async function ordinaryDay(): Promise<BenchResult[]> {
  const quiet = await runService()
  try {
    return [...(await benchAtRest(quiet)), ...(await benchOrdinaryLoad(quiet))]
  } finally {
    await quiet.stop()
  }
}

/** Lets PostgreSQL finish what a million new rows left to do, which it would else do while reading is measured. */
async function settle({ database }: RunningService): Promise<void> {
  await database.writers.query('vacuum analyze')
  await database.writers.query('checkpoint')
}
