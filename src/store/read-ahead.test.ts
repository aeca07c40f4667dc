import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longIncidentHistory } from '../../test/any-incident-history.ts'
import { deep } from '../../test/deep.ts'
import { makeSampleStore, type SampleStore, storeSealed } from '../../test/sample-store.ts'
import { EVENT_TYPES } from '../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { historySourceOf } from './history-source.ts'
import { readAhead } from './read-ahead.ts'
import { WantedTypes } from './runs/wanted-types.ts'

let store: SampleStore
let nextDevice = 356307042441013
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

const wanted = new WantedTypes(EVENT_TYPES.map(({ id }) => id))

const USUAL = undefined
const FEW = { weeks: 1, most: 7, first: 5 }

describe('reading a history ahead', () => {
  it.each([
    ['in rows', USUAL],
    ['in sealed days', USUAL],
    ['with late rows beside sealed days', USUAL],
    ['in rows of a dongle that reports often', FEW],
    ['with late rows of such a dongle beside sealed days', FEW],
  ])('gives all samples %s', async (how, portion) => {
    await fc.assert(
      fc.asyncProperty(longIncidentHistory(), async history => {
        const deviceId = (nextDevice += 8) as DeviceId
        const samples = history.map((sample): Sample => ({ ...sample, deviceId }))
        await storeSealed(store, samples, {
          sealed: days => (how.startsWith('in rows') ? [] : days),
          isLate: index => how.startsWith('with late rows') && index % 3 === 0,
        })
        const [fromMs, toMs] = [samples[1]?.timeMs ?? 0, samples.at(-1)?.timeMs ?? 0]
        const read: Sample[] = []
        const source = historySourceOf(store.database.readsOf(store.accountId))
        for await (const some of readAhead(source, { deviceId, fromMs, toMs }, wanted, portion))
          for (let sample = some.next(); sample; sample = some.next())
            read.push({ ...sample, numbers: [...sample.numbers] })
        expect(read).toEqual(samples.slice(1, -1))
      }),
      { numRuns: deep(8) },
    )
  })
})
