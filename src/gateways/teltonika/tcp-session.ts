import type { Socket } from 'node:net'
import type { Admission } from '../../intake/device-admission.ts'
import { type DeviceId, deviceIdOfText } from '../../intake/sample.ts'
import { clientErrorOf } from '../../store/faults.ts'
import { readTcpFrame, tcpAcknowledgement } from './codec/frame.ts'
import { type TcpPacket, TcpPackets } from './codec/tcp-packets.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { Limits } from './limits.ts'
import type { ClosingReason } from './metrics.ts'
import { senderOf } from './sender.ts'
import { type TakenFrame, type TeltonikaParts, takeFrame } from './take-frame.ts'
import { TcpAnswers } from './tcp-answers.ts'
import { TcpDeadlines } from './tcp-deadlines.ts'

export interface TcpSessionOptions extends TeltonikaParts {
  readonly limits: Limits
  readonly held: HeldBytes
  readonly onLogin: (deviceId: DeviceId, session: TcpSession) => void
}

const LOGIN_ACCEPTED = Buffer.of(1)
const LOGIN_REFUSED = Buffer.of(0)

/**
 * One connection over TCP: a login, then frames, each answered after its commit and in the order in which they came.
 *
 * An answer says how many records are stored, and not of which frame. So when a frame gets none, nothing that was sent
 * behind it without waiting may get one either: the connection is closed, and the sender begins again with that frame.
 */
export class TcpSession {
  readonly #socket: Socket
  readonly #options: TcpSessionOptions
  readonly #sender: string
  readonly #packets: TcpPackets
  readonly #deadlines: TcpDeadlines
  /** Whole packets that nobody looked at yet. */
  #queue: TcpPacket[] = []
  #working: Promise<void> | undefined
  #deviceId: DeviceId | undefined
  readonly #answers: TcpAnswers
  #heldBytes = 0
  #unansweredMs = Number.NEGATIVE_INFINITY
  #isOver = false

