import { resolve } from 'node:path'
import { isDataFolderStandard, readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { clientErrorOf, isRefusedLogin, isUndefinedDatabase, isUndefinedTable } from '../db/faults.ts'
import { codeOf, OperatorError } from '../model/errors.ts'
import { findRunningServer } from './embedded/running-server.ts'
import { withDatabase } from './prepare-database.ts'

/** Like `onServiceAddress`, with an open database. */
export function onServiceDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return onServiceAddress(url => withDatabase(url, work))
}

/**
 * Runs a command against the database of the service: DATABASE_URL, or the one that runs on TACHO_DATA.
 * @throws OperatorError when it can not be reached, besides what `work` throws.
 */
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
  if (isUndefinedDatabase(error)) return new OperatorError(`The database can not be used: ${error.message}.`)
  const passing = clientErrorOf(error)
  return passing ? new OperatorError(`${passing.message} (${error.message || codeOf(error)})`) : error
}
