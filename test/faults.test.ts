import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { eventually, makeTemporaryFolder, query } from './embedded-folder.ts'
import { freePort } from './free-port.ts'
import { numberedEvent, type RememberingSenders, startSenders } from './remembering-senders.ts'
import { buildProgram, logIn, type Service, type ServicePart, startService, untilReady } from './serve-process.ts'

/** What is killed, one after the other; `backend` is one connection of PostgreSQL, which then restarts by itself. */
const EVERYTHING = ['supervisor', 'api', 'intake', 'postgres'] as const
const KILLS: readonly (readonly (ServicePart | 'backend')[])[] = [
  ['intake'],
  ['postgres'],
  ['backend'],
  ['postgres', 'intake'],
  ['backend'],
  EVERYTHING,
  ['postgres'],
  ['backend'],
  ['backend', 'api'],
  ['postgres'],
  ['supervisor'],
  ['intake'],
  ['backend'],
  ['postgres'],
  ['backend'],
  ['postgres', 'api'],
  ['postgres'],
  EVERYTHING,
  ['backend'],
  ['postgres', 'intake', 'api'],
]

beforeAll(buildProgram)

test('whatever dies by kill -9, and however often, all that was acknowledged is there, once, and nothing else', async () => {
  const folder = await makeTemporaryFolder()
  const port = await freePort()
  let service = startService(folder, port)
  await untilReady(service)
  const token = await logIn(service)
  const senders = startSenders(service.address, token, 4)
  const reader = startReader(service.address, token)
  let ended = 0
  for (const [index, parts] of KILLS.entries()) {
    await progress(senders)
    // Not always at the same moment of what they do.
    await sleep((index * 37) % 100)
    await kill(service, parts)
    if (!parts.includes('supervisor')) continue
    await service.exited
    ended += endedProcesses(service)
    service = startService(folder, port)
  }
  await progress(senders)
  ended += endedProcesses(service)
  await Promise.all([senders.stop(), reader.stop()])

  expect(senders.violations).toEqual([])
  expect(reader.violations).toEqual([])
  // It was felt, or nothing was tested.
  expect(senders.refused).toBeGreaterThan(0)
  expect(senders.unanswered).toBeGreaterThan(0)
  // A database that goes away takes nobody with it.
  const killed = KILLS.filter(parts => !parts.includes('supervisor')).flat()
  expect(ended).toBe(killed.filter(part => part === 'api' || part === 'intake').length)

  const stored = await storedNumbers(service.address, token)
  const present = new Set(stored)
  expect(present.size, 'nothing twice').toBe(stored.length)
  expect([...senders.acknowledged].filter(number => !present.has(number))).toEqual([])
  for (const batch of senders.abandoned) {
    const there = batch.filter(number => present.has(number)).length
    expect([0, batch.length], `a batch is stored whole or not at all: ${batch[0]}`).toContain(there)
  }
  const sent = new Set([...senders.acknowledged, ...senders.abandoned.flat()])
  expect(stored.filter(number => !sent.has(number))).toEqual([])
  expect(await latestMileages(service.address, token)).toEqual(newestMileages(stored))

  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
}, 120_000)

/** Waits until more is acknowledged. */
async function progress(senders: RememberingSenders): Promise<void> {
  const before = senders.acknowledged.size
  await eventually(async () => {
    if (senders.acknowledged.size < before + 300) throw new Error('no progress')
  }, 30_000)
}

/** How often a role's process had to be started again. */
function endedProcesses(service: Service): number {
  return [...service.output().matchAll(/The (?:api|intake) process has ended/g)].length
}

async function kill(service: Service, parts: readonly (ServicePart | 'backend')[]): Promise<void> {
  const connection = parts.includes('backend') ? [await backend(service)] : []
  const pids = parts.flatMap(part => (part === 'backend' ? connection : service.pidOf(part)))
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

/** A connection that writes, if one just does. */
async function backend(service: Service): Promise<number> {
  const [row] = await query(
    service.databaseUrl,
    `select pid from pg_stat_activity where application_name in ('tacho writer', 'tacho reader')
     order by xact_start is null, application_name desc limit 1`,
  )
  return Number(row?.pid)
}

const get = (url: string, token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } })

/** Somebody who looks at it all the while. */
function startReader(address: string, token: string) {
  const violations: string[] = []
  const stopping = new AbortController()
  const read = async (path: string) => {
    while (!stopping.signal.aborted) {
      try {
        const reply = await get(`${address}/cc/v2.0${path}`, token)
        const text = await reply.text()
        if (reply.status !== 200 && (reply.status !== 503 || !reply.headers.get('retry-after')))
          violations.push(`${path}: ${reply.status} ${text}`)
      } catch {
        // The connection went with the process.
      }
      await sleep(25)
    }
  }
  const reading = Promise.all(['/vehicles', '/devices', '/events?maxResults=100'].map(read))
  return {
    violations,
    async stop() {
      stopping.abort()
      await reading
    },
  }
}

interface ShownEvent {
  readonly event_type: string
  readonly device_id: number
  readonly recorded_timestamp: string
  readonly value: number
}

/** The numbers of all events, as the API shows them. */
async function storedNumbers(address: string, token: string): Promise<number[]> {
  const numbers: number[] = []
  let next: string | undefined = '/cc/v2.0/events?fromTimestamp=2000-01-01&maxResults=10000'
  while (next) {
    const reply: Response = await get(address + next, token)
    for (const event of (await reply.json()) as ShownEvent[]) {
      const { deviceId, recordedTimestamp, eventType } = numberedEvent(event.value)
      expect(event).toMatchObject({ device_id: deviceId, recorded_timestamp: recordedTimestamp, event_type: eventType })
      numbers.push(event.value)
    }
    next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return numbers
}

/** By device, as vehicles show them. */
async function latestMileages(address: string, token: string): Promise<Map<number, number>> {
  const { vehicles } = (await (await get(`${address}/cc/v2.0/vehicles`, token)).json()) as {
    vehicles: { deviceId: number; lastEvents: { eventType: string; value: number }[] }[]
  }
  return new Map(
    vehicles.map(({ deviceId, lastEvents }) => [
      deviceId,
      lastEvents.find(({ eventType }) => eventType === 'MILEAGE')?.value ?? Number.NaN,
    ]),
  )
}

function newestMileages(numbers: readonly number[]): Map<number, number> {
  const newest = new Map<number, ReturnType<typeof numberedEvent>>()
  for (const event of numbers.map(numberedEvent).filter(({ eventType }) => eventType === 'MILEAGE')) {
    const other = newest.get(event.deviceId)
    if (!other || other.recordedTimestamp < event.recordedTimestamp) newest.set(event.deviceId, event)
  }
  return new Map([...newest].map(([deviceId, { value }]) => [deviceId, value]))
}
