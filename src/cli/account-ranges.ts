import type { Command } from 'commander'
import { writeTransaction } from '../db/transaction.ts'
import { readImeiRange } from '../fleet/provisioning/entry-values.ts'
import { handOut, type ImeiRange, listHandedOut, takeBack } from '../fleet/provisioning/handed-out.ts'
import { minuteText, table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { onServiceDatabase } from '../server/database.ts'
import { parsedBy, parseName } from './arguments.ts'
import { accountIdOf } from './chosen-account.ts'

/** `tacho account hand-out` and related commands: which IMEIs an account may register by itself. */
export function registerRanges(account: Command): void {
  const imeis = (description: string) =>
    [
      '<imeis...>',
      description,
      // Commander passes the value parsed so far.
      (text: string, before: readonly ImeiRange[] = []) => [...before, parsedBy(readImeiRange)(text)],
    ] as const
  account
    .command('hand-out')
    .description('let an account register dongles itself; needed once there are several accounts')
    .argument('<account>', 'its name', parseName)
    .argument(...imeis('IMEIs, and ranges such as 356307042441000-356307042441999'))
    .action(give)
  account
    .command('take-back')
    .description('take IMEIs back; dongles that are there stay where they are')
    .argument('<account>', 'its name', parseName)
    .argument(...imeis('IMEIs and ranges'))
    .action(take)
  account
    .command('ranges')
    .description('show which IMEIs were handed out')
    .argument('[account]', 'to one account', parseName)
    .action(list)
}

async function give(account: string, ranges: readonly ImeiRange[]): Promise<void> {
  const elsewhere = await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const accountId = await accountIdOf(transaction, account)
      const conflicts: string[] = []
      for (const range of ranges) {
        const outcome = await handOut(transaction, accountId, range)
        // Then nothing of the command takes effect.
        if (outcome.kind === 'taken')
          throw new OperatorError(
            outcome.by.map(by => `${rangeText(by)} was handed out to ${by.account} already.`).join('\n'),
          )
        conflicts.push(
          ...outcome.elsewhere.map(item => `The dongle ${item.deviceId} is in the account ${item.account}`),
        )
      }
      return conflicts
    }),
  )
  console.error(`${ranges.map(rangeText).join(', ')} may be registered by ${account}.`)
  for (const conflict of elsewhere)
    console.error(`${conflict}: \`tacho device move --account\` or \`tacho device delete\` changes that.`)
}

async function take(account: string, ranges: readonly ImeiRange[]): Promise<void> {
  await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const accountId = await accountIdOf(transaction, account)
      for (const range of ranges)
        if (!(await takeBack(transaction, accountId, range)))
          throw new OperatorError(`Nothing of ${rangeText(range)} was handed out to ${account}.`)
    }),
  )
  console.error(`${ranges.map(rangeText).join(', ')} may no longer be registered by ${account}.`)
}

async function list(account: string | undefined): Promise<void> {
  const ranges = await onServiceDatabase(database => listHandedOut(database, account))
  console.log(
    table(
      ['account', 'imeis', 'dongles', 'since'],
      ranges.map(item => [item.account, rangeText(item), String(item.devices), minuteText(item.created)]),
    ),
  )
}

function rangeText({ first, last }: ImeiRange): string {
  return first === last ? String(first) : `${first}-${last}`
}
