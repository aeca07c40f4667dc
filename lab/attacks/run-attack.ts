import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { hashPassword } from '../../src/access/passwords.ts'
import { createUser } from '../../src/access/users.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { admitDevices } from '../../src/fleet/with-consequences.ts'
import { type RunningService, runService } from '../bench/running-service.ts'
import { imeiOf } from '../simulation/imei.ts'
import { type Attack, type AttackSize, sendRaw, type Target, type Tenant } from './attack.ts'
import { CONNECTION_ATTACKS } from './connections.ts'
import { LOGIN_ATTACKS } from './logins.ts'
import { brokenLimits, FLOOR_MS, type Measurement, MOST_TIMES_BEFORE, PHASES, SecondTenant } from './second-tenant.ts'
import { UPLOAD_ATTACKS } from './uploads.ts'

export const ATTACKS: readonly Attack[] = [...UPLOAD_ATTACKS, ...CONNECTION_ATTACKS, ...LOGIN_ATTACKS]

export interface AttackReport {
  readonly attack: Attack
  readonly measurements: readonly Measurement[]
  readonly outcome: string
  /** Why it could not do what it wanted, or was not answered as it should have been. */
  readonly failure: string | undefined
  readonly broken: readonly string[]
}

/** Each phase lasts until something was measured at every endpoint that the second tenant uses, at least. */
interface Durations {
  /** With 0 there is no such phase: that everything works, the second tenant finds out when it begins. */
  readonly leastBeforeMs: number
  /** An attack that is done sooner is watched for this long all the same: what it left behind may work on. */
  readonly leastDuringMs: number
  /** Then the attack is told to end. */
  readonly mostDuringMs: number
  readonly leastAfterMs: number
  /** For an attack that was told to end. */
  readonly mostLettingGoMs: number
}

const DURATIONS: Readonly<Record<AttackSize, Durations>> = {
  small: { leastBeforeMs: 0, leastDuringMs: 150, mostDuringMs: 300, leastAfterMs: 0, mostLettingGoMs: 100_000 },
  full: {
    leastBeforeMs: 20_000,
    leastDuringMs: 30_000,
    mostDuringMs: 30_000,
    leastAfterMs: 10_000,
    mostLettingGoMs: 15_000,
  },
}

export async function runAttack(world: AttackWorld, attack: Attack, size: AttackSize): Promise<AttackReport> {
  const durations = DURATIONS[size]
  const { service, tenant, secondTenant } = world
  const target = await world.target()
  const { url, teltonikaPort } = service
  await secondTenant.watch({ url, teltonikaPort, tenant })
  if (durations.leastBeforeMs > 0) await Promise.all([secondTenant.enter('before'), sleep(durations.leastBeforeMs)])
  const [{ outcome = '', failure }] = await Promise.all([
    boundedRun(attack, target, size),
    secondTenant.enter('during'),
    sleep(durations.leastDuringMs),
  ])
  await Promise.all([secondTenant.enter('after'), sleep(durations.leastAfterMs)])
  const measurements = await secondTenant.end()
  const broken = [...brokenLimits(measurements), ...(failure === undefined ? [] : [`the attack: ${failure}`])]
  return { attack, measurements, outcome, failure, broken }
}

async function boundedRun(
  attack: Attack,
  target: Target,
  size: AttackSize,
): Promise<{ readonly outcome?: string; readonly failure?: string }> {
  const { mostDuringMs, mostLettingGoMs } = DURATIONS[size]
  const end = new AbortController()
  // Every request of the attack listens.
  setMaxListeners(0, end.signal)
  const timer = setTimeout(() => end.abort(), mostDuringMs)
  const overdue = new AbortController()
  const tooLate = sleep(mostDuringMs + mostLettingGoMs, undefined, { signal: overdue.signal }).then(() => {
    throw new Error(`it went on for ${mostLettingGoMs / 1000} seconds after its time was up`)
  })
  try {
    return { outcome: await Promise.race([attack.run(target, size, end.signal), tooLate]) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
    overdue.abort()
    end.abort()
  }
}

export function attackTable(reports: readonly AttackReport[]): string {
  const endpoints = [...new Set(reports.flatMap(({ measurements }) => measurements.map(m => m.endpoint)))].sort()
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `p99 of the second tenant's waits in ms, before / during / after. During and after, at most ${MOST_TIMES_BEFORE} times`,
    `as long as before, where before counts as ${FLOOR_MS} ms at least: below, a machine's noise is all there is.`,
    '',
    line(['attack', ...endpoints, 'errors', '']),
    line(['---', ...endpoints.map(() => '---'), '---', '---']),
    ...reports.map(({ attack, measurements, broken }) => {
      const errors = measurements.reduce((sum, measured) => sum + measured.errors.length, 0)
      const figures = endpoints.map(endpoint => p99sAt(endpoint, measurements))
      return line([attack.name, ...figures, String(errors), broken.length === 0 ? 'held' : 'BROKEN'])
    }),
  ].join('\n')
}

