import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { longIncidentHistory } from '../../test/any-incident-history.ts'
import { deep } from '../../test/deep.ts'
import { makeSampleStore, storeSealed } from '../../test/sample-store.ts'
import { EVENT_TYPES } from '../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { readAhead } from './read.ts'
import { withRawConnection } from './samples.ts'

let nextDevice = 356307042441013
const store = await makeSampleStore()
afterAll(() => store[Symbol.asyncDispose]())

const wanted = EVENT_TYPES.map(({ id }) => id)

it.each(['in rows', 'in sealed days', 'with late rows beside sealed days'])(
  'reading a history ahead gives all samples %s',
  async how => {
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
        await withRawConnection(store.database.readsOf(store.accountId), async source => {
          for await (const some of readAhead(source, { deviceId, fromMs, toMs }, wanted)) read.push(...some)
        })
        expect(read).toEqual(samples.slice(1, -1))
      }),
      { numRuns: deep(8) },
    )
  },
)
