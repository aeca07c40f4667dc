import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { deep } from './deep.ts'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { followList } from './list-follower.ts'
import { expectNoDifferences } from './rebuild-check.ts'
import { startSenders, untilMoreIsAcknowledged } from './remembering-senders.ts'
import { logIn, type Service, startService, untilReady } from './serve-process.ts'
import { byId, everythingAt, untilAllDerived } from './settled-nodes.ts'
import { expectOnlyWhatWasSent, storedNumbers } from './stored-numbers.ts'
import { FollowedFleet } from './stream-followed.ts'

const NODES = 3
const KILLS = deep(2)
const LISTS = ['vehicles', 'devices', 'trips'] as const

test('of three nodes one and then another dies under load: nothing is lost or twice, trips are right, sync and streams go on', async () => {
  const database = await createTestDatabase()
  const { url } = database
  onTestFinished(() => database.drop())
  const settings = { DATABASE_URL: url, RATE_LIMIT: '1000000', UNKNOWN_DEVICES: 'accept' }
  const places = await Promise.all(
    Array.from({ length: NODES }, async () => ({ folder: await makeTemporaryFolder(), port: await freePort() })),
  )
  const nodes = places.map(({ folder, port }) => startService(folder, port, 0, settings))
  await Promise.all(nodes.map(untilReady))
  const addresses = nodes.map(({ address }) => address)
  const addressAt = (place: number) => addresses[place % NODES] ?? ''
  const token = await logIn(nodes[0]!)

  // All senders send the same numbers, so that nodes store the same at once.
  const senders = addresses.map(address => startSenders(address, token, 2))
  const lists = LISTS.map(name => followList(() => addresses, token, name))
  await Promise.all(senders.map(untilMoreIsAcknowledged))
  // From the beginning, but no events: that is too much here for a client that remembers them all.
  const lastEventId = '1970-01-01T00:00:00.000000Z'
  const stream = new FollowedFleet({ url: addressAt(0), token, lastEventId })
  await stream.connect()
  for (let kill = 0; kill < KILLS; kill++) {
    const at = kill % NODES
    const others = senders.filter((_, index) => index !== at)
    // Not always at the same moment of what they do.
    await sleep((kill * 37) % 100)
    await killNode(nodes[at]!)
    // Its streams are gone; who had one goes on elsewhere.
    stream.cut()
    await eventually(() => stream.connect(addressAt(at + 1)))
    await Promise.all(others.map(untilMoreIsAcknowledged))
    const { folder, port } = places[at]!
    nodes[at] = startService(folder, port, 0, settings)
    await untilReady(nodes[at])
    await untilMoreIsAcknowledged(senders[at]!)
  }
  await Promise.all(senders.map(sender => sender.stop()))

  expect(senders.flatMap(({ violations }) => violations)).toEqual([])
  // It was felt, or nothing was tested.
  for (const { unanswered } of senders.slice(0, KILLS)) expect(unanswered).toBeGreaterThan(0)
  const acknowledged = new Set(senders.flatMap(sender => [...sender.acknowledged]))
  // What one gave up, another may have sent.
  const abandoned = senders
    .flatMap(sender => sender.abandoned)
    .filter(batch => !batch.some(number => acknowledged.has(number)))
  const stored = await storedNumbers(addressAt(0), token)
  for (const address of addresses.slice(1)) expect((await storedNumbers(address, token)).length).toBe(stored.length)
  expectOnlyWhatWasSent(stored, { ...senders[0]!, acknowledged, abandoned })

  await untilAllDerived(url)
  await expectNoDifferences(url)
  for (const [index, name] of LISTS.entries()) {
    const believed = await lists[index]!.finish()
    expect(lists[index]!.answers).toBeGreaterThan(5)
    expect(byId(believed.values())).toEqual(byId(await everythingAt(addressAt(0), token, name)))
  }
  const { believed, listed } = await stream.comparedWithLists('FUEL_LEVEL_PERCENT')
  expect(believed).toEqual(listed)
  stream.cut()
  for (const node of nodes) node.supervisor.kill('SIGTERM')
  for (const node of nodes) expect(await node.exited).toBe(0)
})

/** All of a node at once, as when its machine goes. */
async function killNode(node: Service): Promise<void> {
  for (const part of ['supervisor', 'api', 'intake'] as const) process.kill(node.pidOf(part), 'SIGKILL')
  await node.exited
}
