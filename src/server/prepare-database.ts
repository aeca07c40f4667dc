import type { Logger } from 'pino'
import { passwordFault } from '../access/passwords.ts'
import { ensureFirstUser, hasUsers } from '../access/users.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { isUnreachableDatabase } from '../db/faults.ts'
import { requireVisibleWriters } from '../db/low-watermark.ts'
import { migrate } from '../db/migrations.ts'
import { codeOf, OperatorError } from '../model/errors.ts'

/**
 * Prepares a database for the roles: the schema, and the first user if the settings name one. Several nodes may do this
 * at the same time.
 * @throws OperatorError when the database can not be used.
 */
export async function prepareDatabase(url: string, config: Config, log: Logger): Promise<void> {
  const { email, password } = config
  try {
    await migrate(url, { log })
    await withDatabase(url, requireVisibleWriters)
    if (email && password && (await withDatabase(url, database => makeFirstUser(database, { email, password }))))
      log.info({ email }, 'the first user is made')
  } catch (error) {
    throw config.databaseUrl ? inWordsOfTheOperator(error) : error
  }
}

/** An existing user keeps the password, whatever the settings say now; only a new one is checked. */
async function makeFirstUser(
  database: Database,
  login: { readonly email: string; readonly password: string },
): Promise<boolean> {
  if (await hasUsers(database)) return false
  const fault = await passwordFault(login.password, login.email)
  if (fault !== undefined) throw new OperatorError(`TACHO_PASSWORD ${fault}.`)
  return ensureFirstUser(database, login)
}

/** Opens a database for one piece of work. */
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
  return new OperatorError(`The database of DATABASE_URL can not be used: ${error.message || codeOf(error)}.`)
}
