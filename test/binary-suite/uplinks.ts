import { startGateway } from '../binary-gateway.ts'
import { sendDatagram } from '../dongle-socket.ts'
import { type Answer, type GatewayAdapter, testGateway, type Uplink } from '../gateway-suite.ts'
import type { TestService } from '../service.ts'
import { Dongle, type ProtocolClient } from './client.ts'

/** The suite of all gateways, over both transports. */
export function testUplinks(client: ProtocolClient, portOf: ((service: TestService) => number) | undefined): void {
  const door: Pick<GatewayAdapter, 'door'> = {
    async door(service) {
      if (portOf) return { port: portOf(service), stop: async () => undefined }
      const { databaseUrl, unknownDevices } = service.config
      return startGateway(client.protocol, databaseUrl, { unknownDevices })
    },
  }
  testGateway({
    ...door,
    name: `${client.protocol.name} over TCP`,
    misdated: 'kept apart',
    stranger: 'refused',
    connect: async (_, deviceId, port) => overTcp(client, String(deviceId), port),
  })
  testGateway({
    ...door,
    name: `${client.protocol.name} over UDP`,
    misdated: 'kept apart',
    stranger: 'unanswered',
    async connect(_, deviceId, port) {
      let packetId = 0
      return {
        async send(samples, withinMs) {
          packetId += 1
          const answer = await sendDatagram(port, client.datagram.of(deviceId, packetId, samples), withinMs)
          if (!answer) return 'unanswered'
          return answer.equals(client.datagram.acknowledgement(packetId, samples.length)) ? 'acknowledged' : 'refused'
        },
        close: async () => undefined,
      }
    },
  })
}

/** Like a dongle: reconnects after a broken connection, and sends again what was not acknowledged. */
function overTcp(client: ProtocolClient, imei: string, port: number): Uplink {
  const { refused, accepted } = client.login
  let dongle: Dongle | undefined
  async function logIn(withinMs: number): Promise<'accepted' | 'refused'> {
    dongle = await Dongle.connect(client, port)
    dongle.write(client.login.of(imei))
    const begin = await dongle.answer(refused.length, withinMs)
    if (begin.equals(refused)) return 'refused'
    const answer = Buffer.concat([begin, await dongle.answer(accepted(imei).length - begin.length, withinMs)])
    if (!answer.equals(accepted(imei))) throw new Error(`the login was answered ${answer.toString('hex')}`)
    return 'accepted'
  }
  return {
    async send(samples, withinMs): Promise<Answer> {
      try {
        if (!dongle && (await logIn(withinMs)) === 'refused') return 'refused'
        dongle?.write(client.frame.of(samples))
        const acknowledged = await dongle?.acknowledgement(withinMs)
        if (acknowledged === samples.length) return 'acknowledged'
        throw new Error(`${acknowledged} of ${samples.length} records were acknowledged`)
      } catch {
        await dongle?.close()
        dongle = undefined
        return 'unanswered'
      }
    },
    close: async () => dongle?.close(),
  }
}
