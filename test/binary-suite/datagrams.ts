import { expect, it } from 'vitest'
import { sendDatagram } from '../dongle-socket.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, type SharedDatabase, World } from './world.ts'

/** The same over UDP. */
export function testDatagrams(client: ProtocolClient, database: SharedDatabase): void {
  const world = new World(client, database)
  const { acknowledgement } = client.datagram

  it('a datagram that comes again is answered again and stored once', async () => {
    const deviceId = newImei()
    const bytes = world.datagramOf(deviceId, 0xcafe, [0, 1, 2])
    const answer = acknowledgement(0xcafe, 3)
    expect(await sendDatagram(world.gateway.port, bytes)).toEqual(answer)
    expect(await sendDatagram(world.gateway.port, bytes)).toEqual(answer)
    expect(await world.gateway.storedSamples(deviceId)).toBe(3)
    expect(await world.metric('frames_total', { transport: 'udp', outcome: 'stored' })).toBe(2)
  })

  it('many devices at once are each told of their own packet', async () => {
    const packetIds = Array.from({ length: 100 }, (_, index) => index)
    const answers = await Promise.all(
      packetIds.map(packetId => sendDatagram(world.gateway.port, world.datagramOf(newImei(), packetId, [0]))),
    )
    expect(answers).toEqual(packetIds.map(packetId => acknowledgement(packetId, 1)))
  })

  it('a datagram of a stranger gets no answer where strangers may not join', async () => {
    const own = await world.ownGateway({ unknownDevices: 'reject' })
    const deviceId = newImei()
    expect(await sendDatagram(own.port, world.datagramOf(deviceId, 7, [0]), 300)).toBeUndefined()
    expect(await world.metric('frames_total', { transport: 'udp', outcome: 'refused' }, own)).toBe(1)
    expect(await own.rejectedFrames()).toMatchObject([{ gateway: client.protocol.name, device_id: deviceId }])
  })

  it('what is cut short is kept and gets no answer', async () => {
    const own = await world.ownGateway({})
    const bytes = world.datagramOf(newImei(), 7, [0]).subarray(0, -1)
    expect(await sendDatagram(own.port, bytes, 300)).toBeUndefined()
    const [rejected] = await own.rejectedFrames()
    expect(rejected).toMatchObject({ gateway: client.protocol.name, sender: '127.0.0.1', bytes })
  })
}
