import type { Attack } from './attack.ts'

const CLIENTS = { small: 2, full: 8 }
const ROUNDS = { small: 3, full: Number.POSITIVE_INFINITY }
/** Just below the limit of these gateways. */
const ATTRIBUTES = 20_000
const BEYOND_BYTES = 8_000_000

/** What a tracker reports is read field by field, and every field has a new name. */
export const manyAttributes: Attack = {
  name: 'many-attributes',
  clause: 'size of what trackers and phones send',
  what: 'Over several connections one key sends positions with tens of thousands of made-up attributes, as Traccar and phones do.',
  async run({ api, attacker }, size, signal) {
    const imei = attacker.imeis[0] ?? ''
    const names = Array.from({ length: ATTRIBUTES }, (_, index) => `x${index.toString(36)}`)
    const attributes = Object.fromEntries(names.map(name => [name, 1]))
    const position = { deviceTime: '2026-03-02T08:00:00.000+00:00', attributes }
    const forwarded = JSON.stringify({ position, device: { uniqueId: imei } })
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const requests = [
      { path: '/ingest/traccar', headers: json, body: forwarded, status: 200 },
      {
        path: '/ingest/traccar',
        headers: json,
        body: `[${`${forwarded},`.repeat(BEYOND_BYTES / forwarded.length)}{}]`,
        status: 413,
      },
      { path: '/ingest/osmand', headers: form, body: `id=${imei}&${names.slice(0, 900).join('&')}`, status: 200 },
      { path: '/ingest/osmand', headers: form, body: `id=${imei}&${names.join('&')}`, status: 413 },
    ]
    let answered = 0
    const client = async () => {
      for (let round = 0; round < ROUNDS[size]; round++)
        for (const { status: expected, ...request } of requests) {
          if (signal.aborted) return
          const { status } = await api.send({ ...request, method: 'POST', token: attacker.key })
          if (![expected, 429, 503].includes(status)) throw new Error(`${request.path} answered ${status}`)
          answered++
        }
    }
    await Promise.all(Array.from({ length: CLIENTS[size] }, client))
    return `answered ${answered} times`
  },
}
