import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientErrorOf } from '../../../db/faults.ts'
import type { RejectionReason } from '../../../db/rejected-frames.ts'
import type { Admission } from '../../../ingest/remembered-devices.ts'
import { Signal } from '../../../lib/signal.ts'
import { type DeviceId, deviceIdOfText } from '../../../model/sample.ts'
import { type DeviceConnection, type Limits, peerOf, senderOf } from './limits.ts'
import type { ClosingReason } from './metrics.ts'
import type { StreamPacket } from './protocol.ts'
import { type ReceivedPacket, StreamPackets } from './stream-packets.ts'
import { admitDevice, type BinaryParts, type FrameSource, type TakenFrame, takeFrame } from './take-frame.ts'

export interface TcpSessionOptions extends BinaryParts {
  /** Registers a login. @returns false when that dongle has too many connections */
  readonly onLogin: (deviceId: DeviceId, session: TcpSession) => boolean
  /** The session's peer, or all peers together, have more unanswered bytes than allowed. */
  readonly onOverload: (session: TcpSession, whose: 'of all' | 'of peer') => void
}

/** One TCP connection: a login, then frames, each answered after its commit and in order. Answers need not name their
 * frame: when one gets none, the connection is closed, and the sender starts again with that frame. */
export class TcpSession implements DeviceConnection {
  readonly peer: string
  /** As the log numbers it. */
  readonly #connection: number
  readonly #socket: Socket
  readonly #options: TcpSessionOptions
  readonly #sender: string
  readonly #packets: StreamPackets
  readonly #deadlines: TcpDeadlines
  /** Complete packets that are not processed yet. */
  #queue: ReceivedPacket[] = []
  #working: Promise<void> | undefined
  /** Known from the login on. */
  #source: FrameSource | undefined
  readonly #answers: TcpAnswers
  #unansweredBytes = 0
  #heardMs: number
  #hasStored = false
  #unansweredMs = Number.NEGATIVE_INFINITY
  #isOver = false

