import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { letAccountDaysBeDue, readWrongAccountDays, refreshAccountDays } from '../derive/days/account-days.ts'
import { countHistories, countOutdated, readHistoriesUnderWay } from '../derive/due.ts'
import { differenceText, rebuildDevice } from '../derive/rebuild.ts'
import { OperatorError } from '../model/errors.ts'
import { type DeviceId, deviceIdOf } from '../model/sample.ts'
import { onServiceDatabase } from '../server/database.ts'
import { interruptibly, progressBar } from './terminal.ts'

interface RebuildCommandOptions {
  readonly device?: DeviceId
  readonly check?: boolean
  readonly status?: boolean
}

export function registerRebuild(program: Command): void {
  program
    .command('rebuild')
    .description(
      'work trips, codes, assignments, latest values and statistics out anew from the measurements and correct what differs; the service may run meanwhile',
    )
    .option('--device <imei>', 'only of this device', parseDevice)
    .option('--check', 'only tell what differs')
    .addOption(
      new Option(
        '--status',
        'only tell how far the running service has folded the histories of devices again after an upgrade',
      ).conflicts(['device', 'check']),
    )
    .addHelpText('after', '\nEnds with 0 when nothing differed, else with 1.')
    .action((options: RebuildCommandOptions) =>
      options.status ? onServiceDatabase(printRebuildStatus) : rebuild(options),
    )
}

function parseDevice(text: string): DeviceId {
  const deviceId = /^\d+$/.test(text) ? deviceIdOf(Number(text)) : undefined
  if (deviceId === undefined) throw new InvalidArgumentError('It must be an IMEI.')
  return deviceId
}

async function rebuild({ device, check: isCheck = false }: RebuildCommandOptions): Promise<void> {
  const count = await interruptibly(stop =>
    onServiceDatabase(async database => {
      const deviceIds = await readDevices(database, device)
      const ofDevices = await rebuildDevices(database, deviceIds, isCheck, stop.signal)
      return ofDevices + (device === undefined ? await rebuildAccountDays(database, isCheck) : 0)
    }),
  )
  if (count === 0) return console.log('no differences')
  console.log(`${count} ${count === 1 ? 'difference' : 'differences'}, ${isCheck ? 'left as they are' : 'corrected'}`)
  process.exitCode = 1
}

async function readDevices(database: Database, wanted: DeviceId | undefined): Promise<DeviceId[]> {
  const rows = await database.rows<{ id: DeviceId }>(
    sql`select id from devices where id = coalesce(${wanted ?? null}::bigint, id) and deleted is null order by id`,
  )
  if (wanted !== undefined && rows.length === 0) throw new OperatorError(`There is no device ${wanted}.`)
  return rows.map(row => row.id)
}

async function rebuildDevices(
  database: Database,
  deviceIds: readonly DeviceId[],
  isCheck: boolean,
  signal: AbortSignal,
): Promise<number> {
  const progress = rebuildProgress(deviceIds.length)
  let count = 0
  try {
    for (const [done, deviceId] of deviceIds.entries()) {
      if (signal.aborted)
        throw new OperatorError(
          `Stopped after ${done} of ${deviceIds.length} devices, with ${count} differences so far${isCheck ? '' : ', which are corrected'}.`,
        )
      for (const difference of await rebuildDevice(database, deviceId, { isCheck })) {
        count++
        progress.print(`${deviceId} ${differenceText(difference)}`)
      }
      progress.step()
    }
  } finally {
    progress.stop()
  }
  return count
}

async function rebuildAccountDays(database: Database, isCheck: boolean): Promise<number> {
  const wrong = await readWrongAccountDays(database)
  for (const { account_id, day, stored, right } of wrong)
    console.log(`account ${account_id} day ${day}: was ${stored ?? 'nothing'}, is ${right ?? 'nothing'}`)
  if (isCheck) return wrong.length
  if (wrong.length > 0) await writeTransaction(database, transaction => letAccountDaysBeDue(transaction, wrong))
  while (await refreshAccountDays(database));
  return wrong.length
}

async function printRebuildStatus(database: Database): Promise<void> {
  const [devices, left] = [await countHistories(database), await countOutdated(database)]
  const rest = left === 0 ? 'nothing waits' : 'Tacho does the rest while it runs'
  console.log(
    `folded by the rules of this version: ${countText(devices - left)} of ${countText(devices)} devices; ${rest}`,
  )
  for (const { deviceId, foldedTo } of await readHistoriesUnderWay(database))
    console.log(`${deviceId} is folded again up to ${foldedTo.slice(0, 16).replace('T', ' ')}Z`)
}

function countText(count: number): string {
  return count.toLocaleString('en-US')
}

/** Progress of a rebuild, on standard error: a bar on a terminal, nothing otherwise. */
interface RebuildProgress {
  step(): void
  /** Prints a line on standard output, beside the bar. */
  print(line: string): void
  stop(): void
}

export function rebuildProgress(devices: number): RebuildProgress {
  const bar = progressBar('{bar} {percentage}% | {value} of {total} devices | {eta_formatted} left')
  let done = 0
  bar?.start(devices, 0)
  return {
    step: () => bar?.update(++done),
    print(line) {
      bar?.stop()
      console.log(line)
      bar?.start(devices, done)
    },
    stop: () => bar?.stop(),
  }
}
