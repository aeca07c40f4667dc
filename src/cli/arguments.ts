import { InvalidArgumentError } from 'commander'
import { ensureAccount, ensureFirstAccount, findAccount } from '../access/accounts.ts'
import type { Transaction } from '../db/transaction.ts'
import { OperatorError } from '../model/errors.ts'
import { LONGEST_NAME, readName } from '../model/texts.ts'

/** Reads the name of an account or a key. @throws InvalidArgumentError when it is not a valid name. */
export function parseName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw new InvalidArgumentError(`A name has 1 to ${LONGEST_NAME} characters on one line.`)
  return name
}

/** Makes an argument parser from a function that throws what is wrong, worded to follow "It". */
export function parsedBy<T>(read: (text: string) => T): (text: string) => T {
  return text => {
    try {
      return read(text.trim())
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
}

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
