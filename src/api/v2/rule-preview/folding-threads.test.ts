import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { ANY_AREAS, longIncidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { incidentsIn, ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import { makeSampleStore, storeSamples } from '../../../../test/sample-store.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import type { IncidentItem } from '../../../derive/incidents/detector.ts'
import type { DeviceId, Sample } from '../../../model/sample.ts'
import { DAY_MS } from '../../../model/time-range.ts'
import { dayStartMs, sealDay } from '../../../store/index.ts'
import { DEVICES_AT_ONCE, FoldingThreads, type TriedBook, type TriedDevice } from './folding-threads.ts'

const threads = new FoldingThreads()
const store = await makeSampleStore()
const reads = store.database.readsOf(store.accountId)
afterAll(async () => {
  await threads.stop()
  await store[Symbol.asyncDispose]()
})

const byStart = (a: IncidentItem, b: IncidentItem) =>
  a.startMs - b.startMs || `${a.areaId} ${a.detail}`.localeCompare(`${b.areaId} ${b.detail}`)

const CAR = { vehicleId: 1, publicId: 'VIN1' }
let nextDevice = 356307042441013
const periods = (samples: readonly Sample[]) => [
  { fromMs: samples[0]?.timeMs ?? 0, toMs: (samples.at(-1)?.timeMs ?? 0) + 1, ...CAR },
]
const bookOf = (kind: (typeof RULE_KINDS)[number]): TriedBook => {
  const rule = ruleOf(kind.name, parametersOf(kind))
  return { rule, rules: [rule], areas: ANY_AREAS }
}

async function stored(): Promise<{ readonly samples: readonly Sample[]; readonly device: TriedDevice }> {
  const deviceId = (nextDevice += 8) as DeviceId
  const [history = []] = fc.sample(longIncidentHistory(), { numRuns: 1, seed: nextDevice })
  const samples = history.map((sample): Sample => ({ ...sample, deviceId }))
  await storeSamples(store, samples)
  return { samples, device: { deviceId, periods: periods(samples) } }
}

async function foundIn(device: TriedDevice, book: TriedBook, from = reads) {
  const items: IncidentItem[] = []
  for await (const folded of threads.fold({ accountId: store.accountId, reads: from, book, device }))
    items.push(...folded.found.map(({ item }) => item))
  return items.sort(byStart)
}

describe('threads that try rules', () => {
  it('find by each kind what the fold of all samples finds, in rows and in sealed days', async () => {
    // Some of them in one thread.
    const histories = await Promise.all(Array.from({ length: DEVICES_AT_ONCE }, stored))
    for (const { samples, device } of histories.filter((_, index) => index % 2 === 1))
      for (const dayMs of new Set(samples.map(({ timeMs }) => dayStartMs(timeMs))))
        await sealDay(store.database, device.deviceId, { fromMs: dayMs, toMs: dayMs + DAY_MS })
    for (const kind of RULE_KINDS) {
      const book = bookOf(kind)
      const found = await Promise.all(histories.map(history => foundIn(history.device, book)))
      const expected = histories.map(({ samples }) =>
        incidentsIn(rulesOf(book.rules, ANY_AREAS), samples).sort(byStart),
      )
      expect([kind.name, found]).toEqual([kind.name, expected])
    }
  })

  it('fail whoever waits for one with what reading throws, and go on with others', async () => {
    const [kind] = RULE_KINDS
    if (!kind) throw new Error('no kind of rule')
    const { device } = await stored()
    const gone = new Error('nobody waits for it')
    const failing: AccountReads = {
      ...reads,
      rows: () => Promise.reject(gone),
      hold: () => Promise.reject(gone),
    }
    const book = bookOf(kind)
    // With those at once, more than have a place. Each ends its thread.
    for (let times = 0; times < 2; times++) await expect(foundIn(device, book, failing)).rejects.toBe(gone)
    const others = Array.from({ length: DEVICES_AT_ONCE }, (_, index) => (device.deviceId + 8 * index) as DeviceId)
    await Promise.all(
      others.map(deviceId => expect(foundIn({ ...device, deviceId }, book, failing)).rejects.toBe(gone)),
    )
    expect(await foundIn(device, book)).toEqual(await foundIn(device, bookOf(kind)))
  })

  it('are free again when whoever asked stops to ask', async () => {
    const kind = RULE_KINDS.find(({ name }) => name === 'IDLING')
    if (!kind) throw new Error('no such kind of rule')
    const { device } = await stored()
    const order = { accountId: store.accountId, reads, book: bookOf(kind), device }
    for (let times = 0; times < DEVICES_AT_ONCE; times++)
      for await (const folded of threads.fold(order)) {
        expect(folded.samples).toBeGreaterThan(0)
        break
      }
    expect((await foundIn(device, order.book)).length).toBeGreaterThanOrEqual(0)
  })
})
