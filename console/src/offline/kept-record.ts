/** One record that stays in this browser, of any size (IndexedDB). */

const DATABASE = 'tacho'
const STORE = 'last-state'
const KEY = 'fleet'

export async function keep(record: unknown): Promise<void> {
  await within('readwrite', store => store.put(record, KEY))
}

/** @returns undefined when there is none */
export function read(): Promise<unknown> {
  return within('readonly', store => store.get(KEY))
}

export async function forgetAll(): Promise<void> {
  await within('readwrite', store => store.clear())
}

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await resultOf(opening)
  try {
    return await resultOf(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })
}
