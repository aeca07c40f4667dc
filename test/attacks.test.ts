import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Attack } from '../lab/attacks/attack.ts'
import { ATTACKS, type AttackWorld, runAttack, startAttackWorld } from '../lab/attacks/run-attack.ts'
import { SecondTenant } from '../lab/attacks/second-tenant.ts'
import { IS_DEEP } from './deep.ts'
import { placeDatabase } from './serve-process.ts'

/** Whoever is stopped waits for longer; whoever shares a slow machine with an attack of a second does not. */
const LONGEST_WAIT_MS = 50_000

/** What the second tenant had to complain of, and what went wrong with the attack itself. */
async function complaints(world: AttackWorld, attack: Attack): Promise<readonly string[]> {
  const { measurements, failure } = await runAttack(world, attack, IS_DEEP ? 'full' : 'small')
  return [
    ...(failure === undefined ? [] : [`the attack: ${failure}`]),
    ...measurements.flatMap(({ endpoint, phase, count, mostMs, errors }) => [
      ...errors.map(error => `${endpoint}, ${phase}: ${error}`),
      ...(count === 0 ? [`${endpoint}, ${phase}: nothing got through`] : []),
      ...(mostMs > LONGEST_WAIT_MS ? [`${endpoint}, ${phase}: waited ${mostMs} ms`] : []),
    ]),
  ]
}

/** Attacks that need settings of their own, and whose settings do not disturb one another: they share a service. */
const TOGETHER: readonly (readonly string[])[] = [
  ['idle-connections', 'over-quota', 'imei-probe'],
  ['logins-from-many-networks', 'guessed-passwords', 'half-open-connections'],
]

function serviceOf({ name, environment }: Attack): string {
  if (!environment) return 'the standard settings'
  return (TOGETHER.find(names => names.includes(name)) ?? [name]).join(', ')
}

let secondTenant: SecondTenant
beforeAll(() => {
  secondTenant = new SecondTenant(inject('secondTenantProcess'))
})
afterAll(() => secondTenant.stop())

describe.each([...new Set(ATTACKS.map(serviceOf))])('while one tenant attacks, the other one works on: %s', service => {
  const attacks = ATTACKS.filter(attack => serviceOf(attack) === service)
  let world: AttackWorld
  beforeAll(async () => {
    const environment = Object.assign({}, ...attacks.map(attack => attack.environment))
    world = await startAttackWorld({ environment, secondTenant, placeDatabase })
  })
  afterAll(() => world?.stop())

  it.each(attacks)('$name: $what', async attack => {
    expect(await complaints(world, attack)).toEqual([])
  })
})
