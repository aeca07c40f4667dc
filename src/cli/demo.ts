import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { ensureFirstAccount } from '../access/accounts.ts'
import { ensureFirstUser, listUsers } from '../access/users.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { acknowledgeIncidents } from '../fleet/acknowledge-incidents.ts'
import { createAreas } from '../fleet/areas/change-areas.ts'
import { createRule } from '../fleet/rules/change-rules.ts'
import { readRule } from '../fleet/rules/read-rule.ts'
import { changeSettingsWithin } from '../fleet/vehicle-settings.ts'
import { admitDevices } from '../fleet/with-consequences.ts'
import { pause } from '../lib/clock.ts'
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
  readonly stop: AbortSignal
  /** Called with the process of the made-up fleet, which has to be stopped. */
  readonly onFleet: (fleet: KeptChild) => void
}

/** `npm start`: a made-up fleet with its last week if there is no other, a login if there is no user, and the next steps. */
export async function startDemo(options: DemoOptions): Promise<void> {
  const { url, config, environment, log, address, teltonika, stop, onFleet } = options
  await withDatabase(url, async database => {
    const lab = await loadLab()
    // The made-up dongles do not use TLS.
    const mayReport = teltonika && config.teltonikaTlsCertFile === undefined && config.unknownDevices !== 'reject'
    if (lab && mayReport && (await isOnlyDemo(database, lab.demoDongles()))) {
      const accountId = await writeTransaction(database, transaction => setUpDemo(transaction, lab, config))
      onFleet(keepChild({ name: 'demo fleet', args: ['demo-fleet', '--teltonika', teltonika], environment, log }))
      await untilComplete(database, stop)
      if (accountId !== undefined) await writeTransaction(database, transaction => settleOne(transaction, accountId))
    }
    if (stop.aborted) return
    // Only now: after a start that was interrupted, the next one shows the password.
    const password = randomBytes(9).toString('base64url')
    const isNew = !config.email && (await ensureFirstUser(database, { email: DEMO_EMAIL, password }))
    const emails = (await listUsers(database)).filter(user => !user.revoked).map(user => user.email)
    const email = isNew || emails.includes(DEMO_EMAIL) ? DEMO_EMAIL : emails[0]
    console.log(welcome({ address, teltonika, email, ...(isNew && { password }) }))
  })
}

/** Where there are no real cars, the made-up fleet disturbs nobody, and continues after a restart. */
async function isOnlyDemo(database: Database, dongles: ReturnType<Lab['demoDongles']>): Promise<boolean> {
  const known = dongles.map(({ deviceId }) => deviceId)
  const [other] = await database.rows(sql`select id from devices where id <> all (${known}::bigint[]) limit 1`)
  return other === undefined
}

/** More than the week that is reported. */
const RULES_SINCE_MS = 8 * 86_400_000

/** Enters what dongles cannot know, once, because an operator may change it: cars, areas and rules.
 * @returns the account; undefined when there were dongles before */
export async function setUpDemo(transaction: Transaction, lab: Lab, config: Config): Promise<number | undefined> {
  // The account that unknown dongles join.
  const { id: accountId } = await ensureFirstAccount(transaction)
  const [known] = await transaction.rows(sql`select id from devices limit 1`)
  if (known !== undefined) return undefined
  const dongles = lab.demoDongles()
  const entries = dongles.map(dongle => ({ ...dongle, accountId: undefined, hardware: DONGLE_MODEL }))
  await admitDevices(transaction, entries, { firstAccountId: accountId })
  const rows = await transaction.rows<{ id: string; deviceId: number }>(
    sql`select public_id as id, first_device_id as "deviceId" from vehicles where account_id = ${accountId}`,
  )
  const groups = new Map<number, string>(dongles.map(({ deviceId, group }) => [deviceId, group]))
  const cars = rows.map(({ id, deviceId }) => ({ id, group: groups.get(deviceId) ?? '' }))
  for (const { id, group } of cars) await changeSettingsWithin(transaction, accountId, id, { group })
  const areas = lab.demoAreas.map(area => ({ ...area, validFrom: undefined }))
  const areaIds = await createAreas(transaction, { accountId }, areas, config.areaLimit)
  for (const { name, ...written } of lab.demoRules(areaIds, cars)) {
    const draft = await readRule(transaction, accountId, written)
    const rule = { accountId, name, draft, fromMs: Date.now() - RULES_SINCE_MS, savedBy: DEMO_EMAIL }
    await createRule(transaction, rule, config.rulesPerAccount)
  }
  return accountId
}

const LOOK_MS = 300
/** Cars that are parked report more often than that. */
const COMPLETE_WITHIN = sql`interval '10 minutes'`
/** Whatever happens, the address is shown then. */
const COMPLETE_LIMIT_MS = 300_000

/** Until the past is stored, and what follows from it worked out: dongles report the oldest first. */
async function untilComplete(database: Database, stop: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([stop, AbortSignal.timeout(COMPLETE_LIMIT_MS)])
  for (let looks = 0; !limit.aborted; looks++) {
    const [behind] = await database.rows(sql`
      select from devices d left join device_states s on s.device_id = d.id
      where coalesce(s.last_time, '-infinity') < now() - ${COMPLETE_WITHIN}
      union all select from due where kind = 'cars' or from_time < now() - ${COMPLETE_WITHIN} limit 1`)
    if (!behind) return
    if (looks === 0) console.log('\n  A made-up fleet reports what is past; the address and the login follow.\n')
    await pause(LOOK_MS, limit)
  }
}

/** One incident is acknowledged, as somebody of the firm would. */
async function settleOne(transaction: Transaction, accountId: number): Promise<void> {
  const first = sql`id = (select id from incidents
    where account_id = ${accountId} and kind = 'USED_OUTSIDE_HOURS' order by start_time limit 1)`
  const note = 'Agreed with the office: he was moving house.'
  await acknowledgeIncidents(transaction, first, { by: DEMO_EMAIL, note })
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
