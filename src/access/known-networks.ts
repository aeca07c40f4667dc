import { createHash } from 'node:crypto'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

/** A network is forgotten after this long without a login from it, or after this many newer ones. */
const REMEMBERED_DAYS = 180
const MOST_NETWORKS = 20

/** A condition on the row of `users`: has logged in from there before. */
export const isKnownAt = (network: string): Statement => sql`
  exists (
    select from known_networks k
    where k.user_id = users.id and k.network = sha256(convert_to(users.id || ' ' || ${network}, 'UTF8'))
      and k.last_login > clock_timestamp() - ${REMEMBERED_DAYS}::integer * interval '1 day')`

/** Remembers that a user has logged in from there. */
export async function rememberNetwork(transaction: Transaction, userId: number, network: string): Promise<void> {
  await transaction.rows(
    sql`
      insert into known_networks (user_id, network)
      values (${userId}, ${createHash('sha256').update(`${userId} ${network}`).digest()})
      on conflict (user_id, network) do update set last_login = clock_timestamp()`,
    { prepareAs: 'remember-network' },
  )
  await transaction.rows(
    sql`
      delete from known_networks where user_id = ${userId} and network in (
        select network from known_networks where user_id = ${userId} order by last_login desc offset ${MOST_NETWORKS})`,
    { prepareAs: 'forget-networks' },
  )
}

/** At most this many are remembered; the least recently seen one is forgotten first. */
const MOST_FAMILIAR = 10_000

const networks = new Set<string>()

/**
 * Networks in which this process has seen a user who is known there: attempts from them need not wait for the database
 * lookups of all others. They get no other privilege.
 */
export const familiarNetworks = {
  has: (network: string): boolean => networks.has(network),
  add(network: string): void {
    networks.delete(network)
    networks.add(network)
    const [oldest] = networks
    if (networks.size > MOST_FAMILIAR && oldest !== undefined) networks.delete(oldest)
  },
}
