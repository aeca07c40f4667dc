import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { LOCKS, whenAlone } from '../../db/locks.ts'
import { readOldestWriter } from '../../db/low-watermark.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { readDeviceWithChangedRules } from '../device-records/refolds.ts'
import { enterRuleChanges, hasRuleChanges, seeRuleChanges } from '../incidents/rule-changes.ts'
import type { Failing } from '../out-of-order/failing.ts'
import type { StretchSize } from './fold-stretch.ts'
import type { Pace } from './pace.ts'
import { refoldHistory } from './refold-history.ts'

interface ByRulesOptions {
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly failing: Failing
  readonly log: Logger
  readonly size?: StretchSize
  /** See `lockDevices`. */
  readonly backlog?: Backlog
}

/**
 * Folds devices again of which the rules are others than before, from when on they are (docs/adr/0034): one device of each account
 * in turn, one node at a time. Devices that fail do not delay others.
 * @returns how many devices were done
 * @throws when the database fails: then it is to be retried
 */
export async function refoldByRules(database: Database, options: ByRulesOptions): Promise<number> {
  if (await hasRuleChanges(database)) await enterChanges(database)
  if ((await readDeviceWithChangedRules(database, options.failing.resting())) === undefined) return 0
  let done = 0
  await whenAlone(database, LOCKS.refoldByRules, async connection => {
    while (!options.signal.aborted) {
      const deviceId = await readDeviceWithChangedRules(connection, options.failing.resting())
      if (deviceId === undefined) break
      if (await refoldApart(database, deviceId, options)) done++
      if (await hasRuleChanges(connection)) await enterChanges(database)
    }
  })
  return done
}

/**
 * Whoever began to derive before a change was committed may have read the rules before it, and its result is to be folded again, too:
 * devices are entered once all of those have ended. Not by the low watermark: that passes those that have only read so far.
 */
async function enterChanges(database: Database): Promise<void> {
  await writeTransaction(database, seeRuleChanges)
  const oldestWriter = await readOldestWriter(database)
  await writeTransaction(database, transaction => enterRuleChanges(transaction, oldestWriter))
}

async function refoldApart(
  database: Database,
  deviceId: DeviceId,
  { failing, log, ...options }: ByRulesOptions,
): Promise<boolean> {
  try {
    const isDone = await refoldHistory(database, deviceId, { ...options, isEntered: true })
    if (isDone) failing.succeeded(deviceId)
    return isDone
  } catch (error) {
    if (clientErrorOf(error)) throw error
    failing.failed(deviceId, false)
    log.error({ err: error, deviceId }, 'a device could not be folded again by changed rules; it will be tried again')
    return false
  }
}
