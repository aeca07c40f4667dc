import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Intake } from '../../../ingest/intake.ts'
import type { DeviceAdmission } from '../../../ingest/remembered-devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../../../lib/clock.ts'
import { type CertificateFiles, followRenewals, readCertificate } from '../../../server/http/certificate.ts'
import type { RejectedFrames } from '../rejected-frames.ts'
import { LIMITS, type Limits, RefusedLogins, UnansweredBytes } from './limits.ts'
import { observeProtocol } from './metrics.ts'
import type { BinaryProtocol } from './protocol.ts'
import { MessageLog } from './take-frame.ts'
import { TcpServer } from './tcp-server.ts'
import { UdpServer } from './udp-server.ts'

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

/**
 * Receives what the dongles of one protocol report.
 * @throws the system error when it cannot listen, for example EADDRINUSE.
 */
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
