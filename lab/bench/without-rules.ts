import { foldDevice } from '../../src/derive/fold-device.ts'
import { NO_RULES } from '../../src/derive/rules/rule-books.ts'
import { fold } from '../../src/derive/trips/derive/fold.ts'
import { elapsedMs } from './elapsed.ts'
import { type BenchResult, median } from './result.ts'
import { simulatedDrives } from './simulated-drives.ts'

const PAIRS = 200
const START_MS = Date.UTC(2026, 2, 2, 6)

/** What an account without a rule pays for there being any: the fold of all facts against that of trips alone, in pairs. */
export async function benchWithoutRules(): Promise<BenchResult> {
  const samples = simulatedDrives(START_MS)
  const context = { movesMs: [], rules: NO_RULES.rules }
  const works = [() => fold(undefined, samples), () => foldDevice(undefined, samples, context)] as const
  const [alone, all]: [number[], number[]] = [[], []]
  for (let round = 0; round < PAIRS; round++) {
    // Whoever comes second finds a warmer cache.
    if (round % 2 === 0) alone.push(await elapsedMs(works[0]))
    all.push(await elapsedMs(works[1]))
    if (round % 2 === 1) alone.push(await elapsedMs(works[0]))
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
