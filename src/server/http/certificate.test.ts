import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { tlsFixture } from '../../../test/tls-files.ts'
import { OperatorError } from '../../model/errors.ts'
import { followCertificate, readCertificate } from './certificate.ts'

const log = pino({ level: 'silent' })

function folderWith(name: 'former' | 'renewed') {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  copyFileSync(tlsFixture(name).certFile, files.certFile)
  copyFileSync(tlsFixture(name).keyFile, files.keyFile)
  return files
}

/** A server that echoes, and connections to it. */
async function serve(files: ReturnType<typeof folderWith>) {
  const server = createServer(readCertificate(files), socket => void socket.pipe(socket))
  followCertificate(server, files, log, 20)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const opened: TLSSocket[] = []
  onTestFinished(async () => {
    for (const socket of opened) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const open = async () => {
    const { port } = server.address() as AddressInfo
    const ca = (['former', 'renewed'] as const).map(name => readFileSync(tlsFixture(name).certFile))
    const socket = connect({ port, host: '127.0.0.1', ca })
    opened.push(socket)
    await once(socket, 'secureConnect')
    return socket
  }
  return { open, nameShown: async () => (await open()).getPeerCertificate().subject.CN }
}

test('a renewed certificate is shown to who connects, and leaves open connections as they are', async () => {
  const files = folderWith('former')
  const { open, nameShown } = await serve(files)
  const before = await open()
  expect(before.getPeerCertificate().subject.CN).toBe('former')
  copyFileSync(tlsFixture('renewed').certFile, files.certFile)
  copyFileSync(tlsFixture('renewed').keyFile, files.keyFile)
  await eventually(async () => expect(await nameShown()).toBe('renewed'))
  before.write('still here')
  expect(String(((await once(before, 'data')) as [Buffer])[0])).toBe('still here')
})

test('what cannot be used leaves the former certificate in place, until its key is there, too', async () => {
  const files = folderWith('former')
  const { nameShown } = await serve(files)
  copyFileSync(tlsFixture('renewed').certFile, files.certFile)
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(await nameShown()).toBe('former')
  writeFileSync(files.keyFile, 'half a k')
  await new Promise(resolve => setTimeout(resolve, 200))
  expect(await nameShown()).toBe('former')
  copyFileSync(tlsFixture('renewed').keyFile, files.keyFile)
  await eventually(async () => expect(await nameShown()).toBe('renewed'))
})

test('a start with files that do not fit or are not there says which', () => {
  const former = tlsFixture('former')
  for (const files of [
    { certFile: former.certFile, keyFile: tlsFixture('renewed').keyFile },
    { certFile: former.certFile, keyFile: '/nowhere/key.pem' },
    { certFile: former.keyFile, keyFile: former.keyFile },
  ]) {
    expect(() => readCertificate(files)).toThrow(OperatorError)
    expect(() => readCertificate(files)).toThrow(files.certFile)
    expect(() => readCertificate(files)).toThrow(files.keyFile)
  }
})
