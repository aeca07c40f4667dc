import type { Command } from 'commander'
import { eventTypeById } from '../catalogue/event-types.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { readImei } from '../fleet/device-entry.ts'
import { OperatorError } from '../model/errors.ts'
import { type DeviceId, type EventValue, eventsOf } from '../model/sample.ts'
import { DAY_MS } from '../model/time-range.ts'
import { inServiceTransaction, onServiceDatabase } from '../server/database.ts'
import {
  isSealingPaused,
  pauseSealing,
  readSamples,
  readSealedDayFigures,
  readSealedFigures,
  type SealedDayFigures,
  type SealedFigures,
  sampleOfRaw,
} from '../store/index.ts'
import { parsedBy, printTable } from './terminal.ts'

export function registerHistory(program: Command): void {
  const history = program.command('history').description('how far old measurements are sealed (SEALED_AFTER_DAYS)')
  history
    .command('status', { isDefault: true })
    .description('show how much is sealed, and what it takes')
    .action(() => onServiceDatabase(printStatus))
  history
    .command('show')
    .description('show every measurement of a day, and what it takes where it is sealed')
    .argument('<imei>', 'of the dongle', parsedBy(readImei))
    .argument('<day>', 'such as 2026-01-15, in UTC', parsedBy(readDay))
    .action((deviceId: DeviceId, dayMs: number) => onServiceDatabase(database => printDay(database, deviceId, dayMs)))
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
  await inServiceTransaction(transaction => pauseSealing(transaction, isPaused))
  console.log(isPaused ? 'Sealing is paused.' : 'Sealing goes on.')
}

async function printStatus(database: Database): Promise<void> {
  const afterDays = readConfig().sealedAfterDays
  console.log(statusText(await readSealedFigures(database), { isPaused: await isSealingPaused(database), afterDays }))
}

interface SealingState {
  readonly isPaused: boolean
  readonly afterDays: number | undefined
}

function statusText(figures: SealedFigures, { isPaused, afterDays }: SealingState): string {
  const { days, samples, values, bytes, firstDay, lastDay, rowSamples, rowBytes, rowTables } = figures
  const sealed =
    days === 0
      ? 'Nothing is sealed.'
      : `Sealed: ${days} days of devices from ${firstDay} to ${lastDay}, ${samples} samples with ${values} values in ${megabytes(bytes)} (${(bytes / values).toFixed(2)} bytes a value).`
  const left = `Not sealed: about ${rowSamples} samples in ${megabytes(rowBytes)}, ${rowTables} ${rowTables === 1 ? 'table' : 'tables'}.`
  const setting =
    afterDays === undefined
      ? 'SEALED_AFTER_DAYS is off here: nothing more will be sealed.'
      : `Days are sealed when they ended ${afterDays} days ago.`
  const paused = isPaused ? ['Paused: `tacho history resume` goes on.'] : []
  return [sealed, left, setting, ...paused].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function readDay(text: string): number {
  const dayMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(dayMs)) throw new Error('must be a day such as 2026-01-15')
  return dayMs
}

async function printDay(database: Database, deviceId: DeviceId, dayMs: number): Promise<void> {
  const figures = await readSealedDayFigures(database, deviceId, dayMs)
  const rows: string[][] = []
  const day = { deviceId, fromMs: dayMs, toMs: dayMs + DAY_MS }
  for await (const chunk of readSamples(database, [day], { direction: 'ascending' }))
    for (const raw of chunk)
      for (const [id, value] of eventsOf(sampleOfRaw(raw))) {
        const { name, unit } = eventTypeById(id)
        rows.push([new Date(raw.timeMs).toISOString(), name, valueText(value), unit])
      }
  if (rows.length === 0) throw new OperatorError('Nothing is stored of that dongle and day.')
  console.log(figures ? sealedText(figures) : 'This day is not sealed.')
  printTable(['recorded', 'event type', 'value', 'unit'], rows, row => row)
}

function sealedText({ samples, bodyBytes, rollupBytes, codings }: SealedDayFigures): string {
  const columns = Array.from(codings, ([type, ofType]) => `${eventTypeById(type).name}: ${ofType.join('; ')}`)
  return [`Sealed: ${samples} samples in ${bodyBytes} bytes, rollup ${rollupBytes} bytes.`, ...columns].join('\n')
}

function valueText(value: EventValue): string {
  return typeof value === 'object' ? `${value.lat}, ${value.lon}` : String(value)
}
