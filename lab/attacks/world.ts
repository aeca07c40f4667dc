import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { hashPassword } from '../../src/access/passwords.ts'
import { createUser } from '../../src/access/users.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { admitDevices } from '../../src/fleet/with-consequences.ts'
import { type RunningService, runService } from '../bench/running-service.ts'
import { imeiOf } from '../simulation/imei.ts'
import { type Doors, type HttpDoor, sendRaw, type Tenant } from './attack.ts'

import { SecondTenant } from './second-tenant.ts'

/** A service as operators run it, with the tenants on it. */
export interface AttackWorld {
  readonly service: RunningService
  /** What the second tenant has. */
  readonly tenant: Tenant
  readonly secondTenant: SecondTenant
  /** The addresses, for an attacker with a new account. */
  doors(): Promise<Doors>
  stop(): Promise<void>
}

const DEVICES_EACH = 5
const TAC = '35693803'
/** Of the user of every tenant. */
const PASSWORD = 'seven grey herons on a pier'
let hashed: Promise<string> | undefined

interface AttackWorldOptions {
  /** Settings, where they are not to be the standard ones. */
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
    doors: async () => ({
      api: httpDoor(service.url),
      intake: httpDoor(service.intakeUrl),
      teltonika: { host: '127.0.0.1', port: service.teltonikaPort },
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

function httpDoor(url: string): HttpDoor {
  const { hostname: host, port } = new URL(url)
  return { url, host, port: Number(port), send: request => sendRaw(url, request) }
}
