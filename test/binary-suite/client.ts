import type { Socket } from 'node:net'
import type { BinaryProtocol } from '../../src/gateways/shared/binary/protocol.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { connected, DongleSocket } from '../dongle-socket.ts'

/** The other side of a protocol: what its dongles send, and what they must hear. */
export interface ProtocolClient {
  readonly protocol: BinaryProtocol
  readonly login: {
    readonly of: (imei: string) => Buffer
    readonly accepted: (imei: string) => Buffer
    readonly refused: Buffer
    /** What is no login, by what is wrong with it. */
    readonly wrong: readonly (readonly [why: string, bytes: Buffer])[]
  }
  readonly frame: {
    /** @param samples 1 to 255 of one device, each with a position, a speed or the ignition */
    readonly of: (samples: readonly Sample[]) => Buffer
    /** The same with a wrong bit in its data. */
    readonly damaged: (frame: Buffer) => Buffer
    /** What stands before the data. */
    readonly headBytes: number
    /** The first bytes of a frame whose rest has not come, and how long it will be where its head tells that. */
    readonly begun: (byteCount: number, frameBytes: number) => Buffer
    /** The start of one that is longer than a frame may be, as much of it as shows that. */
    readonly tooLong: Buffer
    readonly ofMessage: (text: string) => Buffer
    /** What the log tells of such a message beside its text. */
    readonly messageFields: Readonly<Record<string, number>>
    /** A record of that device with a value whose id has no meaning in the catalogue. */
    readonly withUnknownId: (deviceId: DeviceId, id: number) => Buffer
  }
  readonly acknowledgement: {
    readonly byteCount: number
    /** How many records are stored, as it says. */
    readonly recordsIn: (bytes: Buffer) => number
  }
  readonly keepAlive: { readonly bytes: Buffer; readonly answer: Buffer }
  readonly datagram: {
    /** @param packetId 0 to 65,535 */
    readonly of: (deviceId: DeviceId, packetId: number, samples: readonly Sample[]) => Buffer
    readonly acknowledgement: (packetId: number, records: number) => Buffer
  }
  /** What comes after a login and is no packet. */
  readonly outOfStep: Buffer
  /** What an operator reads of it. */
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
