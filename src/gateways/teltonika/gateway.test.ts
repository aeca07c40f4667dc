import { type Answer, testGateway } from '../../../test/gateway-suite.ts'
import { connectTeltonika, sendDatagram, type TeltonikaClient } from '../../../test/teltonika-client.ts'
import { loginPacket, writeTcpFrame, writeUdpPacket } from './codec/write-frame.ts'

testGateway({
  name: 'Teltonika over TCP',
  misdated: 'kept apart',
  stranger: 'refused',
  async connect({ teltonikaPort }, deviceId) {
    let client: TeltonikaClient | undefined
    // As a dongle does it: a connection that broke is made anew, and what was not acknowledged is sent again.
    const logIn = async (withinMs: number): Promise<number | undefined> => {
      client = await connectTeltonika(teltonikaPort)
      client.write(loginPacket(String(deviceId)))
      return (await client.answer(1, withinMs))[0]
    }
    return {
      async send(samples, withinMs): Promise<Answer> {
        try {
          if (!client && (await logIn(withinMs)) === 0) return 'refused'
          client?.write(writeTcpFrame(samples))
          const acknowledged = await client?.acknowledgement(withinMs)
          if (acknowledged === samples.length) return 'acknowledged'
          throw new Error(`${acknowledged} of ${samples.length} records were acknowledged`)
        } catch {
          await client?.close()
          client = undefined
          return 'unanswered'
        }
      },
      close: async () => client?.close(),
    }
  },
})

testGateway({
  name: 'Teltonika over UDP',
  misdated: 'kept apart',
  stranger: 'unanswered',
  async connect({ teltonikaPort }, deviceId) {
    let packetId = 0
    return {
      async send(samples, withinMs) {
        packetId += 1
        const packet = { imei: String(deviceId), packetId, avlPacketId: packetId }
        const answer = await sendDatagram(teltonikaPort, writeUdpPacket(packet, samples), withinMs)
        if (!answer) return 'unanswered'
        const isRight = answer.equals(Buffer.of(0, 5, 0, packetId, 1, packetId, samples.length))
        return isRight ? 'acknowledged' : 'refused'
      },
      close: async () => undefined,
    }
  },
})
