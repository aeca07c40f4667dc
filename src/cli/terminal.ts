import { readFile } from 'node:fs/promises'
import { SingleBar } from 'cli-progress'
import { InvalidArgumentError } from 'commander'
import { ensureAccount, ensureFirstAccount, findAccount } from '../access/accounts.ts'
import type { Transaction } from '../db/transaction.ts'
import { table } from '../lib/table.ts'
import { OperatorError } from '../model/errors.ts'
import { LONGEST_NAME, readName } from '../model/texts.ts'
import { parseTimestamp } from '../server/http/timestamps.ts'

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

/** @throws OperatorError where it cannot be read */
export function readGivenFile(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  })
}

/** In milliseconds since 1970. @throws InvalidArgumentError */
export function parseInstant(text: string): number {
  const instant = parseTimestamp(text)
  if (instant === undefined) throw new InvalidArgumentError('It must be a timestamp such as 2026-01-15T08:00:00Z.')
  return Date.parse(instant)
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

export function printTable<Item>(
  headings: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => readonly string[],
): void {
  console.log(table(headings, items.map(rowOf)))
}

/** A bar on standard error; undefined where that is no terminal. */
export function progressBar(format: string): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined
  return new SingleBar({ format, hideCursor: true, barsize: 30, clearOnComplete: true })
}

/** Runs work with a signal that aborts when the operator or the system interrupts it. @param reason of the signal */
export async function interruptibly<T>(work: (stop: AbortController) => Promise<T>, reason?: Error): Promise<T> {
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(reason)
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, onInterrupt)
  try {
    return await work(stop)
  } finally {
    for (const signal of signals) process.off(signal, onInterrupt)
  }
}
