import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { passwordFault } from '../access/passwords.ts'
import { ensureFirstUser, hasUsers } from '../access/users.ts'
import { type Config, isDataFolderStandard, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import {
  clientErrorOf,
  isRefusedLogin,
  isUndefinedDatabase,
  isUndefinedTable,
  isUnreachableDatabase,
} from '../db/faults.ts'
import { requireVisibleWriters } from '../db/low-watermark.ts'
import { migrate } from '../db/migrations.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { codeOf, OperatorError } from '../model/errors.ts'
import { findRunningServer } from './embedded/server.ts'

/** Migrates, and makes the first user if the settings name one. @throws OperatorError when it cannot be used */
export async function prepareDatabase(url: string, config: Config, log: Logger): Promise<void> {
  const { email, password } = config
  try {
    if (!(await withDatabase(url, hasUsersAlready))) await requireGoodPassword(config)
    await migrate(url, { log })
    await withDatabase(url, requireVisibleWriters)
    if (email && password && (await withDatabase(url, database => ensureFirstUser(database, { email, password }))))
      log.info({ email }, 'the first user is made')
  } catch (error) {
    throw config.databaseUrl ? inWordsOfTheOperator(error) : error
  }
}

/** Also before the database is migrated for the first time. */
async function hasUsersAlready(database: Database): Promise<boolean> {
  return hasUsers(database).catch(error => {
    if (isUndefinedTable(error)) return false
    throw error
  })
}

/** Before anything is made. An existing user keeps the password, whatever the settings say now. @throws OperatorError */
export async function requireGoodPassword({ email, password }: Pick<Config, 'email' | 'password'>): Promise<void> {
  const fault = email && password && (await passwordFault(password, email))
  if (fault) throw new OperatorError(`TACHO_PASSWORD ${fault}.`)
}

export async function withDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url, readerCount: 1, writerCount: 1 })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

function inWordsOfTheOperator(error: unknown): unknown {
  if (error instanceof OperatorError || !(error instanceof Error)) return error
  if (!isUnreachableDatabase(error)) return error
  return new OperatorError(`The database of DATABASE_URL cannot be used: ${error.message || codeOf(error)}.`)
}

export function onServiceDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return onServiceAddress(url => withDatabase(url, work))
}

export function inServiceTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return onServiceDatabase(database => writeTransaction(database, work))
}

/** Works on DATABASE_URL, or the database that runs on TACHO_DATA. @throws OperatorError when it cannot be reached */
export async function onServiceAddress<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const url = await findDatabase()
  try {
    return await work(url)
  } catch (error) {
    throw explained(error)
  }
}

async function findDatabase(): Promise<string> {
  const { databaseUrl, dataFolder } = readConfig()
  if (databaseUrl !== undefined) return databaseUrl
  const running = await findRunningServer(dataFolder, isDataFolderStandard())
  if (running) return running.url
  throw new OperatorError(`Tacho is not running on ${resolve(dataFolder)}; start it or set DATABASE_URL.`)
}

/** The message of the database, if an operator can do something about it. */
function explained(error: unknown): unknown {
  if (error instanceof OperatorError || !(error instanceof Error)) return error
  if (isUndefinedTable(error))
    return new OperatorError('This database has not been set up for Tacho yet: start Tacho on it once.')
  if (isRefusedLogin(error))
    return new OperatorError(
      `The database does not let this user in (run this as the user that runs Tacho): ${error.message}.`,
    )
  if (isUndefinedDatabase(error)) return new OperatorError(`The database cannot be used: ${error.message}.`)
  const passing = clientErrorOf(error)
  return passing ? new OperatorError(`${passing.message} (${error.message || codeOf(error)})`) : error
}
