import { ensureAccount, ensureFirstAccount, findAccount } from '../access/accounts.ts'
import type { Transaction } from '../db/transaction.ts'
import { OperatorError } from '../model/errors.ts'

/** The account of `--account`, or the first one; created if there is none. */
export async function chooseAccount(
  transaction: Transaction,
  name: string | undefined,
): Promise<{ readonly id: number; readonly label: string }> {
  if (name === undefined) {
    const first = await ensureFirstAccount(transaction)
    return { id: first.id, label: `account ${first.name}` }
  }
  const { id, isNew } = await ensureAccount(transaction, name)
  // Reported, because it may be a typing error.
  return { id, label: `${isNew ? 'the new account' : 'account'} ${name}` }
}

/** The id of the account of `--account`. @throws OperatorError when there is none of that name. */
export async function accountIdOf(transaction: Transaction, name: string): Promise<number> {
  const account = await findAccount(transaction, name)
  if (!account) throw new OperatorError(`There is no account ${name}; \`tacho account add\` makes one.`)
  return account.id
}
