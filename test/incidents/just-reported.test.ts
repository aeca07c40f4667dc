import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import type { Sample } from '../../src/model/sample.ts'
import { deep } from '../deep.ts'
import type { Dongle } from '../dongle.ts'
import { storeSamples } from '../sample-store.ts'
import type { Values } from '../sample-with.ts'
import { incidentsFoundBy, shownAsFound } from './found-by.ts'
import { IncidentWorld, WORLD_START_MS } from './incident-world.ts'

/** Dongles that report now. */

const world = await IncidentWorld.make()
afterAll(() => world[Symbol.asyncDispose]())

/** What a car does for one sample, every five seconds. */
const anyStep = fc.record({
  kmh: fc.constantFrom(0, 110, 120, 130, 140, 150, 160, 170),
  isOn: fc.constantFrom(true, true, true, true, true, false),
  /** What the list of trouble codes has; null: there is none. */
  codes: fc.constantFrom(null, null, null, '', 'P0301', 'P0301,P0420'),
  /** Sent again, or in two pieces, of which the other one may change all. */
  again: fc.constantFrom('no', 'no', 'no', 'same', 'more', 'unplugged'),
  isSentAtOnce: fc.boolean(),
})

let accounts = 0

/** A dongle in a car of an account with rules. */
async function ruledDongle() {
  const client = await world.api.client(`Fleet ${++accounts}`)
  const dongle = await world.dongle(client)
  const rules = [
    { kind: 'SPEEDING', parameters: { limitKmh: 100, forS: 5 } },
    { kind: 'IDLING', parameters: { forMinutes: 1 } },
    { kind: 'OUTSIDE_AREAS', parameters: { forMinutes: 1 } },
    { kind: 'TROUBLE_CODE' },
  ]
  for (const rule of rules) await world.createRule(client, rule)
  await world.refoldByRules()
  const { database } = world.api
  const ofAccount = { database, accountId: client.accountId }
  const store = (...samples: readonly Sample[]) => storeSamples(ofAccount, samples)
  return { client, dongle, store }
}

/** A sample of each five seconds from now on. */
function sampleAt(dongle: Dongle, startMs: number, index: number, more: Values): Sample {
  const minute = (startMs + index * 5000 - WORLD_START_MS) / 60_000
  return dongle.at(minute, { IS_IGNITION_ON: true, POSITION: { lon: 11.6, lat: 48.1 + index * 0.001 }, ...more })
}

it('incidents are those of all samples after each upload, as those of before are', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async steps => {
      const { client, dongle, store } = await ruledDongle()
      const startMs = Date.now()
      const known: Sample[] = []
      let waiting: Sample[] = []
      for (const [index, { kmh, isOn, codes, again, isSentAtOnce }] of steps.entries()) {
        const speed = { IS_IGNITION_ON: isOn, VEHICLE_SPEED_AVERAGE: isOn ? kmh : 0 }
        const lists = codes === null ? {} : { OBD_DTC_PERMANENT: codes }
        waiting.push(sampleAt(dongle, startMs, index, again === 'more' ? lists : { ...speed, ...lists }))
        if (!isSentAtOnce && index < steps.length - 1) continue
        await store(...waiting)
        known.push(...waiting)
        const last = known.at(-1)
        if (again === 'same' && last) await store(last)
        if (again === 'more' || again === 'unplugged') {
          const more = again === 'more' ? speed : { IS_DONGLE_PLUGGED_IN: false }
          await store(sampleAt(dongle, startMs, index, more))
          known.splice(-1, 1, sampleAt(dongle, startMs, index, { ...speed, ...lists, ...more }))
        }
        waiting = []
        expect(shownAsFound(await world.listed(client))).toEqual(
          await incidentsFoundBy(world.api.database, [dongle.id, known]),
        )
      }
      expect(await rebuildDevice(world.api.database, dongle.id, { isCheck: true })).toEqual([])
      found += (await world.listed(client)).length
    }),
    { numRuns: deep(5), endOnFailure: true },
  )
  expect(found).toBeGreaterThan(deep(5))
})

it('what was taken for silence is corrected by the next sample, though the clock was set back since', async () => {
  const { client, dongle, store } = await ruledDongle()
  const startMs = Date.now()
  const speeding = (index: number) => sampleAt(dongle, startMs, index, { VEHICLE_SPEED_AVERAGE: 140 })
  const ends = async () => (await world.listed(client)).map(({ kind, endTimestamp }) => [kind, endTimestamp])
  await store(speeding(0), speeding(1), speeding(2))
  await store(speeding(3))
  expect(await ends()).toEqual([['SPEEDING', null]])
  // As an hour later, which the revisions remember.
  const { writers } = world.api.database
  await writers.query('update incidents set end_time = start_time where device_id = $1', [dongle.id])
  await writers.query(`select setval('revisions', last_value + 3600000000) from revisions`)
  await store(speeding(4))
  expect(await ends()).toEqual([['SPEEDING', null]])
})
