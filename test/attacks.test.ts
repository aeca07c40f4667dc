import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Attack } from '../bench/attacks/attack.ts'
import { ATTACKS } from '../bench/attacks/list.ts'
import { runAttack } from '../bench/attacks/run-attack.ts'
import { type AttackWorld, startAttackWorld } from '../bench/attacks/world.ts'
import { IS_DEEP } from './deep.ts'
import { buildProgram } from './serve-process.ts'

// Machines that run tests do other things at the time: whoever is stopped waits for much longer than this.
const LONGEST_WAIT_MS = 10_000

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

beforeAll(buildProgram)

/** What the second tenant had to complain of, and what went wrong with the attack itself. */
async function complaints(world: AttackWorld, attack: Attack): Promise<readonly string[]> {
  const { measurements, failure } = await runAttack(world, attack, IS_DEEP ? 'full' : 'small')
  return [
    ...(failure === undefined ? [] : [`the attack: ${failure}`]),
    ...measurements.flatMap(({ door, phase, count, mostMs, errors }) => [
      ...errors.map(error => `${door}, ${phase}: ${error}`),
      ...(count === 0 ? [`${door}, ${phase}: nothing got through`] : []),
      ...(mostMs > LONGEST_WAIT_MS ? [`${door}, ${phase}: waited ${mostMs} ms`] : []),
    ]),
  ]
}

describe('while one tenant attacks, the other one works on', () => {
  let world: AttackWorld
  beforeAll(async () => {
    world = await startAttackWorld()
  })
  afterAll(() => world.stop())

  it.each(ATTACKS.filter(attack => !attack.environment))('$name: $what', async attack => {
    expect(await complaints(world, attack)).toEqual([])
  })
})

const withSettings = ATTACKS.filter(attack => attack.environment)

describe.runIf(withSettings.length > 0)('the same with settings of their own', () => {
  it.each(withSettings)('$name: $what', async attack => {
    const world = await startAttackWorld(attack.environment)
    try {
      expect(await complaints(world, attack)).toEqual([])
    } finally {
      await world.stop()
    }
  })
})
