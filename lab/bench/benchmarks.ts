import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'

/** A benchmark that can be chosen by its name. */
interface Benchmark {
  readonly name: string
  /** Benchmarks before it that store what it reads; they are measured with it. */
  readonly needs?: readonly string[]
  readonly run: (service: RunningService) => Promise<readonly BenchResult[]>
}

/** Benchmarks in the order in which they share one service, made anew for each repetition. */
interface BenchmarkGroup {
  /** Something beside it that its settings name, such as a broker. */
  readonly beside?: () => Promise<{ readonly environment: Readonly<Record<string, string>>; stop(): Promise<void> }>
  readonly benchmarks: readonly Benchmark[]
}

/** Makes results of a benchmark that has its own database and needs no service. */
interface LoneBenchmark {
  readonly name: string
  readonly run: () => Promise<readonly BenchResult[]>
}

/** The code of each is loaded when it is chosen. */
export const GROUPS: readonly BenchmarkGroup[] = [
  {
    // A service of its own: what it holds is part of what is measured.
    benchmarks: [
      { name: 'at-rest', run: async service => (await import('./load.ts')).benchAtRest(service) },
      { name: 'ordinary-load', run: async service => (await import('./load.ts')).benchOrdinaryLoad(service) },
      {
        name: 'stream-latency',
        run: async service => (await import('./load.ts')).benchStreamLatency(service),
      },
    ],
  },
  {
    benchmarks: [
      {
        name: 'reads-under-load',
        run: async service => (await import('./reads.ts')).benchReadsUnderLoad(service),
      },
    ],
  },
  {
    benchmarks: [
      {
        name: 'sealing-beside-ingest',
        run: async service => (await import('./sealed-reads.ts')).benchSealingBesideIngest(service),
      },
    ],
  },
  {
    beside: async () => (await import('./ingest.ts')).startBroker(),
    benchmarks: [
      { name: 'mqtt', run: async service => [await (await import('./ingest.ts')).benchIngestMqtt(service)] },
    ],
  },
  {
    benchmarks: [
      // First, because memory that was needed once is seldom given back.
      {
        name: 'idle-connections',
        run: async service => [await (await import('./load.ts')).benchTeltonikaIdle(service)],
      },
      { name: 'http', run: async service => [await (await import('./ingest.ts')).benchIngest(service)] },
      {
        name: 'storage',
        needs: ['http'],
        run: async service => [await (await import('./ingest.ts')).benchStorage(service)],
      },
      {
        name: 'teltonika',
        run: async service => {
          const results = await (await import('./teltonika-ingest.ts')).benchTeltonikaIngest(service)
          await settle(service)
          return results
        },
      },
      {
        name: 'vehicle',
        needs: ['http'],
        run: async service => [await (await import('./reads.ts')).benchVehicle(service)],
      },
      {
        name: 'events',
        needs: ['http'],
        run: async service => (await import('./reads.ts')).benchEventsList(service),
      },
      {
        name: 'derivation',
        run: async service => [
          ...(await (await import('./derivation.ts')).benchDerivation(service)),
          ...(await (await import('./derivation.ts')).benchRuledDerivation(service)),
        ],
      },
      { name: 'visits', run: async service => (await import('./visits.ts')).benchVisits(service) },
      { name: 'preview', run: async service => (await import('./visits.ts')).benchPreview(service) },
      { name: 'aggregations', run: async service => (await import('./growth.ts')).benchAggregations(service) },
      // Last, because it makes a car with far more samples than the others.
      {
        name: 'events-thinned',
        run: async service => (await import('./reads.ts')).benchEventsThinned(service),
      },
      // Its rule would hold for what others send.
      {
        name: 'incident-latency',
        run: async service => (await import('./load.ts')).benchIncidentLatency(service),
      },
    ],
  },
]

export const LONE: readonly LoneBenchmark[] = [
  { name: 'teltonika-decode', run: async () => (await import('./teltonika-decode.ts')).benchTeltonikaDecode() },
  { name: 'sealed-bodies', run: async () => (await import('./sealing.ts')).benchSealedBodies() },
  { name: 'sealing-cost', run: async () => (await import('./sealing.ts')).benchSealingCost() },
  { name: 'stored-bytes', run: async () => (await import('./sealing.ts')).benchStoredBytes() },
  { name: 'growth', run: async () => (await import('./growth.ts')).benchGrowth() },
  { name: 'sealed-reads', run: async () => (await import('./sealed-reads.ts')).measuredAlone() },
]

/** Lets PostgreSQL finish what a million new rows left to do, which it would else do while reading is measured. */
async function settle({ database }: RunningService): Promise<void> {
  await database.writers.query('vacuum analyze')
  await database.writers.query('checkpoint')
}

/** The names that can be chosen, in the order in which they run. */
export function benchmarkNames(): string[] {
  return [...LONE, ...GROUPS.flatMap(({ benchmarks }) => benchmarks)].map(({ name }) => name)
}

/** The benchmarks of those names, with those that they need; all when none is named. */
export function chosenNames(names: readonly string[]): ReadonlySet<string> {
  if (names.length === 0) return new Set(benchmarkNames())
  const needs = GROUPS.flatMap(({ benchmarks }) => benchmarks)
  return new Set(names.flatMap(name => [name, ...(needs.find(each => each.name === name)?.needs ?? [])]))
}

/**
 * The results of several repetitions as one for each name: the words are those of the repetition in the middle, the ratio and each figure
 * the median. A single repetition stays as it is, with the spread that it has in itself.
 */
export function combined(repetitions: readonly (readonly BenchResult[])[]): BenchResult[] {
  const byName = new Map<string, BenchResult[]>()
  for (const result of repetitions.flat()) byName.set(result.name, [...(byName.get(result.name) ?? []), result])
  return [...byName.values()].flatMap(results => {
    const ratio = median(results.map(result => result.ratio))
    const middle = results.find(result => result.ratio === ratio) ?? results[0]
    if (!middle) return []
    if (results.length === 1) return [middle]
    const figures = medianFigures(results)
    return [{ ...middle, runs: results.map(result => result.ratio), ...(figures && { figures }) }]
  })
}

function medianFigures(results: readonly BenchResult[]): BenchResult['figures'] {
  const names = Object.keys(results[0]?.figures ?? {})
  if (names.length === 0) return undefined
  return Object.fromEntries(
    names.map(name => [name, median(results.map(({ figures }) => figures?.[name] ?? Number.NaN))]),
  )
}
