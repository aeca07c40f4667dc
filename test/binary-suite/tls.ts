import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../binary-gateway.ts'
import { sendDatagram } from '../dongle-socket.ts'
import { eventually } from '../eventually.ts'
import { tlsFixture } from '../tls-files.ts'
import type { ProtocolClient } from './client.ts'
import { newImei, type SharedDatabase, sampleAt } from './world.ts'

const ca = (['former', 'renewed'] as const).map(name => readFileSync(tlsFixture(name).certFile))

/** The same over TLS. */
export function testTls(client: ProtocolClient, database: SharedDatabase): void {
  const deviceId = newImei()
  const login = client.login.of(String(deviceId))
  const samples = [sampleAt(deviceId, 0)]
  const frame = client.frame.of(samples)

  test('with a certificate dongles report over TLS and no other way, and a renewed one is taken at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tacho-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const certificate = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
    const use = (name: 'former' | 'renewed') => {
      copyFileSync(tlsFixture(name).certFile, certificate.certFile)
      copyFileSync(tlsFixture(name).keyFile, certificate.keyFile)
    }
    use('former')
    const gateway = await startGateway(client.protocol, database(), {
      limits: { loginMs: 500, sweepMs: 50 },
      certificate,
    })
    onTestFinished(() => gateway.stop())
    const open = async () => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1', ca })
      await once(socket, 'secureConnect')
      return socket
    }
    const read = async (socket: Awaited<ReturnType<typeof open>>) => ((await once(socket, 'data')) as [Buffer])[0]

    const dongle = await open()
    dongle.write(login)
    expect(await read(dongle)).toEqual(client.login.accepted(String(deviceId)))
    dongle.write(frame)
    expect(client.acknowledgement.recordsIn(await read(dongle))).toBe(1)

    // Neither unencrypted data nor a missing handshake occupies a connection, and neither affects anybody else.
    const plain = connectPlain({ port: gateway.port, host: '127.0.0.1' })
    plain.on('error', () => undefined).write(login)
    const silent = connectPlain({ port: gateway.port, host: '127.0.0.1' }).on('error', () => undefined)
    await Promise.all([plain, silent].map(socket => socket.resume() && once(socket, 'close')))
    expect(await sendDatagram(gateway.port, client.datagram.of(deviceId, 1, samples), 300)).toBeUndefined()

    use('renewed')
    await eventually(async () => {
      const socket = await open()
      const { CN } = socket.getPeerCertificate().subject
      socket.destroy()
      expect(CN).toBe('renewed')
    })
    dongle.write(frame)
    expect(client.acknowledgement.recordsIn(await read(dongle))).toBe(1)
    dongle.end()
    await once(dongle, 'close')
  })
}
