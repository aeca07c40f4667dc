import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { clientErrorOf } from '../../../db/faults.ts'
import type { RejectionReason } from '../../../db/rejected-frames.ts'
import { type DeviceId, deviceIdOfText } from '../../../model/sample.ts'
import { peerOf, senderOf } from './limits.ts'
import { admitDevice, type BinaryParts, takeFrame } from './take-frame.ts'

/** A burst of a whole fleet fits while one batch is committed; the system may allow less. */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024

/** Datagrams are independent: there is no login, and one that is sent again is stored once and answered again. */
export class UdpServer {
  readonly #options: BinaryParts
  readonly #socket: Socket
  readonly #inFlight = new Set<Promise<void>>()
  #isStopping = false

  private constructor(socket: Socket, options: BinaryParts) {
    this.#socket = socket
    this.#options = options
    socket.on('message', (bytes, from) => this.#receive(bytes, from))
    // An ICMP error about an answer; the socket still works.
    socket.on('error', error => options.log.debug({ err: error }, 'an error of UDP'))
  }

  /** @throws the system error, for example EADDRINUSE. */
  static async open(
    address: { readonly host: string; readonly port: number },
    options: BinaryParts,
  ): Promise<UdpServer> {
    const socket = createSocket({
      type: address.host.includes(':') ? 'udp6' : 'udp4',
      recvBufferSize: RECEIVE_BUFFER_BYTES,
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', error => {
        socket.close()
        reject(error)
      })
      socket.bind({ address: address.host, port: address.port }, () => {
        socket.removeAllListeners('error')
        resolve()
      })
    })
    return new UdpServer(socket, options)
  }

  /** Stops receiving, and answers what is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#inFlight)
    await new Promise<void>(resolve => {
      this.#socket.close(resolve)
    })
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    const { unanswered, limits, metrics, log } = this.#options
    if (this.#isStopping) return
    const peer = peerOf(from.address)
    if (unanswered.tooMuch(peer) || this.#inFlight.size >= limits.datagramsInFlight) {
      metrics.frame('udp', 'waiting')
      return
    }
    unanswered.add(peer, bytes.length)
    const taken = this.#take(bytes, from)
      .catch(error => {
        metrics.frame('udp', 'waiting')
        if (!clientErrorOf(error)) log.error({ err: error }, 'a datagram failed')
      })
      .finally(() => {
        unanswered.add(peer, -bytes.length)
        this.#inFlight.delete(taken)
      })
    this.#inFlight.add(taken)
  }

  async #take(bytes: Buffer, from: RemoteInfo): Promise<void> {
    const { protocol, metrics, rejected } = this.#options
    const [sender, peer] = [senderOf(from.address), peerOf(from.address)]
    const packet = protocol.readDatagram(bytes)
    if (packet.kind === 'broken') {
      metrics.frame('udp', 'broken')
      rejected.keep({ gateway: protocol.name, deviceId: undefined, sender, why: packet.why, bytes })
      return
    }
    const refuse = (why: string, reason: RejectionReason, known?: DeviceId) => {
      metrics.frame('udp', 'refused')
      rejected.keep({ gateway: protocol.name, deviceId: known, sender, reason, why, bytes })
    }
    const deviceId = deviceIdOfText(packet.imei)
    if (deviceId === undefined) return refuse('It has no IMEI.', 'unreadable')
    const admitted = await admitDevice(deviceId, { sender, peer }, this.#options)
    if (admitted.kind === 'unanswered')
      return refuse('Its sender presented too many unknown devices.', 'unknown device', deviceId)
    if (admitted.kind === 'refused') return refuse(admitted.why, admitted.reason, deviceId)
    const frame = packet.read({ deviceId, hardwareType: admitted.hardwareType })
    const received = { frame, deviceId, sender, bytes, transport: 'udp' } as const
    const { answer } = await takeFrame(received, this.#options)
    if (!answer) return
    // It may get lost: then the device sends again.
    this.#socket.send(answer, from.port, from.address, () => undefined)
  }
}
