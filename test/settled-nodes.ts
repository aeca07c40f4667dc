import { expect } from 'vitest'
import { query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'

interface Listed {
  readonly id: string | number
}

/** Objects of a list in the order of their ids, to be compared. */
export const byId = (objects: Iterable<Listed>): readonly Listed[] =>
  [...objects].sort((a, b) => String(a.id).localeCompare(String(b.id)))

/** A list as it is, deleted objects included. */
export async function everythingAt(address: string, token: string, name: string): Promise<readonly Listed[]> {
  const url = `${address}/cc/v2.0/${name}?maxResults=10000&filterTimestamp=1970-01-01`
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  return ((await reply.json()) as Record<string, readonly Listed[]>)[name] ?? []
}

/** Waits until nothing that is stored is still to be derived. */
export function untilAllDerived(databaseUrl: string): Promise<void> {
  return eventually(async () => {
    const waiting = await query(databaseUrl, 'select from due where priority <= 3')
    expect(waiting).toEqual([])
  })
}
