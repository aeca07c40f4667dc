import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { deep } from '../deep.ts'
import { startService, type TestService } from '../service.ts'
import { settled } from '../settled.ts'
import { looksOf } from './looks.ts'
import { anyScenario, type Scenario, uploadsOf } from './scenario.ts'
import { send } from './send.ts'
import { byStart, countingAtOnce, shownTrips } from './shown-trips.ts'
import { packetsOf } from './uploads.ts'

/** Runs of each property. */
const numRuns = deep(1)
/** The scenario of a failure, to run it again: the JSON that the failure prints as its counterexample. */
const again = process.env.ORDER_SCENARIO
const FIRST_DEVICE = 352_000_000_000_000
/** Of each property. */
const RUN_MS = 300_000 + numRuns * 10_000

let inOrder: TestService
let anyhow: TestService

;[inOrder, anyhow] = await Promise.all([startService(), startService()])
const nodes = [anyhow.intakeUrl, await anyhow.secondIntake()]
afterAll(async () => {
  await inOrder.stop()
  await anyhow.stop()
})

describe('drives uploaded in any order', () => {
  let runs = 0

  /** Uploads the same drives in order and as the scenario says, each to a service of its own, into a new account. */
  async function looksAfter(scenario: Scenario, untilMs?: number) {
    const run = runs++
    const uploads = uploadsOf(scenario, {
      firstDevice: FIRST_DEVICE + run * 10,
      ...(untilMs !== undefined && { untilMs }),
    })
    const look = async (service: TestService, upload: (key: string) => Promise<void>) => {
      const key = await service.key(`Fleet ${run}`)
      await upload(key)
      await settled(service.database)
      return looksOf(service, key)
    }
    const [expected, actual] = await Promise.all([
      look(inOrder, async key => {
        for (const samples of uploads.inOrder)
          await send(packetsOf(samples, 50), { urls: [inOrder.intakeUrl], key, connections: 1 })
      }),
      look(anyhow, async key => {
        for (const part of uploads.parts) {
          await send(part, { urls: nodes, key, connections: scenario.connections })
          await settled(anyhow.database)
        }
      }),
    ])
    const atOnce = await countingAtOnce(inOrder.database, uploads.inOrder)
    return { expected, actual, atOnce: atOnce.sort(byStart) }
  }

  async function expectForAny(expectFor: (scenario: Scenario) => Promise<void>, runsOfIt: number): Promise<void> {
    const property = fc.asyncProperty(anyScenario, async scenario => {
      try {
        await expectFor(scenario)
      } catch (error) {
        console.error(`Run it again: ORDER_SCENARIO='${JSON.stringify(scenario)}' npx vitest run test/order`)
        throw error
      }
    })
    // A failing run takes seconds, so nothing is shrunk: a scenario is small enough.
    const options = again
      ? { examples: [[JSON.parse(again) as Scenario] as [Scenario]], numRuns: 1 }
      : { numRuns: runsOfIt }
    await fc.assert(property, { ...options, endOnFailure: true })
  }

  it('end in the same trips, addresses, statistics, fault codes and latest values', { timeout: RUN_MS }, () =>
    expectForAny(async scenario => {
      const { expected, actual, atOnce } = await looksAfter(scenario)
      expect(shownTrips(expected['/trips?maxResults=10000']).sort(byStart)).toEqual(atOnce)
      expect(actual).toEqual(expected)
    }, numRuns),
  )

  it('end in the same while cars drive', { timeout: RUN_MS }, () =>
    expectForAny(
      async scenario => {
        const { expected, actual, atOnce } = await looksAfter(scenario, Date.now())
        expect(shownTrips(expected['/trips?maxResults=10000']).sort(byStart)).toEqual(atOnce)
        expect(actual).toEqual(expected)
      },
      Math.ceil(numRuns / 3),
    ),
  )
})
