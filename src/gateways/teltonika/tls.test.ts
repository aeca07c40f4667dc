import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/embedded-folder.ts'
import { sendDatagram } from '../../../test/teltonika-client.ts'
import { startGateway } from '../../../test/teltonika-gateway.ts'
import { tlsFixture } from '../../../test/tls-files.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { loginPacket, writeTcpFrame, writeUdpPacket } from './codec/write-frame.ts'

const deviceId = 350000000000006 as DeviceId
const IS_IGNITION_ON = requiredEventType('IS_IGNITION_ON').id
const samples = [sampleOf(deviceId, Date.UTC(2026, 0, 10), new Map([[IS_IGNITION_ON, true]]))]
const ca = (['former', 'renewed'] as const).map(name => readFileSync(tlsFixture(name).certFile))

test('with a certificate dongles report over TLS and no other way, and a renewed one is taken at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const use = (name: 'former' | 'renewed') => {
    copyFileSync(tlsFixture(name).certFile, files.certFile)
    copyFileSync(tlsFixture(name).keyFile, files.keyFile)
  }
  use('former')
  const gateway = await startGateway({ loginMs: 500, sweepMs: 50 }, undefined, 'accept', files)
  onTestFinished(() => gateway.stop())
  const open = async () => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', ca })
    await once(socket, 'secureConnect')
    return socket
  }
  const read = async (socket: Awaited<ReturnType<typeof open>>) => ((await once(socket, 'data')) as [Buffer])[0]

  const dongle = await open()
  dongle.write(loginPacket(String(deviceId)))
  expect(await read(dongle)).toEqual(Buffer.of(1))
  dongle.write(writeTcpFrame(samples))
  expect((await read(dongle)).readUInt32BE()).toBe(1)

  // Neither what is plain nor a handshake that never comes keeps a place, and both harm nobody.
  const plain = connectPlain({ port: gateway.port, host: '127.0.0.1' })
  plain.on('error', () => undefined).write(loginPacket(String(deviceId)))
  const silent = connectPlain({ port: gateway.port, host: '127.0.0.1' }).on('error', () => undefined)
  await Promise.all([plain, silent].map(socket => socket.resume() && once(socket, 'close')))
  const packet = { imei: String(deviceId), packetId: 1, avlPacketId: 1 }
  expect(await sendDatagram(gateway.port, writeUdpPacket(packet, samples), 300)).toBeUndefined()

  use('renewed')
  await eventually(async () => {
    const socket = await open()
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    expect(CN).toBe('renewed')
  }, 15_000)
  dongle.write(writeTcpFrame(samples))
  expect((await read(dongle)).readUInt32BE()).toBe(1)
  dongle.end()
  await once(dongle, 'close')
}, 30_000)
