import { createServer, type Server, type Socket } from 'node:net'
import type { DeviceId } from '../../intake/sample.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { Limits } from './limits.ts'
import type { TeltonikaParts } from './take-frame.ts'
import { TcpSession, type TcpSessionOptions } from './tcp-session.ts'

export interface TcpServerOptions extends TeltonikaParts {
  readonly limits: Limits
  readonly held: HeldBytes
}

/** All connections over TCP. */
export class TcpServer {
  readonly server: Server
  readonly #options: TcpServerOptions
  readonly #sessionOptions: TcpSessionOptions
  readonly #sessions = new Set<TcpSession>()
  readonly #byDevice = new Map<DeviceId, TcpSession>()
  readonly #sweep: NodeJS.Timeout

  constructor(options: TcpServerOptions) {
    this.#options = options
    this.#sessionOptions = {
      ...options,
      onLogin: (deviceId, session) => {
        // The older one is half-open as a rule; what it has in flight is sent again over this one.
        this.#byDevice.get(deviceId)?.cut('same device again')
        this.#byDevice.set(deviceId, session)
      },
    }
    const { limits } = options
    this.server = createServer(
      {
        // Who has said everything may still wait for answers.
        allowHalfOpen: true,
        // A peer that lost its network says nothing any more: the kernel finds out.
        keepAlive: true,
        keepAliveInitialDelay: limits.probeAfterMs,
        noDelay: true,
      },
      socket => this.#open(socket),
    )
    this.#sweep = setInterval(() => {
      const nowMs = performance.now()
      for (const session of this.#sessions) session.cutIfOverdue(nowMs)
    }, limits.sweepMs)
  }

  get connections(): number {
    return this.#sessions.size
  }

  /** Accepts nobody more, reads nothing more, and answers what is in flight. */
  async stop(): Promise<void> {
    const closed = new Promise(resolve => {
      this.server.close(resolve)
    })
    await Promise.all([...this.#sessions].map(session => session.finish()))
    // The sweep goes on until then: whoever does not close its side is cut off.
    await closed
    clearInterval(this.#sweep)
  }

  #open(socket: Socket): void {
    const { limits, metrics } = this.#options
    if (this.#sessions.size >= limits.mostConnections) {
      metrics.closed('too many connections')
      socket.destroy()
      return
    }
    const session = new TcpSession(socket, this.#sessionOptions)
    this.#sessions.add(session)
    socket.on('close', () => {
      this.#sessions.delete(session)
      const { deviceId } = session
      if (deviceId !== undefined && this.#byDevice.get(deviceId) === session) this.#byDevice.delete(deviceId)
    })
  }
}
