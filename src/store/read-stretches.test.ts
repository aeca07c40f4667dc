import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longIncidentHistory } from '../../test/any-incident-history.ts'
import { deep } from '../../test/deep.ts'
import { makeSampleStore, type SampleStore, storeSealed } from '../../test/sample-store.ts'
import { EVENT_TYPES } from '../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { isIn } from '../model/time-range.ts'
import { historySourceOf } from './history-source.ts'
import { readStretches } from './read-stretches.ts'
import { WantedTypes } from './runs/wanted-types.ts'

let store: SampleStore
let nextDevice = 356307042441013
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

const wanted = new WantedTypes(EVENT_TYPES.map(({ id }) => id))
const STRETCH_MS = 45 * 60_000
const APART_MS = 10 * 60_000

describe('reading stretches together', () => {
  it.each(['in rows', 'of which some days are sealed', 'with late rows beside sealed days'])(
    'gives all samples of each %s',
    async how => {
      await fc.assert(
        fc.asyncProperty(longIncidentHistory(), async history => {
          const deviceId = (nextDevice += 8) as DeviceId
          const samples = history.map((sample): Sample => ({ ...sample, deviceId }))
          await storeSealed(store, samples, {
            sealed: days => (how === 'in rows' ? [] : days.slice(0, Math.ceil(days.length / 2))),
            isLate: index => how.startsWith('with late rows') && index % 3 === 0,
          })
          const [startMs, endMs] = [samples[0]?.timeMs ?? 0, samples.at(-1)?.timeMs ?? 0]
          const stretches = Array.from({ length: 40 }, (_, index) => {
            const fromMs = startMs + index * (STRETCH_MS + APART_MS)
            return { fromMs, toMs: fromMs + STRETCH_MS }
          }).concat({ fromMs: Math.max(endMs - STRETCH_MS, startMs + 40 * (STRETCH_MS + APART_MS)), toMs: endMs + 1 })
          const source = historySourceOf(store.database.readsOf(store.accountId))
          const read = await readStretches(source, deviceId, stretches, wanted)
          const ofStretches = read?.map(cursor => {
            const own: Sample[] = []
            for (let sample = cursor.next(); sample; sample = cursor.next())
              own.push({ ...sample, numbers: [...sample.numbers] })
            return own
          })
          expect(ofStretches).toEqual(stretches.map(stretch => samples.filter(({ timeMs }) => isIn(stretch, timeMs))))
        }),
        { numRuns: deep(8) },
      )
    },
  )
})
