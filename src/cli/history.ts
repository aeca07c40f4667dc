import type { Command } from 'commander'
import { eventTypeById } from '../catalogue/event-types.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { readOlderProcesses } from '../db/older-processes.ts'
import { writeTransaction } from '../db/transaction.ts'
import { OperatorError } from '../model/errors.ts'
import { type DeviceId, deviceIdOfText, eventsOf, type Sample } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import { onServiceDatabase } from '../server/database.ts'
import {
  DAY_MS,
  isSealingPaused,
  pauseSealing,
  readSamples,
  readSealedDayFigures,
  readSealedFigures,
  type SealedDayFigures,
  type SealedFigures,
  sampleOfRaw,
} from '../store/index.ts'

/** `tacho history`: how far old measurements are sealed, and what a day holds. */
export function registerHistory(program: Command): void {
  const history = program.command('history').description('how far old measurements are sealed (SEALED_AFTER_DAYS)')
  history
    .command('status', { isDefault: true })
    .description('show how much is sealed, and what it takes')
    .action(() =>
      onServiceDatabase(async database => {
        console.log(
          statusText(await readSealedFigures(database), {
            isPaused: await isSealingPaused(database),
            older: await readOlderProcesses(database),
            afterDays: readConfig().sealedAfterDays,
          }),
        )
      }),
    )
  history
    .command('show')
    .description('print every sample of a device and day (UTC), and of a sealed day what it takes')
    .argument('<device>', 'its IMEI')
    .argument('<day>', 'as 2026-03-02')
    .action((device: string, day: string) => {
      const [deviceId, range] = [deviceOf(device), dayOf(day)]
      return onServiceDatabase(async database => {
        for (const line of await dayLines(database, deviceId, range)) console.log(line)
      })
    })
  history
    .command('pause')
    .description('seal nothing for now, on all nodes')
    .action(() => setPaused(true))
  history
    .command('resume')
    .description('go on sealing')
    .action(() => setPaused(false))
}

/** Every sample of a day in a line, and of a sealed day what it takes. */
export async function dayLines(database: Database, deviceId: DeviceId, day: TimeRange): Promise<string[]> {
  const figures = await readSealedDayFigures(database, deviceId, day.fromMs)
  const lines = figures ? sealedLines(figures) : ['This day is not sealed.']
  for await (const chunk of readSamples(database, [{ deviceId, ...day }], { direction: 'ascending' }))
    for (const raw of chunk) lines.push(sampleLine(sampleOfRaw(raw)))
  return lines
}

function sealedLines({ samples, bodyBytes, rollupBytes, codings }: SealedDayFigures): string[] {
  return [
    `Sealed: ${samples} samples in ${bodyBytes} bytes, rollup ${rollupBytes} bytes.`,
    ...Array.from(codings, ([type, ofType]) => `  ${eventTypeById(type).name}: ${ofType.join('; ')}`),
  ]
}

function sampleLine(sample: Sample): string {
  const values = Array.from(
    eventsOf(sample),
    ([type, value]) => `${eventTypeById(type).name}=${typeof value === 'object' ? `${value.lon},${value.lat}` : value}`,
  )
  return [new Date(sample.timeMs).toISOString(), ...values].join(' ')
}

/** A day of UTC as ISO 8601 writes it. */
function dayOf(text: string): TimeRange {
  const fromMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(fromMs)) throw new OperatorError(`“${text}” is no day; a day is written as 2026-03-02.`)
  return { fromMs, toMs: fromMs + DAY_MS }
}

function deviceOf(text: string): DeviceId {
  const deviceId = deviceIdOfText(text)
  if (deviceId === undefined) throw new OperatorError(`“${text}” is no IMEI.`)
  return deviceId
}

async function setPaused(isPaused: boolean): Promise<void> {
  await onServiceDatabase(database => writeTransaction(database, transaction => pauseSealing(transaction, isPaused)))
  console.log(isPaused ? 'Sealing is paused.' : 'Sealing goes on.')
}

/** What decides whether more is sealed. */
interface SealingState {
  readonly isPaused: boolean
  /** Processes of older versions. */
  readonly older: readonly string[]
  readonly afterDays: number | undefined
}

/** What `tacho history` prints. */
function statusText(figures: SealedFigures, { isPaused, older, afterDays }: SealingState): string {
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
  const waiting =
    older.length === 0
      ? []
      : [`Waits until processes of an older version, which read no sealed days, end: ${older.join(', ')}.`]
  const paused = isPaused ? ['Paused: `tacho history resume` goes on.'] : []
  return [sealed, left, setting, ...waiting, ...paused].join('\n')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
