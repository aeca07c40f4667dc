import { type Command, InvalidArgumentError } from 'commander'
import { ensureAccount, listAccounts } from '../access/accounts.ts'
import { type QuotaChoice, readQuotaChoice, setQuota } from '../db/account-quotas.ts'
import { writeTransaction } from '../db/transaction.ts'
import { minuteText, table } from '../lib/table.ts'
import { onServiceDatabase } from '../server/database.ts'
import { registerRanges } from './account-ranges.ts'
import { registerAccountNetworks } from './allowed-networks.ts'
import { parseName } from './arguments.ts'
import { accountIdOf } from './chosen-account.ts'

/** `tacho account`: the customers of the service, each of which sees its own devices and nothing else. */
export function registerAccount(program: Command): void {
  const account = program.command('account').description('customers, each with its own devices, users and keys')
  account.command('add').description('make an account').argument('<name>', 'its name', parseName).action(add)
  account.command('list').description('show all accounts').action(list)
  account
    .command('quota')
    .description('show, or set, how much an account may send and keep')
    .argument('<name>', 'its name', parseName)
    .option(
      '--events-per-minute <number>',
      'events that it may send in a minute; none, or default for the setting',
      choice,
    )
    .option('--volume-mb <number>', 'megabytes that are kept of it; none, or default for the setting', choice)
    .action(quota)
  registerRanges(account)
  registerAccountNetworks(account)
}

async function add(name: string): Promise<void> {
  const { isNew } = await onServiceDatabase(database =>
    writeTransaction(database, transaction => ensureAccount(transaction, name)),
  )
  console.error(isNew ? `The account ${name} was made.` : `There is an account ${name} already.`)
}

async function list(): Promise<void> {
  const accounts = await onServiceDatabase(listAccounts)
  console.log(
    table(
      ['name', 'dongles', 'vehicles', 'users', 'keys', 'created'],
      accounts.map(item => [
        item.name,
        ...[item.devices, item.vehicles, item.users, item.keys].map(String),
        minuteText(item.created),
      ]),
    ),
  )
}

interface QuotaOptions {
  readonly eventsPerMinute?: QuotaChoice
  readonly volumeMb?: QuotaChoice
}

async function quota(name: string, { eventsPerMinute, volumeMb }: QuotaOptions): Promise<void> {
  const now = await onServiceDatabase(database =>
    writeTransaction(database, async transaction => {
      const accountId = await accountIdOf(transaction, name)
      await setQuota(transaction, accountId, { eventsPerMinute, volumeMb })
      return readQuotaChoice(transaction, accountId)
    }),
  )
  console.log(
    table(
      ['name', 'events a minute', 'volume', 'kept'],
      [[name, String(now.eventsPerMinute), megabytes(now.volumeMb), megabytes(Math.round(now.volumeBytes / 1e6))]],
    ),
  )
}

function megabytes(volumeMb: QuotaChoice): string {
  return typeof volumeMb === 'number' ? `${volumeMb} MB` : volumeMb
}

const MOST = 1_000_000_000

/** @throws InvalidArgumentError */
function choice(text: string): QuotaChoice {
  if (text === 'none' || text === 'default') return text
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > MOST)
    throw new InvalidArgumentError(`A whole number from 1 to ${MOST}, none or default is needed.`)
  return number
}