  constructor(socket: Socket, options: TcpSessionOptions) {
    this.#socket = socket
    this.#options = options
    this.#sender = senderOf(socket.remoteAddress)
    this.#packets = new TcpPackets({ mostBytes: options.limits.frameBytes })
    this.#answers = new TcpAnswers(options.limits.framesInFlight, (taken, bytes) => this.#answer(taken, bytes))
    this.#deadlines = new TcpDeadlines(options.limits, performance.now())
    socket.on('data', chunk => this.#receive(chunk))
    socket.on('end', () => void this.#finishAll())
    // The peer is gone, which 'close' tells too.
    socket.on('error', () => undefined)
    socket.on('close', () => void this.#release())
  }

  /** Who has logged in. */
  get deviceId(): DeviceId | undefined {
    return this.#deviceId
  }

  /** Takes nothing more, answers what is in flight, and closes. */
  async finish(): Promise<void> {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#queue = []
    // What still comes is passed over, until the peer closes its side too.
    this.#socket.resume()
    await this.#answers.settled()
    if (!isFirst) return
    this.#deadlines.ended(performance.now())
    this.#socket.end()
  }

  /** Closes at once. What is in flight may be committed and is not answered: the device sends it again. */
  cut(reason: ClosingReason): void {
    if (this.#socket.destroyed) return
    this.#tell(reason)
    this.#isOver = true
    this.#queue = []
    this.#socket.destroy()
  }

  /** Closes the connection if its peer takes longer than it may. */
  cutIfOverdue(nowMs: number): void {
    const reason = this.#deadlines.overdue(this.#working !== undefined || this.#answers.inFlight > 0, nowMs)
    if (reason) this.cut(reason)
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return
    try {
      this.#cutIntoPackets(chunk)
      if (this.#options.held.isTooMuch) this.cut('overload')
      else if (this.#working) this.#socket.pause()
      else this.#work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #cutIntoPackets(chunk: Buffer): void {
    const waitingBytes = this.#packets.waitingBytes
    const packets = this.#packets.push(chunk)
    this.#hold(this.#packets.waitingBytes - waitingBytes)
    const isInPacket = this.#packets.waitingBytes > 0
    this.#deadlines.heard({ packets: packets.length, isInPacket }, performance.now())
    for (const packet of packets) {
      if (packet.kind === 'keep-alive') continue
      this.#queue.push(packet)
      if (packet.kind === 'frame') this.#hold(packet.bytes.length)
    }
  }

  /** Takes packets until one must be waited for. */
  #work(): void {
    for (let packet = this.#queue.shift(); packet; packet = this.#queue.shift()) {
      const waitedFor = this.#take(packet)
      if (!waitedFor) continue
      this.#working = waitedFor.then(() => this.#goOn()).catch((error: unknown) => this.#fail(error))
      return
    }
  }

  #goOn(): void {
    this.#working = undefined
    this.#work()
    if (!this.#working && this.#socket.isPaused()) this.#socket.resume()
  }

  /** @returns what must be waited for before the next packet, if anything */
  #take(packet: TcpPacket): Promise<void> | undefined {
    if (packet.kind === 'login') return this.#logIn(packet.imei)
    const deviceId = this.#deviceId
    if (packet.kind === 'broken') this.#giveUp(packet)
    else if (packet.kind === 'frame' && deviceId !== undefined) {
      const admitted = this.#options.admission.remembered(deviceId)
      if (!admitted || !this.#answers.hasRoom) return this.#takeLater(packet.bytes, deviceId)
      this.#takeFrame(packet.bytes, deviceId, admitted)
    }
    return undefined
  }

  async #takeLater(bytes: Buffer, deviceId: DeviceId): Promise<void> {
    await this.#answers.room()
    this.#takeFrame(bytes, deviceId, await this.#options.admission.admit(deviceId))
  }

  async #logIn(imei: string): Promise<void> {
    const { admission, metrics, onLogin } = this.#options
    const deviceId = deviceIdOfText(imei)
    const admitted = deviceId === undefined ? undefined : await admission.admit(deviceId)
    if (this.#isOver) return
    if (deviceId === undefined || admitted?.kind !== 'admitted') {
      metrics.login(deviceId === undefined ? 'malformed' : 'refused')
      const why =
        deviceId === undefined ? 'The login is no IMEI.' : `The device ${deviceId} is unknown and may not join.`
      this.#refuseLogin(Buffer.from(imei, 'latin1'), why, deviceId)
      return
    }
    metrics.login('accepted')
    this.#deviceId = deviceId
    this.#deadlines.loggedIn(performance.now())
    onLogin(deviceId, this)
    this.#socket.write(LOGIN_ACCEPTED)
  }

  #refuseLogin(bytes: Buffer, why: string, deviceId?: DeviceId): void {
    this.#reject(bytes, why, deviceId)
    this.#socket.write(LOGIN_REFUSED)
    void this.finish()
  }

  #takeFrame(bytes: Buffer, deviceId: DeviceId, admitted: Admission): void {
    if (this.#isOver) return
    if (admitted.kind === 'refused') {
      this.cut('refused')
      return
    }
    if (performance.now() < this.#unansweredMs + this.#options.limits.unansweredMs) {
      this.#endFor('unanswered frame passed over')
      return
    }
    const frame = readTcpFrame(bytes, { deviceId, hardwareType: admitted.hardwareType })
    const isWaitedFor = this.#answers.inFlight === 0 && this.#queue.length === 0 && this.#packets.waitingBytes === 0
    const received = { frame, deviceId, sender: this.#sender, bytes, transport: 'tcp' } as const
    takeFrame(received, this.#options, this.#answers.add(bytes.length))
    if (frame.kind !== 'broken') return
    this.#unansweredMs = performance.now()
    if (!isWaitedFor) this.#endFor('unanswered frame passed over')
  }

  #answer({ outcome, acknowledged }: TakenFrame, bytes: number): void {
    this.#hold(-bytes)
    if (acknowledged !== undefined && this.#socket.writable) this.#socket.write(tcpAcknowledgement(acknowledged))
    if (outcome === 'waiting') this.cut('not stored')
    else if (outcome === 'refused') this.cut('refused')
    else if (this.#socket.writableLength > this.#options.limits.answerBytes) this.cut('answers not taken')
  }

  /** The peer has said everything: it waits for answers to that. */
  async #finishAll(): Promise<void> {
    while (this.#working) await this.#working
    await this.finish()
  }

  /** What comes now can not be told apart any more. */
  #giveUp({ bytes, why }: Extract<TcpPacket, { kind: 'broken' }>): void {
    const { metrics } = this.#options
    if (this.#deviceId === undefined) {
      metrics.login('malformed')
      this.#refuseLogin(bytes, why)
      return
    }
    metrics.frame('tcp', 'broken')
    this.#reject(bytes, why, this.#deviceId)
    this.#endFor('out of step')
  }

  #reject(bytes: Buffer, why: string, deviceId: DeviceId | undefined): void {
    this.#options.rejected.keep({ gateway: 'teltonika', deviceId, sender: this.#sender, why, bytes })
  }

  #fail(error: unknown): void {
    this.#working = undefined
    if (!clientErrorOf(error)) this.#options.log.error({ err: error, deviceId: this.#deviceId }, 'a session failed')
    this.cut('not stored')
  }

  #endFor(reason: ClosingReason): void {
    this.#tell(reason)
    void this.finish()
  }

  #tell(reason: ClosingReason): void {
    this.#options.metrics.closed(reason)
    this.#options.log.debug({ deviceId: this.#deviceId, sender: this.#sender, reason }, 'a connection is closed')
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#options.held.add(bytes)
  }

  async #release(): Promise<void> {
    this.#isOver = true
    await this.#answers.settled()
    this.#hold(-this.#heldBytes)
  }
}
