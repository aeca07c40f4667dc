import { RULE_KINDS } from '../src/catalogue/rule-kinds/index.ts'
import { foldDevice } from '../src/facts/fold-device.ts'
import type { Json } from '../src/facts/fold-part.ts'
import { incidentsPart } from '../src/facts/incidents/derive/incidents-part.ts'
import type { AreaVersion, RulesOfDevice, RuleVersion } from '../src/facts/incidents/derive/rule-book.ts'
import { NO_RULES } from '../src/facts/incidents/rule-books.ts'
import { fold } from '../src/facts/trips/derive/fold.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { kindNamed } from '../src/tools/simulation/kinds-of-dongles.ts'
import { randomRecording } from '../src/tools/simulation/random-recording.ts'
import { samplesOf } from '../src/tools/simulation/recording.ts'
import { type BenchResult, median } from './result.ts'

const RULES = 20
const AREAS = 1000
const ROUNDS = 15
const DRIVES = 30
const PAIRS = 200
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const START_MS = Date.UTC(2026, 2, 2, 6)
const METRES_PER_DEGREE = 111_195

/**
 * What rules cost on top of deriving everything else: simulated drives, a record every five seconds, folded without the database, in
 * batches with a stored state between them.
 * @param derivingMs what a sample takes to be stored and derived, in the same run and in batches of as many
 */
export function benchIncidents(derivingMs: number, samplesEach: number): BenchResult {
  const samples = drivenSamples()
  const rules = rulesAround()
  const [tripsMs, incidentsMs]: [number[], number[]] = [[], []]
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    tripsMs.push(elapsedMs(() => fold(undefined, samples)))
    incidentsMs.push(
      elapsedMs(() => {
        found = foldIncidents(rules, samples, samplesEach)
      }),
    )
  }
  const [trips, incidents] = [tripsMs, incidentsMs].map(rounds => median(rounds) / samples.length) as [number, number]
  const microseconds = (ms: number) => `${(ms * 1000).toFixed(1)} µs`
  return {
    name: `the fold of incidents by ${RULES} rules and ${AREAS} areas`,
    measured: `${microseconds(incidents)} a sample more, ${found} incidents in ${samples.length} samples`,
    against: `storing and deriving it ${microseconds(derivingMs)}, of which the fold of trips is ${microseconds(trips)}`,
    ratio: (derivingMs + incidents) / derivingMs,
    target: { atMost: 1.3 },
  }
}

/** What an account without a rule pays for there being any: the fold of all facts against that of trips alone, in pairs. */
export function benchWithoutRules(): BenchResult {
  const samples = drivenSamples()
  const context = { movesMs: [], rules: NO_RULES.rules }
  const works = [() => fold(undefined, samples), () => foldDevice(undefined, samples, context)] as const
  const [alone, all]: [number[], number[]] = [[], []]
  for (let round = 0; round < PAIRS; round++) {
    // Whoever comes second finds a warmer cache.
    if (round % 2 === 0) alone.push(elapsedMs(works[0]))
    all.push(elapsedMs(works[1]))
    if (round % 2 === 1) alone.push(elapsedMs(works[0]))
  }
  const ratio = median(all.map((ms, round) => ms / (alone[round] ?? Number.NaN)))
  const microseconds = (ms: number) => `${((ms * 1000) / samples.length).toFixed(2)} µs`
  return {
    name: 'the fold of an account without a rule',
    measured: `${microseconds(median(all))} a sample for all facts, ${PAIRS} pairs`,
    against: `trips alone ${microseconds(median(alone))}`,
    ratio,
    target: { atMost: 1.01 },
  }
}

function drivenSamples(): readonly Sample[] {
  const recording = randomRecording({
    deviceId: 357302080000019 as DeviceId,
    kind: { ...kindNamed('everything').kind, fixS: 5 },
    fromMs: START_MS,
    drivesByCar: [DRIVES],
    seed: 7,
  })
  return samplesOf(recording)
}

function elapsedMs(work: () => unknown): number {
  const startMs = performance.now()
  work()
  return performance.now() - startMs
}

/** Batch by batch, as they are derived: a run from the stored state to the next one. */
function foldIncidents(rules: RulesOfDevice, samples: readonly Sample[], samplesEach: number): number {
  const part = incidentsPart(rules)
  let stored = JSON.stringify(part.pack(part.begin()))
  let found = 0
  for (let at = 0; at < samples.length; at += samplesEach) {
    const run = part.run(part.unpack(JSON.parse(stored) as Json))
    for (const sample of samples.slice(at, at + samplesEach)) found += run.step(sample).length
    stored = JSON.stringify(part.pack(run.state()))
  }
  return found
}

/** A rule of each of the first kinds, and areas of a few streets all over where the car drives. */
function rulesAround(): RulesOfDevice {
  const rules = RULE_KINDS.slice(0, RULES).map(
    (kind, index): RuleVersion => ({
      ...ALWAYS,
      ruleId: index + 1,
      version: 1,
      kind: kind.name,
      parameters: {},
      severity: 'warning',
      vehicleIds: null,
      hours: null,
    }),
  )
  const areas = Array.from({ length: AREAS }, (_, area): AreaVersion => {
    const lon = 8.2 + (area % 40) * 0.01
    const lat = 48.9 + Math.floor(area / 40) * 0.01
    const side = 250 / METRES_PER_DEGREE
    const ring = [
      [lon, lat],
      [lon + side, lat],
      [lon + side, lat + side],
      [lon, lat + side],
      [lon, lat],
    ] as const
    return { ...ALWAYS, areaId: area + 1, version: 1, shape: { type: 'polygon', polygons: [[ring]] } }
  })
  return { assignments: [{ ...ALWAYS, vehicleId: 1, book: { rules, areas } }] }
}
