import type { Command } from 'commander'
import { eventTypeById } from '../catalogue/event-types.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { readKnownImei } from '../fleet/device-entry.ts'
import { table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { type DeviceId, type EventValue, eventsOf } from '../model/sample.ts'
import { onServiceDatabase } from '../server/database.ts'
import { samplesOfBody } from '../store/sealed/samples-of-body.ts'
import { readSealedFigures, type SealedFigures } from '../store/sealed/sealed-figures.ts'
import { isSealingPaused, pauseSealing } from '../store/sealed/sealing-paused.ts'
import { parsedBy } from './arguments.ts'

/** `tacho history`: how far old measurements are sealed, and what a sealed day holds. */
export function registerHistory(program: Command): void {
  const history = program.command('history').description('how far old measurements are sealed (SEALED_AFTER_DAYS)')
  history
    .command('status', { isDefault: true })
    .description('show how much is sealed, and what it takes')
    .action(() => onServiceDatabase(printStatus))
  history
    .command('show')
    .description('show every measurement of a sealed day')
    .argument('<imei>', 'of the dongle', parsedBy(readKnownImei))
    .argument('<day>', 'such as 2026-01-15, in UTC', parsedBy(readDay))
    .action((deviceId: DeviceId, day: string) => onServiceDatabase(database => printDay(database, deviceId, day)))
  history
    .command('pause')
    .description('seal nothing for now, on all nodes')
    .action(() => setPaused(true))
  history
    .command('resume')
    .description('go on sealing')
    .action(() => setPaused(false))
}

async function setPaused(isPaused: boolean): Promise<void> {
  await onServiceDatabase(database => writeTransaction(database, transaction => pauseSealing(transaction, isPaused)))
  console.log(isPaused ? 'Sealing is paused.' : 'Sealing goes on.')
}

async function printStatus(database: Database): Promise<void> {
  const afterDays = readConfig().sealedAfterDays
  console.log(statusText(await readSealedFigures(database), { isPaused: await isSealingPaused(database), afterDays }))
}

/** What decides whether more is sealed. */
interface SealingState {
  readonly isPaused: boolean
  readonly afterDays: number | undefined
}

function statusText(figures: SealedFigures, { isPaused, afterDays }: SealingState): string {
  const { days, daysWithoutRollup, samples, values, bytes, firstDay, lastDay, rowSamples, rowBytes, rowTables } =
    figures
  const sealed =
    days === 0
      ? 'Nothing is sealed.'
      : `Sealed: ${days} days of devices from ${firstDay} to ${lastDay}, ${samples} samples with ${values} values in ${megabytes(bytes)} (${(bytes / values).toFixed(2)} bytes a value).`
  const left = `Not sealed: about ${rowSamples} samples in ${megabytes(rowBytes)}, ${rowTables} ${rowTables === 1 ? 'table' : 'tables'}.`
  const setting =
    afterDays === undefined
      ? 'SEALED_AFTER_DAYS is off here: nothing more will be sealed.'
      : `Days are sealed when they ended ${afterDays} days ago.`
  const rollups =
    daysWithoutRollup === 0
      ? []
      : [
          `Rollups for charts: ${days - daysWithoutRollup} of ${days} days; the others get theirs in the background${afterDays === undefined ? ' where SEALED_AFTER_DAYS is not off' : ''}.`,
        ]
  const paused = isPaused ? ['Paused: `tacho history resume` goes on.'] : []
  return [sealed, ...rollups, left, setting, ...paused].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** @throws Error saying how it must be */
function readDay(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
  if (!isDay) throw new Error('must be a day such as 2026-01-15')
  return text
}

async function printDay(database: Database, deviceId: DeviceId, day: string): Promise<void> {
  const [sealed] = await database.rows<{ body: Buffer }>(
    sql`select body from sealed_days where device_id = ${deviceId} and day = ${day}::date`,
  )
  if (!sealed) throw new OperatorError(`No sealed day ${day} of the dongle ${deviceId} is there.`)
  const rows = samplesOfBody(deviceId, sealed.body).flatMap(sample =>
    [...eventsOf(sample)].map(([id, value]) => {
      const { name, unit } = eventTypeById(id)
      return [new Date(sample.timeMs).toISOString(), name, valueText(value), unit]
    }),
  )
  console.log(table(['recorded', 'event type', 'value', 'unit'], rows))
}

/** A position is latitude, longitude. */
function valueText(value: EventValue): string {
  return typeof value === 'object' ? `${value.lat}, ${value.lon}` : String(value)
}
