import { randomInt } from 'node:crypto'
import type { DeviceId, Sample } from '../../model/sample.ts'
import type { Transaction } from '../transaction.ts'
import { LANE_COUNT, laneOf } from './lanes.ts'
import { SampleQueue } from './sample-queue.ts'

interface Tail {
  /** Of the newest sample stored. */
  lastMs: number
  /** What is stored and not derived yet, ascending by time, newer than all that is; undefined when nothing waits. */
  waiting: SampleQueue | undefined
}

interface Lane {
  readonly tails: Map<DeviceId, Tail>
  waitingCount: number
  waitingDevices: number
  /** When the first was stored since which the row of the lane says that some wait, by the clock that only goes forward. */
  oldestMs: number | undefined
  /** The transaction of this process that holds the lane, and when it has ended. */
  holder: { readonly transaction: Transaction; readonly ended: Promise<void> } | undefined
}

/** A lane in which samples wait, or did: its row still says so. */
export interface WaitingLane {
  readonly lane: number
  /** When the first of them was stored, by `performance.now()`. */
  readonly oldestMs: number
  readonly samples: number
  /** How many devices they are of. */
  readonly devices: number
}

/** A process remembers the ends of so many devices; those of others are read when their samples arrive. */
const MOST_TAILS_PER_LANE = 2000

/**
 * What a process remembers of the lanes that it keeps: how far the samples of each device reach, and which of them wait
 * until what follows from them is worked out (docs/adr/0012). The row of a lane in `lanes` tells who its keeper is; only
 * with the lane held, and after a look at that row, what is remembered may be believed.
 */
export class WaitingSamples {
  #keeper = drawKeeper()
  readonly #lanes: readonly Lane[] = Array.from({ length: LANE_COUNT }, emptyLane)

  /** The number under which this process keeps lanes. */
  get keeper(): number {
    return this.#keeper
  }

  /** Samples that wait. */
  get count(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.waitingCount, 0)
  }

  /** Lanes whose rows say that samples wait, the longest waiting first. */
  get lanes(): WaitingLane[] {
    return this.#lanes
      .flatMap(({ oldestMs, waitingCount, waitingDevices }, lane) =>
        oldestMs === undefined ? [] : [{ lane, oldestMs, samples: waitingCount, devices: waitingDevices }],
      )
      .sort((a, b) => a.oldestMs - b.oldestMs)
  }

  /**
   * To be called with the locks of the lanes: whoever of this process held them before may not know yet how its
   * transaction ended, although the database does.
   */
  async hold(lanes: readonly number[], transaction: Transaction): Promise<void> {
    const mine: Lane[] = []
    for (const number of lanes) {
      const lane = this.#lane(number)
      if (lane.holder?.transaction === transaction) continue
      while (lane.holder) await lane.holder.ended
      let end = (): void => undefined
      lane.holder = { transaction, ended: new Promise(resolve => (end = resolve)) }
      mine.push(lane)
      transaction.whenEnded(() => {
        lane.holder = undefined
        end()
      })
    }
    if (mine.length > 0)
      transaction.whenEnded(end => {
        if (end === 'unknown') this.forgetAll()
      })
  }

  /** The time of the newest stored sample of a device; undefined when it is not remembered. */
  lastMsOf(deviceId: DeviceId): number | undefined {
    return this.#lane(laneOf(deviceId)).tails.get(deviceId)?.lastMs
  }

  /** Those of a device that wait, ascending by time. */
  of(deviceId: DeviceId): readonly Sample[] {
    return this.#queueOf(deviceId)?.samplesOf(deviceId) ?? []
  }

  isDeviceWaiting(deviceId: DeviceId): boolean {
    return this.#queueOf(deviceId) !== undefined
  }

  /** The devices of some lanes of which samples wait. */
  devicesIn(lanes: readonly number[]): DeviceId[] {
    return lanes.flatMap(lane => [...this.#lane(lane).tails].flatMap(([id, { waiting }]) => (waiting ? [id] : [])))
  }

  isWaiting(lane: number): boolean {
    return this.#lane(lane).waitingCount > 0
  }

  /** The samples of a device reach to this time, and nothing of it waits. */
  remember(deviceId: DeviceId, lastMs: number): void {
    const { tails } = this.#lane(laneOf(deviceId))
    this.derived([deviceId])
    tails.delete(deviceId)
    tails.set(deviceId, { lastMs, waiting: undefined })
    if (tails.size > MOST_TAILS_PER_LANE) forgetOldest(tails)
  }

  /** Samples of one remembered device were stored, newer than all before, ascending by time. */
  add(samples: readonly Sample[]): void {
    const [first] = samples
    if (!first) return
    const { deviceId } = first
    const lane = this.#lane(laneOf(deviceId))
    // Another device may have taken its place since it was looked up.
    const tail = lane.tails.get(deviceId) ?? { lastMs: first.timeMs, waiting: undefined }
    lane.tails.set(deviceId, tail)
    if (!tail.waiting) {
      tail.waiting = new SampleQueue()
      lane.waitingDevices++
    }
    for (const sample of samples) {
      tail.waiting.push(sample)
      tail.lastMs = sample.timeMs
    }
    lane.waitingCount += samples.length
    lane.oldestMs ??= performance.now()
  }

  /** Nothing of these devices waits any more. */
  derived(deviceIds: Iterable<DeviceId>): void {
    for (const deviceId of deviceIds) {
      const lane = this.#lane(laneOf(deviceId))
      const tail = lane.tails.get(deviceId)
      if (!tail?.waiting) continue
      lane.waitingCount -= tail.waiting.length
      tail.waiting.release()
      lane.waitingDevices--
      tail.waiting = undefined
    }
  }

  /** The rows of these lanes say by now that nothing waits there. */
  cleared(lanes: readonly number[]): void {
    for (const number of lanes) {
      const lane = this.#lane(number)
      if (lane.waitingCount === 0) lane.oldestMs = undefined
    }
  }

  forgetLane(number: number): void {
    const lane = this.#lane(number)
    lane.tails.clear()
    lane.waitingCount = 0
    lane.waitingDevices = 0
    lane.oldestMs = undefined
  }

  /**
   * Nothing that is remembered may be believed any more: under its new number, this process keeps no lane. Whoever holds a
   * lane at the moment relies on what it found; the next one finds the former number in the row.
   */
  forgetAll(): void {
    this.#keeper = drawKeeper()
    this.#lanes.forEach(({ holder }, number) => {
      if (!holder) this.forgetLane(number)
    })
  }

  #queueOf(deviceId: DeviceId): SampleQueue | undefined {
    return this.#lane(laneOf(deviceId)).tails.get(deviceId)?.waiting
  }

  #lane(number: number): Lane {
    const lane = this.#lanes[number]
    if (!lane) throw new Error(`there is no lane ${number}`)
    return lane
  }
}

function emptyLane(): Lane {
  return { tails: new Map(), waitingCount: 0, waitingDevices: 0, oldestMs: undefined, holder: undefined }
}

function forgetOldest(tails: Map<DeviceId, Tail>): void {
  for (const [deviceId, { waiting }] of tails) {
    if (waiting) continue
    tails.delete(deviceId)
    return
  }
}

function drawKeeper(): number {
  return randomInt(1, 2 ** 31)
}
