import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import type { Sample } from '../../src/model/sample.ts'
import type { TestClient } from '../api.ts'
import { deep, IS_DEEP } from '../deep.ts'
import type { Dongle } from '../dongle.ts'
import type { Values } from '../sample-with.ts'
import { everythingOf, syncOneByOne } from '../sync-client.ts'
import { incidentsFoundBy, shownAsFound } from './found-by.ts'
import { IncidentWorld, type ShownIncident, WORLD_START_MS } from './incident-world.ts'

const world = await IncidentWorld.make()
afterAll(() => world[Symbol.asyncDispose]())

const HOURS = 30
const minute = (at: number) => new Date(WORLD_START_MS + at * 60_000).toISOString()

/** What is going on with a car from some minute on. */
interface Episode {
  readonly fromMinute: number
  readonly kmh: number
  readonly isOn: boolean
  readonly samples: number
  readonly stepMinutes: number
}

const anyEpisodes: fc.Arbitrary<readonly Episode[]> = fc.array(
  fc.record({
    fromMinute: fc.integer({ min: 0, max: HOURS * 60 }),
    kmh: fc.constantFrom(0, 0, 60, 90, 110, 140),
    isOn: fc.constantFrom(true, true, true, false),
    samples: fc.integer({ min: 1, max: 12 }),
    stepMinutes: fc.constantFrom(0.25, 0.5, 1, 5),
  }),
  { minLength: 4, maxLength: 12 },
)

/** @param more what this dongle measures, too; one of several is some seconds behind the others */
function samplesOf(dongle: Dongle, episodes: readonly Episode[], behindMinutes = 0, more: Values = {}): Sample[] {
  const byTime = new Map<number, Sample>()
  for (const { fromMinute, kmh, isOn, samples, stepMinutes } of episodes)
    for (let step = 0; step < samples; step++) {
      const at = fromMinute + step * stepMinutes + behindMinutes
      const sample = dongle.driving(at, {
        IS_IGNITION_ON: isOn,
        VEHICLE_SPEED_AVERAGE: isOn ? kmh : 0,
        ENGINE_STATE: isOn,
        ...more,
      })
      byTime.set(sample.timeMs, sample)
    }
  return [...byTime.values()]
}

/** A rule that is saved, an area that is drawn, or a dongle that is put into another car, while samples arrive. */
const anyWish = fc.record({
  kind: fc.constantFrom('SPEEDING', 'IDLING', 'OFFLINE', 'AREA_STAYED', 'area', 'move'),
  level: fc.integer({ min: 1, max: 9 }),
  fromMinute: fc.oneof(fc.constant(-10), fc.integer({ min: -10, max: HOURS * 60 })),
})

/** The cars drive north, 0.0054 degrees a minute. */
const areaOf = ({ level, fromMinute }: { readonly level: number; readonly fromMinute: number }) => ({
  name: 'on the way',
  geometry: { type: 'Point', coordinates: [11.6, 48.1 + level * 0.3] },
  radiusM: level * 5000,
  validFromTimestamp: minute(fromMinute),
})

const wishOf = ({ kind, level, fromMinute }: { kind: string; level: number; fromMinute: number }) => ({
  name: 'a rule',
  kind,
  parameters: {
    ...(kind === 'SPEEDING' && { limitKmh: 60 + level * 8 }),
    ...(kind === 'IDLING' && { forMinutes: level }),
    ...(kind === 'OFFLINE' && { forMinutes: level * 60 }),
    ...(kind === 'AREA_STAYED' && { longerThanMinutes: level }),
  },
  fromTimestamp: minute(fromMinute),
})

/** The trip of an incident is found when it is read, and may change without it (docs/adr/0034, 7). */
const withoutTrips = (incidents: ReadonlyMap<string, ShownIncident>) =>
  new Map([...incidents].map(([id, incident]) => [id, { ...incident, tripId: null }]))

let accounts = 0
async function newAccount(): Promise<TestClient> {
  return world.api.client(`Fleet ${++accounts}`)
}

