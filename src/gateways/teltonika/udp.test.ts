import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendDatagram } from '../../../test/teltonika-client.ts'
import { startGateway, type TestGateway } from '../../../test/teltonika-gateway.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { writeUdpPacket } from './codec/write-frame.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway()
})
afterAll(() => test.stop())

const IS_IGNITION_ON = requiredEventType('IS_IGNITION_ON').id
const sampleAt = (deviceId: DeviceId, second: number) =>
  sampleOf(deviceId, Date.UTC(2026, 0, 10) + second * 1000, new Map([[IS_IGNITION_ON, true]]))

const packet = (deviceId: DeviceId, packetId: number, seconds: readonly number[]) =>
  writeUdpPacket(
    { imei: String(deviceId), packetId, avlPacketId: packetId % 256 },
    seconds.map(second => sampleAt(deviceId, second)),
  )

it('a datagram that comes again is answered again and stored once', async () => {
  const deviceId = 350000000000001 as DeviceId
  const bytes = packet(deviceId, 0xcafe, [0, 1, 2])
  const answer = Buffer.from('0005cafe01fe03', 'hex')
  expect(await sendDatagram(test.port, bytes)).toEqual(answer)
  expect(await sendDatagram(test.port, bytes)).toEqual(answer)
  expect(await test.storedSamples(deviceId)).toBe(3)
})

it('many devices at once are each told of their own packet', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const deviceId = (350000000000100 + index) as DeviceId
      return (await sendDatagram(test.port, packet(deviceId, index, [0])))?.readUInt16BE(2)
    }),
  )
  expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => index))
})

it('what is cut short is kept and gets no answer', async () => {
  const bytes = packet(350000000000002 as DeviceId, 7, [0]).subarray(0, -1)
  expect(await sendDatagram(test.port, bytes, 300)).toBeUndefined()
  const [rejected] = await test.rejectedFrames()
  expect(rejected).toMatchObject({ gateway: 'teltonika', sender: '127.0.0.1', bytes })
})
