import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestClient } from './api.ts'
import { IS_DEEP } from './deep.ts'

/** It never waits for news, and shares a process with what it asks: without a rest, it asks some thousand times for nothing. */
const REST_MS = IS_DEEP ? 0 : 40

/** Whatever has an id and a modifyTimestamp. */
export interface SyncedObject {
  readonly id: string | number
  readonly modifyTimestamp: string
}

type Reply = Readonly<Record<string, unknown>> & { readonly modifyTimestamp: string }

/**
 * A client that keeps asking with the top-level modifyTimestamp of its last reply, one object at a time, beginning
 * without a filter (decisions.md, *Sync*). It stops at the first empty reply to a question asked after `isDone`.
 * @param restMs between two questions, but before the last
 * @returns what it then believes the objects to be.
 */
export async function syncOneByOne<T extends SyncedObject>(
  client: TestClient,
  path: string,
  isDone: () => boolean,
  restMs = REST_MS,
): Promise<Map<T['id'], T>> {
  const name = path.slice(1)
  const known = new Map<T['id'], T>()
  let filter: string | undefined
  for (;;) {
    const wasDone = isDone()
    // The first question comes at once: nothing that was made and deleted before it would be told.
    if (!wasDone && filter !== undefined) await sleep(restMs)
    const query = filter === undefined ? '' : `&filterTimestamp=${filter}`
    const response = await client.get(`${path}?maxResults=1${query}`)
    expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
    const reply = response.json<Reply>()
    const objects = reply[name] as readonly T[]
    for (const object of objects) known.set(object.id, object)
    if (filter !== undefined && reply.modifyTimestamp < filter) throw new Error('the top-level value went back')
    filter = reply.modifyTimestamp
    if (wasDone && objects.length === 0) return known
  }
}

/** Everything a list has, with what is marked as deleted, by id. */
export async function everythingOf<T extends SyncedObject>(client: TestClient, path: string): Promise<Map<T['id'], T>> {
  const response = await client.get(`${path}?maxResults=10000&filterTimestamp=1970-01-01`)
  const objects = response.json<Record<string, T[]>>()[path.slice(1)] ?? []
  return new Map(objects.map(object => [object.id, object]))
}
