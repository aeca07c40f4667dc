import type { Command } from 'commander'
import { OperatorError } from '../errors.ts'
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
