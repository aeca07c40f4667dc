import type { Socket } from 'node:net'
import type { BinaryProtocol } from '../../src/gateways/shared/binary/protocol.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { connected, DongleSocket } from '../dongle-socket.ts'

/** The other side of a protocol: what its dongles send, and the answers they must get. */
export interface ProtocolClient {
  readonly protocol: BinaryProtocol
  readonly login: {
    readonly of: (imei: string) => Buffer
    readonly accepted: (imei: string) => Buffer
    readonly refused: Buffer
    /** Invalid logins, by what is wrong with them. */
    readonly wrong: readonly (readonly [why: string, bytes: Buffer])[]
  }
  readonly frame: {
    /** @param samples 1 to 255 of one device, each with a position, a speed or the ignition */
    readonly of: (samples: readonly Sample[]) => Buffer
    /** The same with a wrong bit in its data. */
    readonly damaged: (frame: Buffer) => Buffer
    /** The header before the data. */
    readonly headBytes: number
    /** The first bytes of a frame whose rest is missing, and its length if the header contains it. */
    readonly begun: (byteCount: number, frameBytes: number) => Buffer
    /** The start of a frame that is too long, up to where this shows. */
    readonly tooLong: Buffer
    readonly ofMessage: (text: string) => Buffer
    /** What the log contains of such a message besides its text. */
    readonly messageFields: Readonly<Record<string, number>>
    /** A record of that device with a value whose id has no meaning in the catalogue. */
    readonly withUnknownId: (deviceId: DeviceId, id: number) => Buffer
  }
  readonly acknowledgement: {
    readonly byteCount: number
    /** The number of stored records that it acknowledges. */
    readonly recordsIn: (bytes: Buffer) => number
  }
  readonly keepAlive: { readonly bytes: Buffer; readonly answer: Buffer }
  readonly datagram: {
    /** @param packetId 0 to 65,535 */
    readonly of: (deviceId: DeviceId, packetId: number, samples: readonly Sample[]) => Buffer
    readonly acknowledgement: (packetId: number, records: number) => Buffer
  }
  /** Data after a login that is no packet. */
  readonly outOfStep: Buffer
  /** What an operator sees of it. */
  readonly complaints: { readonly login: RegExp; readonly damaged: RegExp; readonly outOfStep: RegExp }
}

/** A dongle of a protocol, connected. */
export class Dongle extends DongleSocket {
  readonly #client: ProtocolClient

  private constructor(socket: Socket, client: ProtocolClient) {
    super(socket)
    this.#client = client
  }

  static async connect(client: ProtocolClient, port: number): Promise<Dongle> {
    return new Dongle(await connected(port), client)
  }

  /** @throws when the login is refused. */
  static async logIn(client: ProtocolClient, port: number, imei: string): Promise<Dongle> {
    const dongle = await Dongle.connect(client, port)
    dongle.write(client.login.of(imei))
    const accepted = client.login.accepted(imei)
    const answer = await dongle.answer(accepted.length)
    if (!answer.equals(accepted)) throw new Error(`the login of ${imei} was answered ${answer.toString('hex')}`)
    return dongle
  }

  /** The next acknowledgement: a count of records. */
  async acknowledgement(withinMs?: number): Promise<number> {
    const { byteCount, recordsIn } = this.#client.acknowledgement
    return recordsIn(await this.answer(byteCount, withinMs))
  }
}
