import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OperatorError } from '../../src/model/errors.ts'
import { makeTemporaryFolder } from '../../test/embedded-folder.ts'
import { recorded } from '../../test/ved-recording.ts'
import { moved, wayTowards } from '../simulation/ground.ts'
import { measureVed, readVedTrips } from './ved.ts'

const KMH = 36
const SECONDS = 900
const START = { lon: -83.71, lat: 42.28 }

/** A car that drives north at one speed for a quarter of an hour, with a row each second. */
async function drive() {
  const rows = Array.from({ length: SECONDS }, (_, i) => {
    const { lon, lat } = moved(START, wayTowards(0, (i * KMH) / 3.6))
    return {
      VehId: '10',
      Trip: '7',
      DayNum: '204.5',
      'Timestamp(ms)': String(i * 1000),
      'Latitude[deg]': lat.toFixed(6),
      'Longitude[deg]': lon.toFixed(6),
      'Vehicle Speed[km/h]': String(KMH),
    }
  })
  const folder = await makeTemporaryFolder()
  const [recording, facts] = [join(folder, 'week.csv'), join(folder, 'trips.csv')]
  await writeFile(recording, recorded(...rows))
  const header = 'VehId,Trip,start_utc_inferred,end_utc_inferred'
  await writeFile(facts, `${header}\n10,7,2018-05-23T12:00:00.000,2018-05-23T12:14:59.000\n`)
  return { recording, facts }
}

test('a recorded trip is found with its length, thinned or not', async () => {
  const { recording, facts } = await drive()
  const trips = await readVedTrips(recording, facts)
  for (const cadenceS of [1, 10, 30, 60]) {
    const score = measureVed(trips, cadenceS, 'positions and speed')
    expect(score).toMatchObject({ drives: 1, found: 1, f1: 1 })
    expect(Math.abs(score.kilometreError)).toBeLessThan(0.01)
  }
})

test('of a trip of which one record is left, nothing is expected', async () => {
  const { recording, facts } = await drive()
  expect(measureVed(await readVedTrips(recording, facts), 1000, 'positions')).toMatchObject({ drives: 0, found: 0 })
})

test('a file without facts is refused', async () => {
  const { recording } = await drive()
  await expect(readVedTrips(recording, recording)).rejects.toThrow(OperatorError)
})
