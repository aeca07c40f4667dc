import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { writeWaitingSince } from '../../db/lanes/kept-lanes.ts'
import { laneOf } from '../../db/lanes/lanes.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { settleVehicles } from '../../facts/trips/rows/settle-vehicles.ts'
import type { DeviceId } from '../../model/sample.ts'
import { deriveStored } from '../derive-stored.ts'
import { leaveToLate } from './leave-to-late.ts'
import { holdDevices, takeLanes } from './take-lanes.ts'

/**
 * Derives everything that waits in some lanes, in one transaction. What one device makes impossible must not keep the
 * others waiting: then each has a transaction of its own, and whoever fails is left to the folding of late samples.
 * @throws ClientError when the database can not do it now; then everything still waits.
 */
export async function deriveLanes(database: Database, lanes: readonly number[], log: Logger): Promise<void> {
  try {
    await deriveAtOnce(database, lanes)
  } catch (error) {
    const clientError = clientErrorOf(error)
    if (clientError) throw clientError
    log.error({ err: error, lanes }, 'what waits could not be derived at once; each device is tried by itself')
    await deriveOneByOne(database, lanes, log)
  }
}

function deriveAtOnce(database: Database, lanes: readonly number[]): Promise<void> {
  return writeTransaction(database, async transaction => {
    const { waiting } = transaction
    const foreign = await takeLanes(transaction, lanes, 'keeper')
    const deviceIds = waiting.devicesIn(lanes)
    const touched = await deriveStored(transaction, deviceIds, deviceId => waiting.of(deviceId))
    await writeWaitingSince(transaction, lanes, undefined)
    await settleVehicles(transaction, [...foreign, ...touched])
    transaction.whenEnded(end => {
      if (end !== 'committed') return
      waiting.derived(deviceIds)
      waiting.cleared(lanes)
    })
  })
}

async function deriveOneByOne(database: Database, lanes: readonly number[], log: Logger): Promise<void> {
  const { waiting } = database
  for (const deviceId of waiting.devicesIn(lanes)) {
    try {
      await writeTransaction(database, async transaction =>
        settleVehicles(transaction, await holdDevices(transaction, [deviceId])),
      )
    } catch (error) {
      if (clientErrorOf(error)) throw error
      log.error({ err: error, deviceId }, 'samples of a device could not be derived; they count as late')
      await leaveDeviceToLate(database, deviceId)
    }
  }
  await deriveAtOnce(database, lanes)
}

function leaveDeviceToLate(database: Database, deviceId: DeviceId): Promise<void> {
  return writeTransaction(database, async transaction => {
    const { waiting } = transaction
    await takeLanes(transaction, [laneOf(deviceId)], 'keeper')
    await leaveToLate(transaction, deviceId, waiting.of(deviceId))
    transaction.whenEnded(end => {
      if (end === 'committed') waiting.derived([deviceId])
    })
  })
}
