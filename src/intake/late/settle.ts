import type { Logger } from 'pino'
import type { Database } from '../../store/database.ts'
import { settleAssignments } from '../../store/fleet/assignments/settle.ts'
import { clearDueWork, readDueWork } from '../../store/fleet/fold-states.ts'
import { lockLanes } from '../../store/fleet/lanes.ts'
import { refreshDays } from '../../store/rollups/refresh-days.ts'
import { sql } from '../../store/sql.ts'
import { writeTransaction } from '../../store/transaction.ts'
import type { DeviceId } from '../sample.ts'
import { refold } from './refold.ts'

/** A burst is over when nothing came for so long; then it costs one fold. */
const QUIET_MS = 1000
/** A dongle that never pauses does not wait longer than this, so that all is settled within seconds. */
const LONGEST_WAIT_MS = 2500
const DEVICES_AT_ONCE = 200
/** Of the connections for writing, so that samples still find one. */
const PARALLEL = 2

/**
 * Folds again the devices whose late samples are waiting, each in a transaction of its own, and brings their
 * assignments up to date. Any number of nodes may do so at once.
 * @returns how many devices were settled.
 */
export async function settleLate(database: Database, log: Logger, failing: Failing): Promise<number> {
  const due = (await readDueDevices(database)).filter(deviceId => failing.mayTry(deviceId))
  const left = [...due]
  let settled = 0
  const work = async () => {
    for (let deviceId = left.pop(); deviceId !== undefined; deviceId = left.pop()) {
      try {
        if (await settleDevice(database, deviceId)) settled++
        failing.succeeded(deviceId)
      } catch (error) {
        failing.failed(deviceId)
        log.error({ err: error, deviceId }, 'late samples of a device could not be folded; it will be tried again')
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return settled
}

/** Devices that could not be settled, so that one of them does not keep the others waiting. */
export class Failing {
  readonly #retryAtMs = new Map<DeviceId, { readonly atMs: number; readonly pauseMs: number }>()

  mayTry(deviceId: DeviceId): boolean {
    return performance.now() >= (this.#retryAtMs.get(deviceId)?.atMs ?? 0)
  }

  succeeded(deviceId: DeviceId): void {
    this.#retryAtMs.delete(deviceId)
  }

  failed(deviceId: DeviceId): void {
    const pauseMs = Math.min((this.#retryAtMs.get(deviceId)?.pauseMs ?? 1000) * 2, 300_000)
    this.#retryAtMs.set(deviceId, { atMs: performance.now() + pauseMs, pauseMs })
  }
}

async function readDueDevices(database: Database): Promise<DeviceId[]> {
  const rows = await database.rows<{ device_id: DeviceId }>(
    sql`
      select device_id from device_states
      where (dirty_from is not null or assignments_due)
        and (last_received < clock_timestamp() - ${QUIET_MS} * interval '1 millisecond'
          or dirty_since < clock_timestamp() - ${LONGEST_WAIT_MS} * interval '1 millisecond')
      order by dirty_since desc nulls last limit ${DEVICES_AT_ONCE}`,
    { prepareAs: 'due-devices' },
  )
  return rows.map(row => row.device_id)
}

/** @returns false when another node was faster. */
export function settleDevice(database: Database, deviceId: DeviceId): Promise<boolean> {
  return writeTransaction(database, async transaction => {
    await lockLanes(transaction, [deviceId])
    const work = await readDueWork(transaction, deviceId)
    if (!work) return false
    const result = work.late && (await refold(transaction, deviceId, work.late))
    if (work.assignmentsDue || result?.areVinRunsChanged) await settleAssignments(transaction, deviceId)
    await clearDueWork(transaction, deviceId)
    await refreshDays(transaction, result?.touched ?? [])
    return true
  })
}
