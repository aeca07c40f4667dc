import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { IS_DEEP } from '../../test/deep.ts'
import { makeTemporaryFolder } from '../../test/embedded-folder.ts'
import { startService } from '../../test/service.ts'
import { settled } from '../../test/settled.ts'
import { askedOfFleet } from '../accuracy/incidents.ts'
import { ApiReader } from '../score/api-reader.ts'
import { readKnownTruth } from '../score/known-truth.ts'
import { reportOf } from '../score/report.ts'
import { scoreFleet } from '../score/score-fleet.ts'
import { FLEET_FAULTS } from '../simulation/fleet/fleet-faults.ts'
import { type FleetOptions, virtualFleet } from '../simulation/fleet/virtual-fleet.ts'
import { paceOf, runFleet } from './run-fleet.ts'
import { TruthTeller, writeTruth } from './truth.ts'
import { httpUplinks, teltonikaUplinks, type UplinkOptions, type Uplinks } from './uplinks.ts'

const service = await startService({ RATE_LIMIT: '100', RATE_LIMIT_WINDOW_S: '1' })
const key = await service.key('Fleet')
afterAll(() => service.stop())

const FROM_MS = Date.UTC(2025, 5, 3, 4)
const faults = new Set(FLEET_FAULTS.map(({ name }) => name))

/** Lets a fleet with all faults drive, and scores it. */
async function simulate(
  seed: number,
  vehicles: number,
  hours: number,
  uplinks: (options: UplinkOptions) => Uplinks,
  chosen: Partial<Omit<FleetOptions, 'vehicles' | 'seed'>> = {},
) {
  const path = join(await makeTemporaryFolder(), 'truth.jsonl')
  const { hasHappenings = false, faults: names = faults, ...others } = chosen
  const virtual = virtualFleet({ vehicles, seed, faults, ...chosen })
  const asked = hasHappenings ? askedOfFleet(virtual) : undefined
  const fleet = { vehicles, seed, fromMs: FROM_MS, ...others, faults: [...names], ...(asked && { incidents: asked }) }
  const totals = await runFleet({
    fleet: virtual,
    fromMs: () => FROM_MS,
    untilMs: FROM_MS + hours * 3_600_000,
    pace: paceOf({ fromMs: FROM_MS, speedup: undefined }),
    uplinks,
    packetRecords: 100,
    signal: new AbortController().signal,
    truth: new TruthTeller(await writeTruth(path, { fleet }), FROM_MS, asked),
    onLive: () => undefined,
  })
  await settled(service.database)
  const score = await scoreFleet(await readKnownTruth(path), await ApiReader.open(service.url, { key }), {
    toleranceMs: 20_000,
    createsRules: asked !== undefined,
    onDongle: () => undefined,
  })
  if (process.env.TEST_LOG) console.info(reportOf(score))
  const recordsOf = (what: 'acknowledged' | 'missing' | 'repeated' | 'others') =>
    score.dongles.reduce((sum, { records }) => sum + records[what], 0)
  return { totals, score, recordsOf }
}

test('of a fleet with every fault, over the protocol of its dongles, the API tells what really happened', async () => {
  const { score, recordsOf } = await simulate(3, 4, IS_DEEP ? 12 : 8, options =>
    teltonikaUplinks({ host: '127.0.0.1', port: service.teltonikaPort }, options),
  )
  expect(recordsOf('acknowledged')).toBeGreaterThan(2000)
  expect([recordsOf('missing'), recordsOf('repeated'), recordsOf('others')]).toEqual([0, 0, 0])
  const { f1, distanceError, expected, inRightCar, matches, cars } = score.drives
  expect(expected).toBeGreaterThan(20)
  expect(f1).toBeGreaterThanOrEqual(0.95)
  expect(distanceError).toBeLessThanOrEqual(0.03)
  expect(inRightCar).toBe(matches.length)
  for (const { drivenM, toldM } of cars) expect(Math.abs(toldM - drivenM) / drivenM).toBeLessThanOrEqual(0.1)
  expect(score.faults).toMatchObject({ found: score.faults.listed, unexpected: 0 })
})

test('over HTTP as well, where nothing of an impossible time is sent', async () => {
  const { totals, score, recordsOf } = await simulate(6, 2, 4, options =>
    httpUplinks({ baseUrl: service.url, key }, options),
  )
  expect(recordsOf('acknowledged')).toBeGreaterThan(100)
  expect(totals.records).toBeGreaterThanOrEqual(recordsOf('acknowledged'))
  expect([recordsOf('missing'), recordsOf('repeated'), recordsOf('others')]).toEqual([0, 0, 0])
  expect(score.misdated).toBe(0)
})

test('of dongles that report rarely, drives are told apart by kind and interval, and by fault', async () => {
  const dongles = ['everything', 'no-odometer', 'ignition-positions'] as const
  const { score, recordsOf } = await simulate(
    8,
    6,
    IS_DEEP ? 24 : 10,
    options => teltonikaUplinks({ host: '127.0.0.1', port: service.teltonikaPort }, options),
    { dongles, intervalS: 60, faults: new Set(['drift', 'tunnel', 'jitter']) },
  )
  expect([recordsOf('missing'), recordsOf('repeated'), recordsOf('others')]).toEqual([0, 0, 0])
  expect(score.drives.byDongle.map(({ name }) => name)).toEqual([...dongles].sort().map(name => `${name}, every 60 s`))
  for (const { expected, f1 } of score.drives.byDongle) {
    expect(expected).toBeGreaterThan(2)
    expect(f1).toBeGreaterThan(0.7)
  }
  expect(score.drives.byFault.map(({ name }) => name)).toContain('drift')
  expect(reportOf(score)).toMatch(/everything, every 60 s +\d/)
})

test('of cars with two dongles, each drive is told once, through every fault', async () => {
  const { score, recordsOf } = await simulate(
    9,
    3,
    IS_DEEP ? 24 : 8,
    options => teltonikaUplinks({ host: '127.0.0.1', port: service.teltonikaPort }, options),
    { twoDongles: 3, intervalS: 15 },
  )
  expect([recordsOf('missing'), recordsOf('repeated'), recordsOf('others')]).toEqual([0, 0, 0])
  const { byTwoDongles, expected, f1, strays, matches, inRightCar } = score.drives
  expect(expected).toBeGreaterThan(12)
  expect(f1).toBeGreaterThanOrEqual(0.93)
  expect(inRightCar).toBe(matches.length)
  expect(strays).toEqual([])
  expect(byTwoDongles.reduce((sum, group) => sum + group.expected, 0)).toBe(expected)
  expect(score.drives.byDongle).toEqual([])
  expect(score.presentDongles?.right).toBe(score.presentDongles?.known)
  expect(reportOf(score)).toMatch(/TWO DONGLES .*\n[^\n]*, every 15 s \+ [^\n]*, every 15 s +\d/)
})
