import { expect, it } from 'vitest'
import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { setQuota } from '../../src/db/account-quotas.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { admitDevices } from '../../src/fleet/with-consequences.ts'
import { eventually } from '../eventually.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, type SharedDatabase, World } from './world.ts'

/** Senders that exceed the quota of their account. */
export function testOverQuota(client: ProtocolClient, shared: SharedDatabase): void {
  // One frame of the greedy dongle uses up the quota of minutes, one of the modest dongle hardly any.
  const world = new World(client, shared, { eventsPerMinute: 100 })
  const [GREEDY, MODEST] = [newImei(), newImei()]

  it('a dongle whose account is over its quota keeps its records, and that of another account is acknowledged', async () => {
    const { database } = world.gateway
    const greedyAccountId = await writeTransaction(database, async transaction => {
      const { id: firstAccountId } = await ensureFirstAccount(transaction)
      const { id: greedyId } = await ensureAccount(transaction, 'Greedy')
      const { id: modestId } = await ensureAccount(transaction, 'Modest')
      const devices = [
        { deviceId: GREEDY, accountId: greedyId },
        { deviceId: MODEST, accountId: modestId },
      ]
      await admitDevices(transaction, devices, { firstAccountId })
      return greedyId
    })
    const greedy = await world.logIn(GREEDY)
    greedy.write(world.frameOf(GREEDY, 200, 0))
    expect(await greedy.acknowledgement()).toBe(200)
    const kept = world.frameOf(GREEDY, 3, 1000)
    greedy.write(kept)
    await greedy.ended
    expect(greedy.unread).toBe(0)
    await greedy.close()
    // It reconnects and repeats what was not acknowledged, again and again.
    for (let second = 0; second < 5; second++) {
      const again = await world.logIn(GREEDY)
      const modest = await world.logIn(MODEST)
      again.write(kept)
      modest.write(world.frameOf(MODEST, 1, second))
      expect(await modest.acknowledgement()).toBe(1)
      await again.ended
      expect(again.unread).toBe(0)
      for (const dongle of [again, modest]) await dongle.close()
    }
    expect(await world.gateway.storedSamples(GREEDY)).toBe(200)
    expect(await world.gateway.storedSamples(MODEST)).toBe(5)
    await writeTransaction(database, transaction =>
      setQuota(transaction, greedyAccountId, { eventsPerMinute: 'none', volumeMb: undefined }),
    )
    // Quotas are read from time to time.
    world.gateway.clock.advance(5000)
    await eventually(async () => {
      const last = await world.logIn(GREEDY)
      try {
        last.write(kept)
        expect(await last.acknowledgement()).toBe(3)
      } finally {
        await last.close()
      }
    })
    expect(await world.gateway.storedSamples(GREEDY)).toBe(203)
  })
}
