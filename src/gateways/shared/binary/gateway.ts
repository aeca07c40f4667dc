import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { clientErrorOf } from '../../../db/faults.ts'
import type { RejectionReason } from '../../../db/rejected-frames.ts'
import type { Intake } from '../../../ingest/intake.ts'
import type { DeviceAdmission } from '../../../ingest/remembered-devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../../../lib/clock.ts'
import { type DeviceId, deviceIdOfText } from '../../../model/sample.ts'
import { type CertificateFiles, followRenewals, readCertificate } from '../../../server/http/certificate.ts'
import type { RejectedFrames } from '../rejected-frames.ts'
import { LIMITS, type Limits, peerOf, RefusedLogins, senderOf, UnansweredBytes } from './limits.ts'
import { observeProtocol } from './metrics.ts'
import type { BinaryProtocol } from './protocol.ts'
import { admitDevice, type BinaryParts, MessageLog, takeFrame } from './take-frame.ts'
import { TcpServer } from './tcp-server.ts'

export interface BinaryGatewayOptions {
  readonly protocol: BinaryProtocol
  readonly host: string
  /** For TCP and UDP; 0 lets the system choose one that is free for both. */
  readonly port: number
  readonly intake: Pick<Intake, 'submit'>
  readonly admission: DeviceAdmission
  readonly rejected: RejectedFrames
  readonly registry: Registry
  readonly log: Logger
  readonly limits?: Partial<Limits>
  /** With it, TCP speaks TLS only, and UDP is closed. */
  readonly certificate?: CertificateFiles | undefined
  readonly clock?: Clock
}

export interface BinaryGateway {
  readonly port: number
  /** Stops receiving, answers what is in flight, and closes all connections. */
  stop(): Promise<void>
}

/** Connections that wait to be accepted: after a restart a whole fleet connects at once. The system may allow fewer. */
const BACKLOG = 4096
/** A port that is free for TCP may be in use for UDP. */
const ATTEMPTS = 20

/** @throws the system error when it cannot listen, for example EADDRINUSE */
export async function startBinaryGateway(options: BinaryGatewayOptions): Promise<BinaryGateway> {
  const { protocol, host, port, registry, log, certificate, clock = SYSTEM_CLOCK } = options
  const limits = { ...LIMITS, ...options.limits }
  const unanswered = new UnansweredBytes(limits)
  const refusedLogins = new RefusedLogins(limits)
  const tls = certificate && speakTls(certificate, log)
  let tcp: TcpServer | undefined
  const metrics = observeProtocol(protocol, registry, () => tcp?.connections ?? 0)
  const messageLog = new MessageLog(log, clock)
  const parts = { ...options, metrics, messageLog, limits, unanswered, refusedLogins, encrypted: tls?.encrypted, clock }
  for (let attempt = 1; ; attempt++) {
    const listening = new TcpServer(parts)
    tcp = listening
    try {
      const address = await listen(listening.server, host, port)
      const udp = tls ? undefined : await UdpServer.open(address, parts)
      return {
        port: address.port,
        async stop() {
          tls?.stop()
          await Promise.all([listening.stop(), udp?.stop()])
        },
      }
    } catch (error) {
      await listening.stop()
      if (port === 0 && attempt < ATTEMPTS) continue
      tls?.stop()
      throw error
    }
  }
}

async function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  server.listen({ host, port, backlog: BACKLOG })
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('a server that listens has no address')
  return { host: address.address, port: address.port }
}

/** Terminates TLS: each connection uses the certificate that is current when it is accepted. */
function speakTls(files: CertificateFiles, log: Logger) {
  let secureContext = createSecureContext(readCertificate(files))
  const stop = followRenewals(files, log, renewed => {
    secureContext = createSecureContext(renewed)
  })
  const encrypted = (socket: Socket) => new TLSSocket(socket, { isServer: true, secureContext })
  return { encrypted, stop }
}

/** A burst of a whole fleet fits while one batch is committed; the system may allow less. */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024

/** Datagrams are independent: there is no login, and one that is sent again is stored once and answered again. */
class UdpServer {
  readonly #options: BinaryParts
  readonly #socket: UdpSocket
  readonly #inFlight = new Set<Promise<void>>()
  #isStopping = false

  private constructor(socket: UdpSocket, options: BinaryParts) {
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
    const source = { deviceId, sender, name: `${protocol.name} ${deviceId}`, transport: 'udp' } as const
    const { answer } = await takeFrame(frame, bytes, source, this.#options)
    if (!answer) return
    // It may get lost: then the device sends again.
    this.#socket.send(answer, from.port, from.address, () => undefined)
  }
}
