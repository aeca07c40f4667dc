import { type Command, InvalidArgumentError } from 'commander'
import { OperatorError } from '../errors.ts'
import { type QuotaChoice, readQuotaChoice, setQuota } from '../store/account-quotas.ts'
import { ensureAccount, ensureFirstAccount, findAccount, listAccounts } from '../store/accounts.ts'
import { type Transaction, writeTransaction } from '../store/transaction.ts'
import { parseName } from './name.ts'
import { onServiceDatabase } from './service-database.ts'
import { minuteText, table } from './table.ts'

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

/** The account of `--account`, or the first one; made if there is none. */
export async function chooseAccount(
  transaction: Transaction,
  name: string | undefined,
): Promise<{ readonly id: number; readonly label: string }> {
  if (name === undefined) {
    const first = await ensureFirstAccount(transaction)
    return { id: first.id, label: `account ${first.name}` }
  }
  const { id, isNew } = await ensureAccount(transaction, name)
  // Said, because it may be a slip of the pen.
  return { id, label: `${isNew ? 'the new account' : 'account'} ${name}` }
}

/** The id of the account of `--account`. @throws OperatorError when there is none of that name. */
export async function accountIdOf(transaction: Transaction, name: string): Promise<number> {
  const account = await findAccount(transaction, name)
  if (!account) throw new OperatorError(`There is no account ${name}; \`tacho account add\` makes one.`)
  return account.id
}
