import { setTimeout as sleep } from 'node:timers/promises'
import type { SyncedObject } from './sync-client.ts'

const FOLLOW_EVERY_MS = 250

type Reply = Readonly<Record<string, unknown>> & { readonly modifyTimestamp: string }

/** A client that syncs a list from nodes in turn while they come and go. */
interface ListFollower {
  /** How often it was answered. */
  readonly answers: number
  /** Asks until nothing is new. @returns what it then believes the objects to be, by id */
  finish(): Promise<ReadonlyMap<string | number, SyncedObject>>
}

/**
 * Follows a list with the `modifyTimestamp` of its last reply, as clients do (decisions.md, *Sync*): each time from the next node, and from
 * another when that one does not answer.
 * @param addresses of the nodes that may be asked now
 */
export function followList(addresses: () => readonly string[], token: string, name: string): ListFollower {
  const known = new Map<string | number, SyncedObject>()
  const stopping = new AbortController()
  let [filter, asked, answers] = ['1970-01-01', 0, 0]

  /** @returns how many objects were new; undefined when nobody answered */
  async function ask(): Promise<number | undefined> {
    const nodes = addresses()
    const url = `${nodes[asked++ % nodes.length]}/cc/v2.0/${name}?maxResults=10000&filterTimestamp=${filter}`
    let reply: Reply
    try {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      if (response.status !== 200) return undefined
      reply = (await response.json()) as Reply
    } catch {
      return undefined
    }
    answers++
    const objects = reply[name] as readonly SyncedObject[]
    for (const object of objects) known.set(object.id, object)
    if (reply.modifyTimestamp < filter) throw new Error(`${name}: the top-level value went back`)
    filter = reply.modifyTimestamp
    return objects.length
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await ask()
      await sleep(FOLLOW_EVERY_MS)
    }
  }

  const following = follow()
  return {
    get answers() {
      return answers
    },
    async finish() {
      stopping.abort()
      await following
      while ((await ask()) !== 0) await sleep(50)
      return known
    },
  }
}
