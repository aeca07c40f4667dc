import { createServer, type Server, type Socket } from 'node:net'
import type { DeviceId } from '../../../model/sample.ts'
import { roomForOneMore } from './limits.ts'
import type { ClosingReason } from './metrics.ts'
import type { BinaryParts } from './take-frame.ts'
import { TcpSession, type TcpSessionOptions } from './tcp-session.ts'

interface TcpServerOptions extends BinaryParts {
  /** Starts TLS with a peer; undefined without TLS. */
  readonly encrypted?: ((socket: Socket) => Socket) | undefined
}

export class TcpServer {
  readonly server: Server
  readonly #options: TcpServerOptions
  readonly #sessionOptions: TcpSessionOptions
  /** The oldest first, as in the sets below. */
  readonly #sessions = new Set<TcpSession>()
  /** Connections that have not logged in, in total and by peer. */
  readonly #unnamed = new Set<TcpSession>()
  readonly #unnamedOf = new SetsByKey<string, TcpSession>()
  readonly #byPeer = new SetsByKey<string, TcpSession>()
  readonly #byDevice = new SetsByKey<DeviceId, TcpSession>()
  readonly #sweep: NodeJS.Timeout
  /** How many connections there have been. */
  #opened = 0

  constructor(options: TcpServerOptions) {
    this.#options = options
    this.#sessionOptions = {
      ...options,
      onLogin: (deviceId, session) => this.#logIn(deviceId, session),
      onOverload: (session, whose) =>
        this.#relieve(whose === 'of peer' ? this.#byPeer.get(session.peer) : this.#sessions),
    }
    const { limits } = options
    this.server = createServer(
      {
        // A peer that has sent everything may still wait for answers.
        allowHalfOpen: true,
        // A peer that lost its network sends nothing any more: the kernel detects it.
        keepAlive: true,
        keepAliveInitialDelay: limits.probeAfterMs,
        noDelay: true,
      },
      socket => this.#open(socket),
    )
    this.#sweep = setInterval(() => {
      const nowMs = options.clock.monotonicMs()
      for (const session of this.#sessions) session.cutIfOverdue(nowMs)
    }, limits.sweepMs)
  }

  get connections(): number {
    return this.#sessions.size
  }

  /** Stops accepting and reading, and answers what is in flight. */
  async stop(): Promise<void> {
    const closed = new Promise(resolve => {
      this.server.close(resolve)
    })
    await Promise.all([...this.#sessions].map(session => session.finish()))
    // The sweep continues until then: a peer that does not close its side is disconnected.
    await closed
    clearInterval(this.#sweep)
  }

  #open(socket: Socket): void {
    const { limits, metrics, encrypted } = this.#options
    const session = new TcpSession(encrypted ? encrypted(socket) : socket, ++this.#opened, this.#sessionOptions)
    const { peer } = session
    const ofPeer = this.#unnamedOf.get(peer)
    if (ofPeer.size >= limits.unnamedOfPeer) this.#cut(first(ofPeer), 'too many logins at once')
    if (this.#sessions.size >= limits.mostConnections) this.#cut(first(this.#unnamed), 'too many connections')
    if (this.#sessions.size >= limits.mostConnections) {
      metrics.closed('too many connections')
      socket.destroy()
      return
    }
    this.#sessions.add(session)
    this.#unnamed.add(session)
    this.#unnamedOf.add(peer, session)
    this.#byPeer.add(peer, session)
    socket.on('close', () => this.#forget(session))
  }

  #logIn(deviceId: DeviceId, session: TcpSession): boolean {
    const room = roomForOneMore(session.peer, [...this.#byDevice.get(deviceId)], this.#options.limits)
    if (room === 'refused') return false
    this.#cut(room, 'same device again')
    this.#unnamed.delete(session)
    this.#unnamedOf.delete(session.peer, session)
    this.#byDevice.add(deviceId, session)
    return true
  }

  /** Closes the connection with most unanswered bytes, of a peer or of all: usually one with endless frames, not an
   * active one. */
  #relieve(sessions: Iterable<TcpSession>): void {
    let greatest: TcpSession | undefined
    for (const session of sessions)
      if (!greatest || session.unansweredBytes > greatest.unansweredBytes) greatest = session
    this.#cut(greatest, 'overload')
  }

  #cut(session: TcpSession | undefined, reason: ClosingReason): void {
    if (!session) return
    session.cut(reason)
    // Its place is free now, not only when the system has closed it.
    this.#forget(session)
  }

  #forget(session: TcpSession): void {
    const { peer, deviceId } = session
    this.#sessions.delete(session)
    this.#unnamed.delete(session)
    this.#unnamedOf.delete(peer, session)
    this.#byPeer.delete(peer, session)
    if (deviceId !== undefined) this.#byDevice.delete(deviceId, session)
  }
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  const [item] = items
  return item
}

/** Sets by key; empty ones take no memory. */
class SetsByKey<Key, Value> {
  readonly #sets = new Map<Key, Set<Value>>()

  get(key: Key): ReadonlySet<Value> {
    return this.#sets.get(key) ?? new Set()
  }

  add(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    if (set) set.add(value)
    else this.#sets.set(key, new Set([value]))
  }

  delete(key: Key, value: Value): void {
    const set = this.#sets.get(key)
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key)
  }
}
