import { setTimeout as sleep } from 'node:timers/promises'
import { StreamClient } from '../../test/stream-client.ts'
import { sendBodies } from './http-sender.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

const DONGLES = 60
const FIRST_DONGLE = 4_000_000
const EVERY_MS = 300
const TARGET_MS = 2000
const LIMIT_KMH = 50

interface SeenIncident {
  readonly deviceId: number
}

/** How long after a dongle begins to upload its incident is on a stream: few dongles, one speeding after the other. */
export async function benchIncidentLatency({ url: origin, key }: RunningService): Promise<BenchResult[]> {
  const url = `${origin}/cc/v2.0`
  await saveRule(url, key)
  const stream = await StreamClient.open({ url: origin, token: key, query: 'resources=incidents' })
  await stream.ready()
  const begunMs = new Map<number, number>()
  for (let dongle = 0; dongle < DONGLES; dongle++) {
    const deviceId = FIRST_DONGLE + dongle
    begunMs.set(deviceId, performance.now())
    await sendBodies({ url: origin, key }, [speedingBody(deviceId)], 1)
    await sleep(EVERY_MS)
  }
  const seen = () => new Set(stream.objects<SeenIncident>('incidents').map(({ deviceId }) => deviceId))
  await stream.until(() => seen().size >= DONGLES)
  stream.cut()
  const waitsMs = [...begunMs].map(([deviceId, atMs]) => firstSeenMs(stream, deviceId) - atMs).sort((a, b) => a - b)
  return [0.5, 0.99].map(share => {
    const ms = waitsMs[Math.floor(waitsMs.length * share)] ?? Number.NaN
    return {
      name: `an incident on the stream, p${share * 100}`,
      measured: `${ms.toFixed(0)} ms after its upload began, ${DONGLES} dongles, one every ${EVERY_MS} ms`,
      against: `${TARGET_MS} ms`,
      ratio: ms / TARGET_MS,
      target: { atMost: 1 },
    }
  })
}

function firstSeenMs({ frames }: StreamClient, deviceId: number): number {
  const frame = frames.find(
    ({ event, data }) =>
      event === 'incidents' && (data as readonly SeenIncident[]).some(incident => incident.deviceId === deviceId),
  )
  return frame?.receivedMs ?? Number.NaN
}

async function saveRule(url: string, key: string): Promise<void> {
  const reply = await fetch(`${url}/rules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Speeding',
      kind: 'SPEEDING',
      parameters: { limitKmh: LIMIT_KMH },
      fromTimestamp: new Date(Date.now() - 3_600_000).toISOString(),
    }),
  })
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
}

/** The last half minute of a car that is too fast. */
function speedingBody(deviceId: number): string {
  const nowMs = Date.now()
  return JSON.stringify(
    [30, 20, 10, 0].flatMap(agoS => {
      const recordedTimestamp = new Date(nowMs - agoS * 1000).toISOString()
      const driving = { IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 2 * LIMIT_KMH }
      return Object.entries(driving).map(([eventType, value]) => ({ deviceId, recordedTimestamp, eventType, value }))
    }),
  )
}
