import { expect } from 'vitest'
import type { TestClient } from './api.ts'
import type { SyncedObject } from './sync-client.ts'

/** @throws when it is not answered with 200. */
export async function readJson<T>(client: TestClient, path: string): Promise<T> {
  const response = await client.get(path)
  expect([path, response.statusCode]).toEqual([path, 200])
  return response.json<T>()
}

/** A client that asks a list for what changed since its last request, and relies on nothing else. */
class Synced {
  readonly #client: TestClient
  readonly path: string
  readonly #known = new Map<string | number, SyncedObject>()
  #filter = '1970-01-01'

  /** @param path of a list, with the parameters that narrow it down */
  constructor(client: TestClient, path: string) {
    this.#client = client
    this.path = path
  }

  get #question(): string {
    return this.path + (this.path.includes('?') ? '&' : '?')
  }

  /** Asks. @returns what went back to an earlier revision */
  async asked() {
    const changed = await this.#list(this.#filter)
    const isOlder = (object: SyncedObject) =>
      object.modifyTimestamp < (this.#known.get(object.id)?.modifyTimestamp ?? '')
    const setBack = changed.objects.filter(isOlder)
    for (const object of changed.objects) this.#known.set(object.id, object)
    this.#filter = changed.modifyTimestamp
    return setBack
  }

  /** Asks, and compares with a client that asks for everything. */
  async compared() {
    const setBack = await this.asked()
    const { objects } = await this.#list('1970-01-01')
    const revisions = new Set(objects.map(object => object.modifyTimestamp))
    const byId = (a: SyncedObject, b: SyncedObject) => (String(a.id) < String(b.id) ? -1 : 1)
    return {
      path: this.path,
      setBack,
      shareRevisions: objects.length - revisions.size,
      believed: [...this.#known.values()].sort(byId),
      onServer: [...objects].sort(byId),
    }
  }

  async #list(filter: string) {
    const reply = await readJson<Record<string, SyncedObject[]> & { modifyTimestamp: string }>(
      this.#client,
      `${this.#question}filterTimestamp=${filter}&maxResults=10000`,
    )
    return { objects: reply[this.path.slice(1).split('?')[0] ?? ''] ?? [], modifyTimestamp: reply.modifyTimestamp }
  }
}

/** @param isCompared whether the list in this place is compared with all that there is; by default each is. */
type ExpectUpToDate = (after: string, isCompared?: (place: number) => boolean) => Promise<void>

/**
 * A client that syncs all lists. The function that it gets asks each once more, and expects to know then what somebody knows
 * who asks for everything.
 * @param narrowed more lists, with the parameters that narrow them down
 */
export function syncedLists(client: TestClient, ...narrowed: readonly string[]): ExpectUpToDate {
  const lists = ['/trips', '/dtcs', '/incidents', '/rules', '/vehicles', '/devices', ...narrowed].map(
    path => new Synced(client, path),
  )
  return async (after, isCompared = () => true) => {
    for (const [place, list] of lists.entries()) {
      if (!isCompared(place)) {
        expect(await list.asked(), `${after}: ${list.path}`).toEqual([])
        continue
      }
      const { path, believed, onServer, setBack, shareRevisions } = await list.compared()
      expect(believed, `${after}: ${path}`).toEqual(onServer)
      expect({ setBack, shareRevisions }, `${after}: ${path}`).toEqual({ setBack: [], shareRevisions: 0 })
    }
  }
}
