import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packetsOf } from '../../src/simulation/uploads/packets.ts'
import { startService, type TestService } from '../service.ts'
import { type Looks, looksOf } from './looks.ts'
import { anyScenario, type Scenario, uploadsOf } from './scenario.ts'
import { send } from './send.ts'
import { settled } from './settled.ts'

/** Runs of each property; more for a night of searching. */
const numRuns = Number(process.env.ORDER_RUNS ?? 8)
/** The scenario of a failure, to run it again: the JSON that the failure prints as its counterexample. */
const again = process.env.ORDER_SCENARIO
const FIRST_DEVICE = 352_000_000_000_000
const RUN_MS = 120_000

describe('drives uploaded in any order', () => {
  let inOrder: TestService
  let anyhow: TestService
  let nodes: readonly string[]
  let runs = 0

  beforeAll(async () => {
    ;[inOrder, anyhow] = await Promise.all([startService(), startService()])
    nodes = [anyhow.intakeUrl, await anyhow.secondIntake()]
  })
  afterAll(async () => {
    await inOrder.stop()
    await anyhow.stop()
  })

  /** Uploads the same drives in order and as the scenario says, each to a service of its own, into a new account. */
  async function bothLooks(scenario: Scenario): Promise<{ expected: Looks; actual: Looks }> {
    const run = runs++
    const uploads = uploadsOf(scenario, FIRST_DEVICE + run * 10)
    const look = async (service: TestService, upload: (key: string) => Promise<void>) => {
      const key = await service.key(`Fleet ${run}`)
      await upload(key)
      await settled(service.database)
      return looksOf(service.baseUrl, key)
    }
    const [expected, actual] = await Promise.all([
      look(inOrder, async key => {
        for (const samples of uploads.inOrder)
          await send(packetsOf(samples, 50), { urls: [inOrder.intakeUrl], key, connections: 1 })
      }),
      look(anyhow, key => send(uploads.packets, { urls: nodes, key, connections: scenario.connections })),
    ])
    return { expected, actual }
  }

  it(
    'end in the same trips, addresses, statistics, fault codes and latest values',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyScenario, async scenario => {
          try {
            const { expected, actual } = await bothLooks(scenario)
            expect(actual).toEqual(expected)
          } catch (error) {
            console.error(`Run it again: ORDER_SCENARIO='${JSON.stringify(scenario)}' npx vitest run test/order`)
            throw error
          }
        }),
        // A failing run takes seconds, so nothing is shrunk: the scenario is small enough.
        { endOnFailure: true, ...(again ? { examples: [[JSON.parse(again) as Scenario]], numRuns: 1 } : { numRuns }) },
      )
    },
    RUN_MS,
  )
})
