import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

interface Benchmark {
  readonly name: string
  /** Benchmarks before it that store what it reads; they are measured with it. */
  readonly needs?: readonly string[]
  readonly run: (service: RunningService) => Promise<BenchResult | readonly BenchResult[]>
}

/** Benchmarks in the order in which they share one service, made anew for each repetition. */
interface BenchmarkGroup {
  /** Something beside it that its settings name, such as a broker. */
  readonly beside?: () => Promise<{ readonly environment: Readonly<Record<string, string>>; stop(): Promise<void> }>
  readonly benchmarks: readonly Benchmark[]
}

const [derivation, growth, history, ingest, load, reads, visits] = [
  () => import('./derivation.ts'),
  () => import('./growth.ts'),
  () => import('./history.ts'),
  () => import('./ingest.ts'),
  () => import('./load.ts'),
  () => import('./reads.ts'),
  () => import('./visits.ts'),
]

export const GROUPS: readonly BenchmarkGroup[] = [
  {
    // A service of its own: what it holds is part of what is measured.
    benchmarks: [
      { name: 'at-rest', run: async service => (await load()).benchAtRest(service) },
      { name: 'ordinary-load', run: async service => (await load()).benchOrdinaryLoad(service) },
      { name: 'stream-latency', run: async service => (await load()).benchStreamLatency(service) },
    ],
  },
  { benchmarks: [{ name: 'reads-under-load', run: async service => (await reads()).benchReadsUnderLoad(service) }] },
  {
    benchmarks: [
      { name: 'sealing-beside-ingest', run: async service => (await history()).benchSealingBesideIngest(service) },
    ],
  },
  {
    beside: async () => (await ingest()).startBroker(),
    benchmarks: [{ name: 'mqtt', run: async service => (await ingest()).benchIngestMqtt(service) }],
  },
  {
    benchmarks: [
      // First, because memory that was needed once is seldom given back.
      { name: 'idle-connections', run: async service => (await load()).benchTeltonikaIdle(service) },
      { name: 'http', run: async service => (await ingest()).benchIngest(service) },
      { name: 'teltonika', run: async service => (await ingest()).benchTeltonikaIngest(service) },
      { name: 'vehicle', needs: ['http'], run: async service => (await reads()).benchVehicle(service) },
      { name: 'events', needs: ['http'], run: async service => (await reads()).benchEventsList(service) },
      { name: 'derivation', run: async service => (await derivation()).benchDerivation(service) },
      { name: 'rules', run: async service => (await derivation()).benchRules(service) },
      { name: 'visits', run: async service => (await visits()).benchVisits(service) },
      { name: 'preview', run: async service => (await visits()).benchPreview(service) },
      // Its rule would hold for what others send.
      { name: 'incident-latency', run: async service => (await load()).benchIncidentLatency(service) },
    ],
  },
]

export const LONE: readonly { readonly name: string; readonly run: () => Promise<readonly BenchResult[]> }[] = [
  { name: 'stored-bytes', run: async () => (await history()).benchStoredBytes() },
  { name: 'growth', run: async () => (await growth()).benchGrowth() },
  { name: 'sealed-reads', run: async () => (await history()).benchSealedReads() },
]

export function benchmarkNames(): string[] {
  return [...LONE, ...GROUPS.flatMap(({ benchmarks }) => benchmarks)].map(({ name }) => name)
}

export function chosenNames(names: readonly string[]): ReadonlySet<string> {
  if (names.length === 0) return new Set(benchmarkNames())
  const needs = GROUPS.flatMap(({ benchmarks }) => benchmarks)
  return new Set(names.flatMap(name => [name, ...(needs.find(each => each.name === name)?.needs ?? [])]))
}
