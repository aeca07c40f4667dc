import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ExpectedTrip, matchesOf, scoreOf } from '../lab/score/trips.ts'
import { carIdentity, piecesOf, readRows, sampleOfRow, tripKey } from '../lab/ved/recording.ts'
import { requiredEventType } from '../src/catalogue/event-types.ts'
import { fold } from '../src/derive/trips/fold.ts'
import { DATA_GAP_MS, LONGEST_SILENCE_MS, MOTION_KMH } from '../src/derive/trips/rules.ts'
import { distanceM } from '../src/model/earth.ts'
import { type DeviceId, type Sample, sampleOf, valueIn } from '../src/model/sample.ts'

/** A week of 25 real cars; their dongles sent speed and position, but neither ignition nor odometer. */
const RECORDING = '../shared/data/ved/ved_sample.csv.gz'
const FACTS = '../shared/data/ved/ved_sample_trips.csv'

/** The last seconds of a recording may hold no speed. */
const TOLERANCE_MS = 15_000

test.skipIf(!existsSync(RECORDING) || !existsSync(FACTS))(
  `trips of real cars (skipped where there is no ${RECORDING})`,
  async () => {
    const driven = factsByCar()
    const samples = await samplesByCar()
    const cars = [...driven].map(([car, trips]) => {
      const sent = samples.get(carIdentity(car).deviceId) ?? []
      const found = fold(undefined, sent).trips
      const expected = joined(
        trips.flatMap(trip => drivesOf(trip, sent)).sort((a, b) => a.startMs - b.startMs),
        sent,
      )
      const whole = expected.filter(trip => trips.includes(trip))
      return {
        expected: expected.length,
        found: found.length,
        matches: matchesOf(expected, found, TOLERANCE_MS),
        whole: whole.length,
        matchesOfWhole: matchesOf(whole, found, TOLERANCE_MS),
      }
    })
    const score = scoreOf(cars)
    const ofWhole = scoreOf(cars.map(car => ({ ...car, expected: car.whole, matches: car.matchesOfWhole })))
    if (process.env.TEST_LOG)
      console.info(
        `${score.matches.length} of ${score.expected} found, and ${score.found - score.matches.length} others; ` +
          `distance off by ${(ofWhole.medianDistanceError * 100).toFixed(2)} % in median`,
      )
    // All of them, each piece of a recording in which the car stood for more than five minutes being a trip of its own.
    expect(score.expected).toBe(115)
    expect(score.matches).toHaveLength(115)
    expect(score.found).toBe(115)
    expect(ofWhole.expected).toBeGreaterThanOrEqual(108)
    expect(ofWhole.medianDistanceError).toBeLessThanOrEqual(0.02)
  },
)

/** Five minutes without data or without motion cut a trip (decisions.md, *Trips*), so such a recording holds several. */
function drivesOf(trip: ExpectedTrip, samples: readonly Sample[]): ExpectedTrip[] {
  const motionMs = samples
    .filter(sample => trip.startMs <= sample.timeMs && sample.timeMs <= trip.endMs + 1)
    .filter(sample => Number(valueIn(sample, SPEED) ?? 0) > MOTION_KMH)
    .map(({ timeMs }) => timeMs)
  const pieces = piecesOf(trip, motionMs)
  return pieces.length === 1 ? [trip] : pieces.map(piece => ({ ...piece, distanceM: Number.NaN }))
}

/** A silence of less than half an hour, in which the car drove on, is bridged (decisions.md, *Trips*, silence). */
function joined(pieces: readonly ExpectedTrip[], samples: readonly Sample[]): ExpectedTrip[] {
  return pieces.reduce<ExpectedTrip[]>((before, piece) => {
    const last = before.at(-1)
    if (!last || !droveOn(last.endMs, piece.startMs, samples)) return [...before, piece]
    return [...before.slice(0, -1), { startMs: last.startMs, endMs: piece.endMs, distanceM: Number.NaN }]
  }, [])
}

function droveOn(fromMs: number, toMs: number, samples: readonly Sample[]): boolean {
  const silentMs = samples
    .filter(({ timeMs }) => fromMs - 60_000 <= timeMs && timeMs <= toMs + 60_000)
    .map(({ timeMs }, i, all) => ({ timeMs, gapMs: timeMs - (all[i - 1]?.timeMs ?? timeMs) }))
    .filter(({ gapMs }) => gapMs >= DATA_GAP_MS)
  if (silentMs.length === 0 || silentMs.some(({ gapMs }) => gapMs > LONGEST_SILENCE_MS)) return false
  const from = samples.findLast(sample => sample.timeMs <= fromMs + 1 && valueIn(sample, POSITION) !== undefined)
  const to = samples.find(sample => sample.timeMs >= toMs && valueIn(sample, POSITION) !== undefined)
  const [a, b] = [from && valueIn(from, POSITION), to && valueIn(to, POSITION)]
  if (typeof a !== 'object' || typeof b !== 'object' || !from || !to) return false
  return (distanceM(a, b) / (to.timeMs - from.timeMs)) * 3600 > MOTION_KMH
}

const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE')
const POSITION = requiredEventType('POSITION')

/** Begin, end and the integral of speed of each recorded trip. */
function factsByCar(): Map<number, ExpectedTrip[]> {
  const [header = '', ...lines] = readFileSync(FACTS, 'utf8').trim().split('\n')
  const names = header.trim().split(',')
  const byCar = new Map<number, ExpectedTrip[]>()
  for (const line of lines) {
    const fields = line.split(',')
    const field = (name: string) => fields[names.indexOf(name)] ?? ''
    const car = Number(field('VehId'))
    const trip = {
      startMs: Date.parse(`${field('start_utc_inferred')}Z`),
      endMs: Date.parse(`${field('end_utc_inferred')}Z`),
      distanceM: Number(field('speed_integral_km')) * 1000,
    }
    byCar.set(car, [...(byCar.get(car) ?? []), trip])
  }
  return byCar
}

/** What the replay would send, by dongle and in order. */
async function samplesByCar(): Promise<Map<DeviceId, Sample[]>> {
  const begun = new Set<string>()
  const byCar = new Map<DeviceId, Sample[]>()
  for await (const row of readRows(RECORDING)) {
    const sent = sampleOfRow(row, !begun.has(tripKey(row)))
    begun.add(tripKey(row))
    if (!sent) continue
    const events = new Map(sent.events.map(([name, value]) => [requiredEventType(name).id, value]))
    const sample = sampleOf(sent.deviceId, sent.timeMs, events)
    const samples = byCar.get(sample.deviceId)
    if (samples) samples.push(sample)
    else byCar.set(sample.deviceId, [sample])
  }
  for (const samples of byCar.values()) samples.sort((a, b) => a.timeMs - b.timeMs)
  return byCar
}
