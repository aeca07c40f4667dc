import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { deep } from './deep.ts'
import { everySample } from './sealed-world.ts'
import { UpgradeWorld } from './upgrade-world.ts'

const CARS = 4
const DAYS = 24
const KILLS = deep(3)

it('a process that is killed while it seals loses no sample and doubles none; the next one goes on', async () => {
  await using world = await UpgradeWorld.make()
  const cars = []
  for (let car = 0; car < CARS; car++) cars.push(await world.drivenDongle(280, 2))
  const samples = await everySample(world)

  const countSealed = async () =>
    (await world.database.rows<{ count: number }>(sql`select count(*)::integer as count from sealed_days`))[0]?.count ??
    0
  const reached: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const most = Math.floor((CARS * DAYS) / (KILLS + 1))
    const child = spawn(process.execPath, [inject('sealingProcess'), world.url, `${most}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    await once(child.stdout, 'data')
    await sleep(20 + Math.random() * 150)
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    reached.push(await countSealed())
    expect(await everySample(world)).toEqual(samples)
  }
  expect(reached).toEqual(reached.toSorted((a, b) => a - b))
  const last = spawn(process.execPath, [inject('sealingProcess'), world.url], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await once(last, 'exit')).toEqual([0, null])
  expect(await everySample(world)).toEqual(samples)
  expect(await world.database.rows(sql`select from samples limit 1`)).toEqual([])
  for (const car of cars) expect(await world.differencesOf(car.id)).toEqual([])
})
