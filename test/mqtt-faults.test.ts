import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeTemporaryFolder, query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { holdTables } from './held-tables.ts'
import { MOSQUITTO } from './mosquitto-file.ts'
import { connectDevice, startAedes, startMosquitto, untilTestEnds } from './mqtt-broker.ts'
import { placeDatabase, startService, untilReady } from './serve-process.ts'

const DEVICE = 356307042441013

test('what a broker has is stored once, though the intake is killed before the commit and the database while it comes', async () => {
  const broker = await untilTestEnds(MOSQUITTO ? startMosquitto() : startAedes())
  const settings = { MQTT_URL: broker.url }
  const service = startService(placeDatabase(await makeTemporaryFolder('tacho-mqtt-')), await freePort(), 0, settings)
  await untilReady(service)
  const device = await connectDevice(broker.url)
  const upload = async (from: number, to: number) => {
    for (let second = from; second < to; second++) {
      const recordedTimestamp = new Date(Date.UTC(2026, 0, 15, 8, 0, second)).toISOString()
      const body = JSON.stringify([{ recordedTimestamp, eventType: 'GPS_SPEED', value: second }])
      await device.publishAsync(`tacho/${DEVICE}/events`, body, { qos: 1 })
    }
  }
  const untilStored = (count: number) =>
    eventually(async () => {
      const rows = await query(service.databaseUrl, 'select numbers from samples order by time')
      expect(rows).toHaveLength(count)
    })
  await eventually(async () => expect(service.output()).toContain('receiving from the MQTT broker'))
  await upload(0, 10)
  await untilStored(10)

  const release = await holdTables(service.databaseUrl)
  await upload(10, 30)
  await sleep(500)
  process.kill(service.pidOf('intake'), 'SIGKILL')
  await sleep(200)
  await release()
  await untilStored(30)

  const uploading = upload(30, 60)
  process.kill(service.pidOf('postgres'), 'SIGKILL')
  await uploading
  await untilStored(60)
  const [sum] = await query(
    service.databaseUrl,
    'select count(distinct time)::integer as instants, sum((unpack_numbers(numbers, 1))[1])::integer as sum from samples',
  )
  expect(sum).toEqual({ instants: 60, sum: (59 * 60) / 2 })
})
