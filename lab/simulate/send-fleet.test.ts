import { expect, test } from 'vitest'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import type { FleetFault } from '../simulation/fleet/fleet-faults.ts'
import { transmissionsBetween } from '../simulation/fleet/transmissions.ts'
import { type VirtualDongle, virtualFleet } from '../simulation/fleet/virtual-fleet.ts'
import { type FleetOptions, paceOf, sendFleet } from './run-fleet.ts'
import type { Uplinks } from './uplinks.ts'

const HOUR_MS = 3_600_000
/** All but those that let a sample be stamped later than it is sent. */
const FAULTS: readonly FleetFault[] = ['tunnel', 'garage', 'duplicates', 'reboot', 'drift', 'zero', 'unplugged']
const FROM_MS = Date.UTC(2026, 2, 2)
const UNTIL_MS = FROM_MS + 24 * HOUR_MS

const fleet = virtualFleet({ vehicles: 3, seed: 5, faults: new Set(FAULTS) }).map(virtual => ({
  deviceId: virtual.dongle.deviceId,
  virtual,
  transmissionsBetween: (fromMs: number, toMs: number) => transmissionsBetween(virtual, fromMs, toMs),
}))
type TestDongle = (typeof fleet)[number]

/** A service in memory. `onPacket` may stop the sending; then what is on its way is acknowledged still. */
function memory(onPacket: (packets: number) => void = () => undefined) {
  const packets: { deviceId: DeviceId; samples: readonly Sample[] }[] = []
  const uplinks: Uplinks = {
    of: deviceId => ({
      async send(samples) {
        packets.push({ deviceId, samples })
        onPacket(packets.length)
        return samples
      },
    }),
    cut: async () => undefined,
  }
  const timesOf = (deviceId: DeviceId) =>
    packets.filter(packet => packet.deviceId === deviceId).flatMap(({ samples }) => samples.map(({ timeMs }) => timeMs))
  return { uplinks, packets, timesOf }
}

function send(uplinks: Uplinks, options: Partial<FleetOptions<TestDongle>> = {}): Promise<void> {
  return sendFleet({
    dongles: fleet,
    fromMs: () => FROM_MS,
    untilMs: UNTIL_MS,
    pace: paceOf({ fromMs: FROM_MS, speedup: undefined }),
    uplinks,
    packetRecords: 20,
    signal: new AbortController().signal,
    onAcknowledged: () => undefined,
    onPassed: () => undefined,
    onRefused: () => undefined,
    onLive: () => undefined,
    ...options,
  })
}

const sampleTimes = ({ virtual }: { virtual: VirtualDongle }) =>
  [...transmissionsBetween(virtual, FROM_MS, UNTIL_MS)].flatMap(({ samples }) => samples.map(({ timeMs }) => timeMs))

test('each dongle sends all that it has to send, once and in its order, in packets of a bounded size', async () => {
  const service = memory()
  let isLive = 0
  await send(service.uplinks, { onLive: () => isLive++ })
  for (const dongle of fleet) expect(service.timesOf(dongle.deviceId)).toEqual(sampleTimes(dongle))
  expect(Math.max(...service.packets.map(({ samples }) => samples.length))).toBe(20)
  expect(isLive).toBe(1)
})

test('stopped anywhere and begun again at its newest sample, a dongle leaves no gap', async () => {
  for (const lastPacket of [1, 7, 60]) {
    const stop = new AbortController()
    const first = memory(packets => {
      if (packets === lastPacket) stop.abort()
    })
    await send(first.uplinks, { signal: stop.signal })
    expect(first.packets.length).toBeLessThan(lastPacket + fleet.length)
    const second = memory()
    await send(second.uplinks, {
      fromMs: ({ deviceId }) => Math.max(FROM_MS, ...first.timesOf(deviceId).map(timeMs => timeMs - 1)),
    })
    for (const dongle of fleet) {
      const stored = new Set([...first.timesOf(dongle.deviceId), ...second.timesOf(dongle.deviceId)])
      expect(stored).toEqual(new Set(sampleTimes(dongle)))
    }
  }
})

test('with a speed-up, nothing is sent before its time', async () => {
  const [dongle] = fleet
  const fromMs = FROM_MS + 8 * HOUR_MS
  const speedup = 3600
  const pace = paceOf({ fromMs, speedup })
  const beganMs = Date.now()
  const early: Sample[] = []
  const service = memory()
  await send(service.uplinks, {
    dongles: dongle ? [dongle] : [],
    fromMs: () => fromMs,
    untilMs: fromMs + HOUR_MS,
    pace,
    onAcknowledged(_, samples) {
      const simulatedMs = fromMs + (Date.now() - beganMs + 1) * speedup
      early.push(...samples.filter(({ timeMs }) => timeMs > simulatedMs))
    },
  })
  expect(service.packets.length).toBeGreaterThan(10)
  expect(early).toEqual([])
})

test('what cannot be sent at all ends everything with the reason', async () => {
  const uplinks: Uplinks = {
    of: () => ({ send: () => Promise.reject(new Error('no such key')) }),
    cut: async () => undefined,
  }
  await expect(send(uplinks)).rejects.toThrow('no such key')
})

test('a dongle that is refused does not keep the others', async () => {
  const service = memory()
  const [refusedDongle] = fleet
  const refused: DeviceId[] = []
  const uplinks: Uplinks = {
    ...service.uplinks,
    of: deviceId =>
      deviceId === refusedDongle?.deviceId ? { send: async () => undefined } : service.uplinks.of(deviceId),
  }
  await send(uplinks, { onRefused: ({ deviceId }) => refused.push(deviceId) })
  expect(refused).toEqual([refusedDongle?.deviceId])
  for (const dongle of fleet.slice(1)) expect(service.timesOf(dongle.deviceId)).toEqual(sampleTimes(dongle))
})
