import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { ensureFirstAccount } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { createKey, listKeys, revokeKey } from '../store/keys.ts'
import { sql } from '../store/sql.ts'
import { writeTransaction } from '../store/transaction.ts'
import { ensureFirstUser, listUsers } from '../store/users.ts'
import { DEMO_FLEET } from './demo/fleet.ts'
import { runDemoFleet } from './demo-fleet.ts'
import { type KeptChild, keepChild } from './kept-child.ts'
import { withDatabase } from './prepare-database.ts'
import { processLog } from './process-log.ts'
import { awaitStop } from './stop-request.ts'
import { welcome } from './welcome.ts'

const DEMO_EMAIL = 'demo@tacho.example'
const DEMO_KEY_NAME = 'demo fleet'

export interface DemoOptions {
  readonly url: string
  readonly config: Config
  readonly environment: NodeJS.ProcessEnv
  readonly log: Logger
  /** Where the API listens. */
  readonly address: string
}

/**
 * What `npm start` adds to the service: a login while there is no user, a made-up fleet while there is no other, and a few words
 * on how to go on.
 * @returns the process of the fleet, if it runs.
 */
export async function startDemo({
  url,
  config,
  environment,
  log,
  address,
}: DemoOptions): Promise<KeptChild | undefined> {
  return withDatabase(url, async database => {
    const password = randomBytes(9).toString('base64url')
    const isNew = !config.email && (await ensureFirstUser(database, { email: DEMO_EMAIL, password }))
    const emails = (await listUsers(database)).filter(user => !user.revoked).map(user => user.email)
    console.log(
      welcome({
        address,
        email: isNew || emails.includes(DEMO_EMAIL) ? DEMO_EMAIL : emails[0],
        ...(isNew && { password }),
      }),
    )
    if (!(await isOnlyDemo(database))) return undefined
    const key = await renewKey(database)
    return keepChild({
      name: 'demo fleet',
      args: ['demo-fleet', '--url', address],
      environment: { ...environment, TACHO_KEY: key },
      log,
    })
  })
}

/** No car of somebody's own is there: the made-up fleet disturbs nobody, and after a restart it goes on. */
async function isOnlyDemo(database: Database): Promise<boolean> {
  const known = DEMO_FLEET.map(({ dongle }) => dongle.deviceId)
  const [other] = await database.rows(sql`select id from devices where id <> all (${known}::bigint[]) limit 1`)
  return other === undefined
}

/** A key is shown once only, so every start has its own; those of earlier starts are revoked. */
function renewKey(database: Database): Promise<string> {
  return writeTransaction(database, async transaction => {
    for (const key of await listKeys(transaction))
      if (key.name === DEMO_KEY_NAME && !key.revoked) await revokeKey(transaction, String(key.id))
    const account = await ensureFirstAccount(transaction)
    return createKey(transaction, {
      accountId: account.id,
      name: DEMO_KEY_NAME,
      permissions: ['ingest'],
      expires: undefined,
    })
  })
}

/** `tacho demo-fleet`: what `npm start` runs in a process of its own. */
export function registerDemoFleet(program: Command): void {
  program
    .command('demo-fleet', { hidden: true })
    .requiredOption('--url <address>', 'address of the service')
    .action(async ({ url }: { url: string }) => {
      const { apiKey, logLevel } = readConfig()
      if (!apiKey) throw new OperatorError('TACHO_KEY must hold a key with the ingest permission.')
      const log = processLog('demo fleet', { logLevel })
      await runDemoFleet({ baseUrl: url, key: apiKey, signal: awaitStop(log, 5000), log: line => console.log(line) })
      if (process.connected) process.disconnect()
    })
}
