import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { ensureFirstAccount } from '../access/accounts.ts'
import { ensureFirstUser, listUsers } from '../access/users.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { admitDevices } from '../fleet/with-consequences.ts'
import { withDatabase } from '../server/database.ts'
import { type KeptChild, keepChild } from '../server/kept-child.ts'
import { type Lab, loadLab } from './lab.ts'

const DEMO_EMAIL = 'demo@tacho.example'
const DONGLE_MODEL = 'FMC003'

interface DemoOptions {
  readonly url: string
  readonly config: Config
  readonly environment: NodeJS.ProcessEnv
  readonly log: Logger
  readonly address: string
  /** Where dongles report, as `host:port`; undefined when they cannot. */
  readonly teltonika: string | undefined
}

/** `npm start`: a login if there is no user, a made-up fleet if there is no other, and the next steps. */
export async function startDemo(options: DemoOptions): Promise<KeptChild | undefined> {
  const { url, config, environment, log, address, teltonika } = options
  return withDatabase(url, async database => {
    const password = randomBytes(9).toString('base64url')
    const isNew = !config.email && (await ensureFirstUser(database, { email: DEMO_EMAIL, password }))
    const emails = (await listUsers(database)).filter(user => !user.revoked).map(user => user.email)
    console.log(
      welcome({
        address,
        teltonika,
        email: isNew || emails.includes(DEMO_EMAIL) ? DEMO_EMAIL : emails[0],
        ...(isNew && { password }),
      }),
    )
    // The made-up dongles do not use TLS.
    if (!teltonika || config.teltonikaTlsCertFile !== undefined || config.unknownDevices === 'reject') return undefined
    const dongles = (await loadLab())?.demoDongles()
    if (!dongles || !(await isOnlyDemo(database, dongles))) return undefined
    // The account that unknown dongles join.
    await writeTransaction(database, async transaction => {
      const account = await ensureFirstAccount(transaction)
      await nameCars(transaction, dongles, account.id)
    })
    return keepChild({ name: 'demo fleet', args: ['demo-fleet', '--teltonika', teltonika], environment, log })
  })
}

type DemoDongles = ReturnType<Lab['demoDongles']>

/** Where there are no real cars, the made-up fleet disturbs nobody, and continues after a restart. */
async function isOnlyDemo(database: Database, dongles: DemoDongles): Promise<boolean> {
  const known = dongles.map(({ deviceId }) => deviceId)
  const [other] = await database.rows(sql`select id from devices where id <> all (${known}::bigint[]) limit 1`)
  return other === undefined
}

/** Sets what a dongle cannot know of the cars, once, because an operator may change it. */
async function nameCars(transaction: Transaction, dongles: DemoDongles, firstAccountId: number): Promise<void> {
  const [known] = await transaction.rows(sql`select id from devices limit 1`)
  if (known !== undefined) return
  const entries = dongles.map(dongle => ({ ...dongle, accountId: undefined, hardware: DONGLE_MODEL }))
  await admitDevices(transaction, entries, { firstAccountId })
}

interface Welcome {
  readonly address: string
  /** Host and port for dongles; undefined when that port is closed. */
  readonly teltonika: string | undefined
  readonly email: string | undefined
  readonly password?: string
}

export function welcome({ address, teltonika, email, password }: Welcome): string {
  const login = password
    ? `${email}  password ${password}  (shown only this once)`
    : email
      ? `${email}, with the password it was made with (another login: npx tacho user create)`
      : 'nobody can log in yet (make a login: npx tacho user create)'
  return `
  Tacho runs at ${address}

    Console             ${address}/
    API documentation   ${address}/docs
    Login               ${login}
    Dongles             ${teltonika === undefined ? 'over HTTP and MQTT (TELTONIKA_PORT is off)' : `${teltonika}  (Teltonika, TCP and UDP)`}

  Try it:

    ${tryOut(address, email ?? 'E-MAIL', password ?? 'PASSWORD')}

  Ctrl-C stops it; the data stays.
`
}

/** One line for a shell that needs nothing but curl and sed. */
function tryOut(address: string, email: string, password: string): string {
  const token =
    `curl -s ${address}/auth/token -d grant_type=password -d username=${email} -d password=${password}` +
    String.raw` | sed 's/.*"access_token": *"\([^"]*\)".*/\1/'`
  return `curl -s -H "Authorization: Bearer $(${token})" ${address}/cc/v2.0/vehicles`
}