it('incidents follow from samples and rules alone, whatever the order in which samples arrive and rules change', {
  timeout: 300_000 + deep(3) * 12_000,
}, async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(
      anyEpisodes,
      fc.array(anyWish, { minLength: 1, maxLength: 6 }),
      fc.record({ isBeside: fc.boolean(), behindMinutes: fc.constantFrom(0, 0.1, 2), hasOdometer: fc.boolean() }),
      fc.infiniteStream(fc.nat()),
      async (episodes, wishes, second, chance) => {
        const next = () => chance.next().value ?? 0
        const client = await newAccount()
        const first = await world.dongle(client)
        const other = await (second.isBeside ? world.dongleBeside(client, first) : world.dongle(client))
        const dongles = [first, other]
        const told = [
          [first.id, samplesOf(first, episodes)],
          [
            other.id,
            samplesOf(
              other,
              second.isBeside ? episodes : episodes.slice(0, 3),
              second.behindMinutes,
              second.hasOdometer ? { MILEAGE: 1000 } : {},
            ),
          ],
        ] as const
        const shuffled = told
          .flatMap(([, samples]) => samples)
          .map(sample => ({ sample, place: next() }))
          .sort((a, b) => a.place - b.place)
          .map(({ sample }) => sample)
        const waiting = [...wishes]
        const rules: string[] = []
        const areas: string[] = []
        const changeRules = async () => {
          const wish = waiting.shift()
          if (!wish) return
          if (wish.kind === 'move') {
            const [moved, to] = [dongles[next() % 2] ?? first, dongles[next() % 2] ?? first]
            await world.move(moved, to.imei, wish.fromMinute)
            return
          }
          if (wish.kind === 'area') {
            const known = areas[next() % 2]
            const [method, path] =
              known === undefined ? (['POST', '/areas'] as const) : (['PUT', `/areas/${known}`] as const)
            const reply = await client.send(method, path, areaOf(wish))
            if (reply.statusCode !== (known === undefined ? 201 : 200)) throw new Error(reply.body)
            if (known === undefined) areas.push(reply.json<{ id: string }>().id)
            return
          }
          const known = rules[next() % 3]
          if (known === undefined) rules.push(await world.createRule(client, wishOf(wish)))
          else await client.send('PUT', `/rules/${known}`, wishOf(wish))
        }
        let isDone = false
        const synced = syncOneByOne<ShownIncident>(client, '/incidents', () => isDone)
        for (let sent = 0; sent < shuffled.length; ) {
          const count = 1 + (next() % 12)
          // Sent again, they change nothing.
          await world.send(...shuffled.slice(Math.max(0, sent - (next() % 3)), sent + count))
          sent += count
          if (next() % 3 === 0) await changeRules()
          if (next() % 3 === 0) await world.settle({ chunk: 7, samples: 10, rows: 5 })
        }
        while (waiting.length > 0) await changeRules()
        await world.settle()
        const listed = await world.listed(client)
        found += listed.length
        expect(shownAsFound(listed)).toEqual(await incidentsFoundBy(world.api.database, ...told))
        for (const { id } of dongles) expect(await rebuildDevice(world.api.database, id, { isCheck: true })).toEqual([])
        isDone = true
        expect(withoutTrips(await synced)).toEqual(withoutTrips(await everythingOf(client, '/incidents')))
      },
    ),
    // The suite looks at the same cases each time; deep runs search for others.
    { numRuns: deep(3), endOnFailure: true, ...(IS_DEEP ? {} : { seed: 23 }) },
  )
  expect(found).toBeGreaterThan(deep(2))
})

it('a changed rule waits for whoever may have read the rules before, and has written nothing yet', async () => {
  const client = await newAccount()
  const dongle = await world.dongle(client)
  await world.send(dongle.driving(60), dongle.driving(60.5))
  const deriving = await world.api.database.writers.connect()
  const progress = async () => (await client.get('/rules/progress')).json<object>()
  try {
    await deriving.query('begin')
    await world.createRule(client, { kind: 'SPEEDING', parameters: { limitKmh: 30 }, fromTimestamp: minute(-1) })
    await world.refoldOnce()
    expect(await progress()).toMatchObject({ isDone: false, changesWaiting: 1 })
  } finally {
    await deriving.query('rollback')
    deriving.release()
  }
  await world.refoldByRules()
  expect(await progress()).toMatchObject({ isDone: true, changesWaiting: 0 })
  expect(await world.listed(client)).toHaveLength(1)
})

it('a rule that is saved while samples are derived judges all of them', async () => {
  const client = await newAccount()
  const dongles = [await world.dongle(client), await world.dongle(client)]
  const speeding = (dongle: Dongle, hour: number) =>
    [80, 120, 130, 120, 80].map((kmh, step) => dongle.driving(hour * 60 + step / 2, { VEHICLE_SPEED_AVERAGE: kmh }))
  const sending = Array.from({ length: 12 }, (_, hour) =>
    dongles.map(dongle => () => world.send(...speeding(dongle, hour))),
  ).flat()
  const saving = (async () => {
    for (let level = 0; level < 4; level++)
      await world.createRule(client, {
        kind: 'SPEEDING',
        parameters: { limitKmh: 95 + level },
        fromTimestamp: minute(-1),
      })
  })()
  await Promise.all([saving, ...sending.map(send => send())])
  await world.settle()
  expect(await world.listed(client)).toHaveLength(2 * 12 * 4)
  for (const dongle of dongles)
    expect(await rebuildDevice(world.api.database, dongle.id, { isCheck: true })).toEqual([])
})
