import { expect, it } from 'vitest'
import type { ProtocolClient } from './client.ts'
import { HTTP_REQUEST, newImei, type SharedDatabase, World, waitLikeADongle } from './world.ts'

/** What an operator sees: metrics, and rejected frames. */
export function testOperatorsView(client: ProtocolClient, database: SharedDatabase): void {
  const world = new World(client, database)
  const { protocol, complaints } = client

  it('what was rejected is kept, with who sent it and why', async () => {
    const own = await world.ownGateway({})
    const deviceId = newImei()
    const dongle = await world.logIn(deviceId, own)
    const wrong = client.frame.damaged(world.frameOf(deviceId, 1, 0))
    dongle.write(wrong)
    await waitLikeADongle()
    dongle.write(client.outOfStep)
    await dongle.ended
    await dongle.close()
    const stranger = await world.connect(own)
    stranger.write(HTTP_REQUEST)
    await stranger.ended
    await stranger.close()
    const from = { gateway: protocol.name, sender: '127.0.0.1' }
    expect(await own.rejectedFrames()).toMatchObject([
      { ...from, device_id: null, why: expect.stringMatching(complaints.login) },
      { ...from, device_id: deviceId, why: expect.stringMatching(complaints.outOfStep) },
      { ...from, device_id: deviceId, why: expect.stringMatching(complaints.damaged), bytes: wrong },
    ])
    expect(await world.metric('frames_total', { outcome: 'broken' }, own)).toBe(2)
    expect(await world.metric('logins_total', { outcome: 'malformed' }, own)).toBe(1)
  })

  it('frames, logins, connections and values without a meaning are counted', async () => {
    const deviceId = newImei()
    const dongle = await world.logIn(deviceId)
    dongle.write(world.frameOf(deviceId, 3, 0))
    expect(await dongle.acknowledgement()).toBe(3)
    for (const id of [60_001, 60_001, 60_002]) {
      dongle.write(client.frame.withUnknownId(deviceId, id))
      expect(await dongle.acknowledgement()).toBe(1)
    }
    expect(await world.metric('frames_total', { transport: 'tcp', outcome: 'stored' })).toBe(4)
    expect(await world.metric('logins_total', { outcome: 'accepted' })).toBe(1)
    expect(await world.metric('connections')).toBe(1)
    const { metric } = protocol.unknownIds
    expect(await world.gateway.metric(metric, { id: '60001' })).toBe(2)
    expect(await world.gateway.metric(metric, { id: '60002' })).toBe(1)
    await dongle.close()
  })
}