function p99sAt(endpoint: string, measurements: readonly Measurement[]): string {
  return PHASES.map(phase => {
    const measured = measurements.find(m => m.endpoint === endpoint && m.phase === phase)
    return measured && measured.count > 0 ? String(Math.round(measured.p99Ms)) : '–'
  }).join(' / ')
}

/** The same in words: what was tried, the result, and which limits were broken. */
export function attackNotes({ attack, outcome, broken }: AttackReport): string {
  return [
    `${broken.length === 0 ? 'held  ' : 'BROKEN'} ${attack.name} (${attack.clause}): ${attack.what}`,
    `       ${outcome}`,
    ...broken.map(text => `       ${text}`),
  ].join('\n')
}

/** A service as operators run it, with the tenants on it. */
export interface AttackWorld {
  readonly service: RunningService
  readonly tenant: Tenant
  readonly secondTenant: SecondTenant
  target(): Promise<Target>
  stop(): Promise<void>
}

const DEVICES_EACH = 5
const TAC = '35693803'
const PASSWORD = 'seven grey herons on a pier'
let hashed: Promise<string> | undefined

interface AttackWorldOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** One that goes on to other services afterwards; without it, one that ends with this service. */
  readonly secondTenant?: SecondTenant
  /** Puts a database into the folder of the service; without it, the service makes one. */
  readonly placeDatabase?: (folder: string) => unknown
}

export async function startAttackWorld(options: AttackWorldOptions = {}): Promise<AttackWorld> {
  const service = await runService({ RATE_LIMIT: '', ...options.environment }, options.placeDatabase)
  let tenants = 0
  const tenant = await makeTenant(service, tenants++)
  const secondTenant = options.secondTenant ?? new SecondTenant()
  return {
    service,
    tenant,
    secondTenant,
    target: async () => ({
      api: httpAddress(service.url),
      teltonikaPort: service.teltonikaPort,
      attacker: await makeTenant(service, tenants++),
      imeiOfSecondTenant: tenant.imeis[1] ?? '',
    }),
    async stop() {
      if (!options.secondTenant) secondTenant.stop()
      await service.stop()
    },
  }
}

async function makeTenant({ database, url }: RunningService, index: number): Promise<Tenant> {
  const account = `Tenant ${index}`
  const email = `administrator@tenant-${index}.example`
  // To hash it is as expensive as it should be.
  const passwordHash = await (hashed ??= hashPassword(PASSWORD))
  const deviceIds = Array.from({ length: DEVICES_EACH }, (_, device) => imeiOf(TAC, index * DEVICES_EACH + device))
  const key = await writeTransaction(database, async transaction => {
    const { id: firstAccountId } = await ensureFirstAccount(transaction)
    const { id: accountId } = await ensureAccount(transaction, account)
    const user = await createUser(transaction, { accountId, email, passwordHash, permissions: ALL_PERMISSIONS })
    if (user.kind === 'refused') throw new Error(user.text)
    const entered = await admitDevices(
      transaction,
      deviceIds.map(deviceId => ({ deviceId, accountId })),
      { firstAccountId },
    )
    if (entered.kind === 'refused') throw new Error(`dongles were not let in: ${JSON.stringify(entered.problems)}`)
    return createKey(transaction, { accountId, name: 'tenant', permissions: ALL_PERMISSIONS, expires: undefined })
  })
  const userToken = await logIn(url, email, PASSWORD)
  return { account, email, password: PASSWORD, userToken, key: key.secret, imeis: deviceIds.map(String) }
}

async function logIn(url: string, username: string, password: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username, password })
  const reply = await fetch(`${url}/auth/token`, { method: 'POST', body })
  const { access_token: token } = (await reply.json()) as { readonly access_token?: string }
  if (token === undefined) throw new Error(`${username} was not let in: ${reply.status}`)
  return token
}

function httpAddress(url: string): Target['api'] {
  const { hostname: host, port } = new URL(url)
  return { url, host, port: Number(port), send: request => sendRaw(url, request) }
}
