import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { readOlderProcesses } from '../db/older-processes.ts'
import { writeTransaction } from '../db/transaction.ts'
import { onServiceDatabase } from '../server/database.ts'
import { isSealingPaused, pauseSealing, readSealedFigures, type SealedFigures } from '../store/index.ts'

/** `tacho history`: how far old measurements are sealed. */
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
