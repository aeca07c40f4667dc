import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { apiServerOn } from './api.ts'
import { testGarbage } from './binary-suite/garbage.ts'
import { sharedDatabase } from './binary-suite/world.ts'
import { eventually } from './eventually.ts'
import { usedBytes } from './heap.ts'
import { ingestClient, type SentEvent } from './ingest-client.ts'
import { startService } from './service.ts'
import { StreamClient } from './stream-client.ts'
import { TELTONIKA_CLIENT } from './teltonika-client.ts'
import { TOY_CLIENT } from './toy-protocol/client.ts'

/*
 * How much of a process others can make it hold. What is measured is this process, so nothing else may run in it.
 */

describe.each([TELTONIKA_CLIENT, TOY_CLIENT])('the gateway of $protocol.name', client => {
  testGarbage(client, sharedDatabase())
})

const service = await startService({ STREAM_HEARTBEAT_S: '1' })
afterAll(() => service.stop())

describe('a client of the live stream that takes nothing', () => {
  const CARS = 150
  const TEXT = 'x'.repeat(3_900)
  const TEXT_TYPES = ['NETWORK_CELL_INFO', 'OBD_CALIBRATION_ID'] as const

  /** Asks for everything since ever, and reads nothing of it. */
  async function sleeper(path: string, key: string): Promise<Socket> {
    const socket = connect(path)
    await once(socket, 'connect')
    socket.on('error', () => undefined).pause()
    socket.write(
      `GET /stream?eventTypes=${TEXT_TYPES.join(',')}&lastEventId=1970-01-01 HTTP/1.1\r\nHost: tacho\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    )
    return socket
  }

  it('is dropped, costs little memory until then, and misses nothing when it comes back', async () => {
    const key = await service.key('Large fleet', ALL_PERMISSIONS)
    const sender = ingestClient(service.intakeUrl, key)
    for (let round = 0; round < 4; round++)
      await sender.store(
        Array.from({ length: CARS }, (_, car) => car).flatMap(car =>
          TEXT_TYPES.map(
            (eventType): SentEvent => ({
              deviceId: 356307042470000 + car,
              recordedTimestamp: new Date(Date.now() - 60_000 + round).toISOString(),
              eventType,
              value: `${round}${TEXT}`,
            }),
          ),
        ),
      )
    // Of a Unix socket the system itself keeps little; of TCP on one machine it may keep all of this.
    const node = await apiServerOn(service.database, service.config)
    const path = join(mkdtempSync(join(tmpdir(), 'tacho-')), 'api.sock')
    await node.listen({ path })
    const onNode = async (name: string) =>
      Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, 'm').exec((await node.inject('/metrics')).body)?.[1])
    const before = usedBytes()
    const sleepers = await Promise.all(Array.from({ length: 5 }, () => sleeper(path, key)))
    await eventually(async () => expect(await onNode('tacho_streams_open')).toBe(5))
    await sleep(500)
    expect((usedBytes() - before) / sleepers.length).toBeLessThan(4 * 1024 * 1024)
    await eventually(async () => expect(await onNode('tacho_streams_dropped_total')).toBe(5))
    for (const socket of sleepers) socket.destroy()
    await node.close()
    const client = await StreamClient.open({
      url: service.url,
      token: key,
      query: `eventTypes=${TEXT_TYPES.join(',')}`,
      lastEventId: '1970-01-01',
    })
    await client.until(() => client.objects('events').length >= CARS * 4 * 2)
    expect(client.objects('events')).toHaveLength(CARS * 4 * 2)
    client.cut()
  })
})
