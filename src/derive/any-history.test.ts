import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { chance } from '../../lab/simulation/chance.ts'
import { deep } from '../../test/deep.ts'
import { makeOutdated, OLDER_RULES, type OlderRulesName } from '../../test/older-rules.ts'
import { anyScenario, type Scenario, uploadsOf } from '../../test/order/scenario.ts'
import { interleaved, type Packet, packetsOf } from '../../test/order/uploads.ts'
import { UpgradeWorld } from '../../test/upgrade-world.ts'
import { sql } from '../db/sql.ts'
import type { DeviceId } from '../model/sample.ts'
import { readWrongAccountDays, refreshAccountDays } from './days/account-days.ts'
import { deriveDevice } from './derive.ts'

const numRuns = deep(3)

const world = await UpgradeWorld.make()
afterAll(() => world[Symbol.asyncDispose]())

/** What arrives only when histories are folded again. */
interface Meanwhile {
  /** Share of the samples that are the newest. */
  readonly live: number
  /** Share of the packets before that are late. */
  readonly late: number
  readonly packetSize: number
}

const anyMeanwhile: fc.Arbitrary<Meanwhile> = fc.record({
  live: fc.constantFrom(0, 0.2, 0.5),
  late: fc.constantFrom(0, 0.1),
  packetSize: fc.constantFrom(7, 40),
})
/** Of each dongle of a scenario. */
const anyRules = fc.array(fc.constantFrom(...(Object.keys(OLDER_RULES) as OlderRulesName[])), {
  minLength: 3,
  maxLength: 3,
})

/** Stores what came before. @returns what comes meanwhile. */
async function storeBefore(scenario: Scenario, { live, late, packetSize }: Meanwhile) {
  const { inOrder } = uploadsOf(scenario, { firstDevice: world.newDevices(scenario.dongles.length) })
  const meanwhile: Packet[][] = []
  for (const samples of inOrder) {
    const before = samples.slice(0, Math.ceil(samples.length * (1 - live)))
    const packets = packetsOf(before, packetSize)
    const delayed = packets.filter((_, i) => i > 0 && chance(scenario.seed, i, 5) < late)
    await world.store(packets.filter(packet => !delayed.includes(packet)).flat())
    meanwhile.push(packetsOf(samples.slice(before.length), packetSize), delayed)
  }
  const deviceIds = inOrder.flatMap(samples => samples[0]?.deviceId ?? [])
  await settleAll(deviceIds)
  return { deviceIds, meanwhile: interleaved(meanwhile, scenario.seed) }
}

async function settleAll(deviceIds: readonly DeviceId[]): Promise<void> {
  for (const deviceId of deviceIds) await deriveDevice(world.database, deviceId)
}

/** Nobody ever sees two trips of one dongle at once, whatever rules made them. */
async function expectNoOverlap(deviceIds: readonly DeviceId[]): Promise<void> {
  const overlaps = await world.database.rows(sql`
    select a.device_id, a.id, a.start_time, a.end_time, b.id as other, b.start_time as other_start
    from trips_now a join trips_now b on b.device_id = a.device_id and b.id <> a.id
      and b.start_time >= a.start_time and b.start_time < a.end_time
    where a.device_id = any(${deviceIds}::bigint[]) and a.deleted is null and b.deleted is null`)
  expect(overlaps).toEqual([])
}

it('any history ends as if it had been folded by the current rules, whatever arrives meanwhile', {
  timeout: 300_000 + numRuns * 5000,
}, async () => {
  let stretches = 0
  let histories = 0
  const property = fc.asyncProperty(anyScenario, anyRules, anyMeanwhile, async (scenario, rules, arriving) => {
    const { deviceIds, meanwhile } = await storeBefore(scenario, arriving)
    for (const [i, deviceId] of deviceIds.entries())
      await makeOutdated(world.database, deviceId, rules[i] ?? 'the same')
    histories += deviceIds.length

    const between = async () => {
      await expectNoOverlap(deviceIds)
      const packet = meanwhile.shift()
      const deviceId = packet?.[0]?.deviceId
      if (!packet || deviceId === undefined) return
      await world.store(packet)
      if (chance(scenario.seed, meanwhile.length, 6) < 0.5) await deriveDevice(world.database, deviceId)
    }
    await world.refold({ between, written: () => void stretches++ })
    while (meanwhile.length > 0) await between()
    await settleAll(deviceIds)

    for (const deviceId of deviceIds) expect(await world.differencesOf(deviceId)).toEqual([])
    while (await refreshAccountDays(world.database));
    expect(await readWrongAccountDays(world.database)).toEqual([])
  })
  await fc.assert(property, { numRuns, endOnFailure: true })
  // Otherwise none of them was cut.
  expect(stretches).toBeGreaterThan(histories)
})
