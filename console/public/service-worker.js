// Keeps the files of the console, so that it opens without a network. No request to the API passes through here, and nothing
// of it is kept.

const CACHE = 'tacho-console'
const PAGE = '/'
/** Of these, the newest is wanted, and the last one is better than none. */
const NEWEST_FIRST = new Set([PAGE, '/console/settings', '/icon.svg', '/manifest.webmanifest'])
/** The names of these change with their content. */
const BUILT = '/assets/'

self.addEventListener('install', event => {
  event.waitUntil(keepStart().then(() => self.skipWaiting()))
})

self.addEventListener('activate', event => {
  event.waitUntil(self.clients.claim())
})

self.addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  // Who asks so wants to know whether the service answers.
  if (request.cache === 'no-store') return
  if (pathname.startsWith(BUILT)) event.respondWith(keptFirst(request))
  else if (NEWEST_FIRST.has(pathname)) event.respondWith(newestFirst(request, pathname))
})

/** The page, and the files that it names. */
async function keepStart() {
  const cache = await caches.open(CACHE)
  const page = await fetch(PAGE, { cache: 'no-store' })
  if (!page.ok) throw new Error(`the page is answered ${page.status}`)
  await cache.put(PAGE, page.clone())
  await cache.addAll([...filesNamedIn(await page.text()), ...NEWEST_FIRST].filter(path => path !== PAGE))
}

function filesNamedIn(page) {
  return [...new Set([...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path))]
}

async function keptFirst(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}

async function newestFirst(request, path) {
  const cache = await caches.open(CACHE)
  try {
    const answer = await fetch(request)
    if (answer.ok) {
      if (path === PAGE) await forgetFormerFiles(cache, await answer.clone().text())
      await cache.put(path, answer.clone())
    }
    return answer
  } catch (error) {
    const kept = await cache.match(path)
    if (kept) return kept
    throw error
  }
}

/** A page that names other files is of another version, which has no use for the former ones. */
async function forgetFormerFiles(cache, page) {
  const before = await cache.match(PAGE)
  if (!before || (await before.text()) === page) return
  const named = new Set(filesNamedIn(page))
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith(BUILT) && !named.has(pathname)) await cache.delete(request)
  }
}
