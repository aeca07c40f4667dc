import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { IS_DEEP } from './deep.ts'
import { makeTemporaryFolder, query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { numberedEvent, startSenders, untilMoreIsAcknowledged } from './remembering-senders.ts'
import { logIn, placeDatabase, type Service, type ServicePart, startService, untilReady } from './serve-process.ts'
import { expectOnlyWhatWasSent, storedNumbers } from './stored-numbers.ts'

/** What is killed, one after the other; `backend` is one connection of PostgreSQL, which then restarts by itself. */
const EVERYTHING = ['supervisor', 'api', 'intake', 'postgres'] as const
const FEW_KILLS: readonly (readonly (ServicePart | 'backend')[])[] = [
  ['intake'],
  ['postgres'],
  ['backend', 'api'],
  ['supervisor'],
  ['postgres', 'intake'],
  EVERYTHING,
]
const MORE_KILLS: typeof FEW_KILLS = [
  ['postgres', 'api'],
  ['intake'],
  ['backend'],
  ['postgres'],
  ['backend'],
  ['postgres'],
  ['backend'],
  ['postgres'],
  ['backend'],
  ['postgres', 'api'],
  ['postgres'],
  EVERYTHING,
  ['backend'],
  ['postgres', 'intake', 'api'],
]
const KILLS = IS_DEEP ? [...FEW_KILLS, ...MORE_KILLS] : FEW_KILLS

test('whatever dies by kill -9, and however often, all that was acknowledged is there, once, and nothing else', async () => {
  const folder = placeDatabase(await makeTemporaryFolder())
  const port = await freePort()
  let service = startService(folder, port)
  await untilReady(service)
  const token = await logIn(service)
  const senders = startSenders(service.address, token, 4)
  const reader = startReader(service.address, token)
  let ended = 0
  for (const [index, parts] of KILLS.entries()) {
    await untilMoreIsAcknowledged(senders)
    // Not always at the same moment of what they do.
    await sleep((index * 37) % 100)
    await kill(service, parts)
    if (!parts.includes('supervisor')) continue
    await service.exited
    ended += endedProcesses(service)
    service = startService(folder, port)
  }
  await untilMoreIsAcknowledged(senders)
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
  expectOnlyWhatWasSent(stored, senders)
  expect(await latestMileages(service.address, token)).toEqual(newestMileages(stored))

  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

/** How often a role's process had to be started again. */
function endedProcesses(service: Service): number {
  return [...service.output().matchAll(/The (?:api|intake) process has ended/g)].length
}

async function kill(service: Service, parts: readonly (ServicePart | 'backend')[]): Promise<void> {
  // It may end by itself just then.
  if (parts.includes('backend')) await eventually(async () => process.kill(await backend(service), 'SIGKILL'))
  // After the supervisor's death, its children may have acknowledged what was waited for.
  const pids = await eventually(async () => parts.filter(part => part !== 'backend').map(part => service.pidOf(part)))
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

/** A connection that writes, if one just does; as soon as there is any. */
function backend(service: Service): Promise<number> {
  return eventually(async () => {
    const [row] = await query(
      service.databaseUrl,
      `select pid from pg_stat_activity
       where datname = current_database() and application_name in ('tacho writer', 'tacho reader')
       order by xact_start is null, application_name desc limit 1`,
    )
    if (row === undefined) throw new Error('the service has no connection')
    return Number(row.pid)
  })
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
      await sleep(100)
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