  /** @param connection a number that no other connection of this process has */
  constructor(socket: Socket, connection: number, options: TcpSessionOptions) {
    this.#connection = connection
    this.#socket = socket
    this.#options = options
    this.#sender = senderOf(socket.remoteAddress)
    this.peer = peerOf(socket.remoteAddress)
    this.#packets = new StreamPackets(options.protocol.stream)
    this.#answers = new TcpAnswers(
      options.limits.framesInFlight,
      (taken, bytes) => this.#answer(taken, bytes),
      error => {
        options.log.error({ err: error, ...this.#inLog }, 'a frame could not be taken')
        return { outcome: 'waiting', answer: undefined }
      },
    )
    this.#heardMs = this.#nowMs
    this.#deadlines = new TcpDeadlines(options.limits, this.#heardMs)
    socket.on('data', chunk => this.#receive(chunk))
    socket.on('end', () => void this.#finishAll())
    socket.on('error', error => this.#lost(error))
    socket.on('close', () => void this.#release())
  }

  get deviceId(): DeviceId | undefined {
    return this.#source?.deviceId
  }

  get heardMs(): number {
    return this.#heardMs
  }

  get hasStored(): boolean {
    return this.#hasStored
  }

  /** Received bytes that are not answered yet. */
  get unansweredBytes(): number {
    return this.#unansweredBytes
  }

  /** Stops reading, answers what is in flight, and closes. */
  async finish(): Promise<void> {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#queue = []
    // Further data is discarded, until the peer closes its side, too.
    this.#socket.resume()
    await this.#answers.settled()
    if (!isFirst) return
    this.#deadlines.ended(this.#nowMs)
    this.#socket.end()
  }

  /** Closes at once. What is in flight may be committed and is not answered: the device sends it again. */
  cut(reason: ClosingReason): void {
    if (this.#socket.destroyed) return
    this.#noteClosing(reason)
    this.#isOver = true
    this.#forgetUnread()
    this.#socket.destroy()
  }

  /** Closes the connection if its peer takes longer than it may. */
  cutIfOverdue(nowMs: number): void {
    const reason = this.#deadlines.overdue(this.#working !== undefined || this.#answers.inFlight > 0, nowMs)
    if (reason) this.cut(reason)
  }

  /** The peer is gone; 'close' follows. */
  #lost(error: Error): void {
    if (this.#isOver) return
    this.#options.metrics.lost()
    this.#options.log.debug({ err: error, ...this.#inLog }, 'a connection broke')
  }

  get #inLog() {
    return { connection: this.#connection, deviceId: this.deviceId, sender: this.#sender }
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return
    try {
      this.#cutIntoPackets(chunk)
      const whose = this.#options.unanswered.tooMuch(this.peer)
      if (whose) this.#options.onOverload(this, whose)
      if (this.#isOver) return
      if (this.#working) this.#socket.pause()
      else this.#work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #cutIntoPackets(chunk: Buffer): void {
    const waitingBytes = this.#packets.waitingBytes
    const packets = this.#packets.push(chunk)
    this.#count(this.#packets.waitingBytes - waitingBytes)
    const isInPacket = this.#packets.waitingBytes > 0
    this.#heardMs = this.#nowMs
    this.#deadlines.heard({ packets: packets.length, isInPacket }, this.#heardMs)
    for (const packet of packets) {
      if (packet.kind === 'keep-alive' && !packet.answer) continue
      this.#queue.push(packet)
      if (packet.kind === 'frame') this.#count(packet.bytes.length)
    }
  }

  /** Processes packets until one needs waiting. */
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

  /** @returns a promise to wait for before the next packet, if any */
  #take(packet: ReceivedPacket): Promise<void> | undefined {
    if (packet.kind === 'login') return this.#logIn(packet)
    const source = this.#source
    if (packet.kind === 'broken') this.#giveUp(packet)
    else if (packet.kind === 'keep-alive') this.#answerKeepAlive(packet)
    else if (source) {
      const admitted = this.#options.admission.remembered(source.deviceId, this.#sender)
      if (!admitted || !this.#answers.hasRoom) return this.#takeLater(packet.bytes, source)
      this.#takeFrame(packet.bytes, source, admitted)
    }
    return undefined
  }

  async #takeLater(bytes: Buffer, source: FrameSource): Promise<void> {
    await this.#answers.room()
    this.#takeFrame(bytes, source, await this.#options.admission.admit(source.deviceId, this.#sender))
  }

  async #logIn({ imei, accepted }: Extract<StreamPacket, { kind: 'login' }>): Promise<void> {
    const { metrics, onLogin, limits } = this.#options
    const deviceId = deviceIdOfText(imei)
    if (deviceId === undefined) {
      metrics.login('malformed')
      this.#refuseLogin(Buffer.from(imei, 'latin1'), { why: 'The login is no IMEI.' })
      return
    }
    const answered = sleep(limits.answerLoginAfterMs)
    const admitted = await admitDevice(deviceId, { sender: this.#sender, peer: this.peer }, this.#options)
    await answered
    if (this.#isOver) return
    if (admitted.kind === 'unanswered') {
      metrics.login('unanswered')
      this.cut('too many strangers')
    } else if (admitted.kind === 'refused') {
      metrics.login('refused')
      this.#refuseLogin(Buffer.from(imei, 'latin1'), admitted, deviceId)
    } else if (onLogin(deviceId, this)) {
      metrics.login('accepted')
      const [sender, connection] = [this.#sender, this.#connection]
      const name = `${this.#options.protocol.name} ${deviceId} (connection ${connection})`
      this.#source = { deviceId, sender, name, transport: 'tcp', connection }
      this.#deadlines.loggedIn(this.#nowMs)
      this.#options.log.debug(this.#inLog, 'a dongle has logged in')
      this.#socket.write(accepted)
    } else {
      metrics.login('refused')
      this.cut('too many connections')
    }
  }

  #refuseLogin(bytes: Buffer, rejection: Rejection, deviceId?: DeviceId): void {
    this.#reject(bytes, rejection, deviceId)
    this.#socket.write(this.#options.protocol.stream.loginRefused)
    void this.finish()
  }

  #takeFrame(bytes: Buffer, source: FrameSource, admitted: Admission): void {
    if (this.#isOver) return
    if (admitted.kind === 'refused') {
      this.cut('refused')
      return
    }
    if (this.#nowMs < this.#unansweredMs + this.#options.limits.unansweredMs) {
      this.#endFor('unanswered frame passed over')
      return
    }
    const device = { deviceId: source.deviceId, hardwareType: admitted.hardwareType }
    const frame = this.#options.protocol.stream.readFrame(bytes, device)
    const isWaitedFor = this.#answers.inFlight === 0 && this.#queue.length === 0 && this.#packets.waitingBytes === 0
    this.#answers.add(bytes.length, takeFrame(frame, bytes, source, this.#options))
    if (frame.kind !== 'broken') return
    this.#unansweredMs = this.#nowMs
    if (!isWaitedFor) this.#endFor('unanswered frame passed over')
  }

  #answerKeepAlive({ answer }: Extract<StreamPacket, { kind: 'keep-alive' }>): void {
    if (this.#isOver || !this.#source || !answer) return
    this.#socket.write(answer)
    if (this.#socket.writableLength > this.#options.limits.answerBytes) this.cut('answers not taken')
  }

  #answer({ outcome, answer }: TakenFrame, bytes: number): void {
    this.#count(-bytes)
    if (outcome === 'stored') this.#hasStored = true
    if (answer && this.#socket.writable) this.#socket.write(answer)
    if (outcome === 'waiting') this.cut('not stored')
    else if (outcome === 'refused') this.cut('refused')
    else if (this.#socket.writableLength > this.#options.limits.answerBytes) this.cut('answers not taken')
  }

  /** The peer has sent everything and waits for the answers. */
  async #finishAll(): Promise<void> {
    while (this.#working) await this.#working
    await this.finish()
  }

  /** The following bytes cannot be split into packets any more. */
  #giveUp({ bytes, why }: Extract<ReceivedPacket, { kind: 'broken' }>): void {
    const { metrics } = this.#options
    if (!this.#source) {
      metrics.login('malformed')
      this.#refuseLogin(bytes, { why })
      return
    }
    metrics.frame('tcp', 'broken')
    this.#reject(bytes, { why }, this.deviceId)
    this.#endFor('out of step')
  }

  #reject(bytes: Buffer, { why, reason = 'unreadable' }: Rejection, deviceId: DeviceId | undefined): void {
    const { protocol, rejected } = this.#options
    const [sender, connection] = [this.#sender, this.#connection]
    rejected.keep({ gateway: protocol.name, deviceId, sender, connection, reason, why, bytes })
  }

  #fail(error: unknown): void {
    this.#working = undefined
    if (!clientErrorOf(error)) this.#options.log.error({ err: error, ...this.#inLog }, 'a session failed')
    this.cut('not stored')
  }

  #endFor(reason: ClosingReason): void {
    this.#noteClosing(reason)
    void this.finish()
  }

  #noteClosing(reason: ClosingReason): void {
    this.#options.metrics.closed(reason)
    this.#options.log.debug({ ...this.#inLog, reason }, 'a connection is closed')
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  #count(bytes: number): void {
    this.#unansweredBytes += bytes
    this.#options.unanswered.add(this.peer, bytes)
  }

  /** Drops what was not processed: only frames that are being stored still count. */
  #forgetUnread(): void {
    this.#queue = []
    this.#packets.forget()
    this.#count(this.#answers.bytes - this.#unansweredBytes)
  }

  async #release(): Promise<void> {
    this.#isOver = true
    this.#forgetUnread()
    await this.#answers.settled()
    this.#count(-this.#unansweredBytes)
  }
}

/** Why something is rejected: a sentence for the operator. */
interface Rejection {
  readonly why: string
  readonly reason?: RejectionReason
}

/** A frame that is being stored. */
interface FrameInFlight {
  readonly bytes: number
  /** What became of it, once that is known. */
  taken: TakenFrame | undefined
}

/** Frames of one connection that are being stored: they are answered in order, and their number is limited. */
class TcpAnswers {
  readonly #most: number
  readonly #answer: (taken: TakenFrame, bytes: number) => void
  readonly #failed: (error: unknown) => TakenFrame
  readonly #answered = new Signal()
  /** In the order in which they came. */
  readonly #frames: FrameInFlight[] = []
  #bytes = 0

  /** @param answer called for each frame, with its length, when the frames before it are answered
   * @param failed what becomes of a frame at which the program itself failed: later ones are still answered in order */
  constructor(
    most: number,
    answer: (taken: TakenFrame, bytes: number) => void,
    failed: (error: unknown) => TakenFrame,
  ) {
    this.#most = most
    this.#answer = answer
    this.#failed = failed
  }

  get inFlight(): number {
    return this.#frames.length
  }

  /** The total length of these frames. */
  get bytes(): number {
    return this.#bytes
  }

  get hasRoom(): boolean {
    return this.#frames.length < this.#most
  }

  add(bytes: number, taken: Promise<TakenFrame>): void {
    const frame: FrameInFlight = { bytes, taken: undefined }
    this.#frames.push(frame)
    this.#bytes += bytes
    const answer = (known: TakenFrame) => {
      frame.taken = known
      this.#answerAll()
    }
    taken.then(answer, (error: unknown) => answer(this.#failed(error)))
  }

  /** Resolves when another frame may be added. */
  async room(): Promise<void> {
    while (!this.hasRoom) await this.#answered.wait()
  }

  /** Resolves when all frames are answered. */
  async settled(): Promise<void> {
    while (this.#frames.length > 0) await this.#answered.wait()
  }

  /** Answers the first frames of which it is known what became of them. */
  #answerAll(): void {
    for (let first = this.#frames[0]; first?.taken; first = this.#frames[0]) {
      this.#frames.shift()
      this.#bytes -= first.bytes
      this.#answer(first.taken, first.bytes)
    }
    this.#answered.emit()
  }
}

/** Deadlines of a peer. Times are those of `Clock.monotonicMs`. */
export class TcpDeadlines {
  readonly #limits: Pick<Limits, 'loginMs' | 'frameMs' | 'idleMs' | 'farewellMs'>
  readonly #openedMs: number
  #isLoggedIn = false
  #heardMs = 0
  #begunMs: number | undefined
  #endedMs: number | undefined

  constructor(limits: Pick<Limits, 'loginMs' | 'frameMs' | 'idleMs' | 'farewellMs'>, nowMs: number) {
    this.#limits = limits
    this.#openedMs = nowMs
  }

  /** @param received how many packets became complete, and whether an incomplete one remains */
  heard({ packets, isInPacket }: { readonly packets: number; readonly isInPacket: boolean }, nowMs: number): void {
    this.#heardMs = nowMs
    if (!isInPacket) this.#begunMs = undefined
    else if (packets > 0 || this.#begunMs === undefined) this.#begunMs = nowMs
  }

  loggedIn(nowMs: number): void {
    this.#isLoggedIn = true
    this.#heardMs = nowMs
  }

  /** This side has sent everything. */
  ended(nowMs: number): void {
    this.#endedMs = nowMs
  }

  /** @param isBusy the peer waits for us, so its silence is expected */
  overdue(isBusy: boolean, nowMs: number): ClosingReason | undefined {
    const { loginMs, frameMs, idleMs, farewellMs } = this.#limits
    if (this.#endedMs !== undefined) return nowMs > this.#endedMs + farewellMs ? 'farewell too slow' : undefined
    if (isBusy) return undefined
    if (!this.#isLoggedIn) return nowMs > this.#openedMs + loginMs ? 'login too slow' : undefined
    if (this.#begunMs !== undefined) return nowMs > this.#begunMs + frameMs ? 'frame too slow' : undefined
    return nowMs > this.#heardMs + idleMs ? 'idle' : undefined
  }
}
