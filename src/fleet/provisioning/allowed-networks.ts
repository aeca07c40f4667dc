import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'

/** The owner of networks: one dongle, or all dongles of an account without networks of their own. */
export type NetworksOf =
  | { readonly kind: 'device'; readonly deviceId: DeviceId }
  | { readonly kind: 'account'; readonly accountId: number }

/** Networks from which they may report, in CIDR notation; empty for anywhere. @returns undefined when there is no such dongle */
export async function readAllowedNetworks(
  transaction: Transaction,
  of: NetworksOf,
): Promise<readonly string[] | undefined> {
  const [row] = await transaction.rows<{ networks: readonly string[] }>(sql`select networks from ${rowOf(of)}`)
  return row?.networks
}

/** @param networks empty for anywhere. @returns whether there is such a dongle. */
export async function setAllowedNetworks(
  transaction: Transaction,
  of: NetworksOf,
  networks: readonly string[],
): Promise<boolean> {
  const rows = await transaction.rows(
    of.kind === 'device'
      ? sql`update devices set networks = ${networks}::text[] where id = ${of.deviceId} and deleted is null returning id`
      : sql`update accounts set networks = ${networks}::text[] where id = ${of.accountId} returning id`,
  )
  return rows.length > 0
}

function rowOf(of: NetworksOf) {
  return of.kind === 'device'
    ? sql`devices where id = ${of.deviceId} and deleted is null`
    : sql`accounts where id = ${of.accountId}`
}
