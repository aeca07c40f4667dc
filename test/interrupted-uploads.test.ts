import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { startService } from './service.ts'

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

const service = await startService()
const key = await service.key('Fleet')
afterAll(() => service.stop())

describe('a connection that is cut in the middle of an upload', () => {
  let device = 350_000_000_000_000

  const eventsOf = (deviceId: number, count: number) =>
    Array.from({ length: count }, (_, second) => ({
      deviceId,
      recordedTimestamp: new Date(Date.UTC(2025, 0, 1) + second * 1000).toISOString(),
      eventType: 'GPS_SPEED',
      value: second,
    }))
  const linesOf = (deviceId: number, count: number) =>
    eventsOf(deviceId, count)
      .map(event => `${JSON.stringify(event)}\n`)
      .join('')

  /** Sends the head of a request and these pieces of its body, and then nothing more. */
  async function sendAndCut(url: string, headers: readonly string[], pieces: readonly Buffer[], how: 'end' | 'reset') {
    const { hostname, port, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    let reply = ''
    socket.on('data', data => {
      reply += data.toString()
    })
    socket.on('error', () => undefined)
    const head = ['POST /ingest/events HTTP/1.1', `host: ${host}`, `authorization: Bearer ${key}`, ...headers]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (const piece of pieces) {
      socket.write(piece)
      await sleep(20)
    }
    if (how === 'end') socket.end()
    else socket.resetAndDestroy()
    await sleep(100)
    socket.destroy()
    return reply
  }

  const chunk = (data: Buffer) =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')])
  const stored = async (deviceId: number) =>
    (await service.database.rows(sql`select time from samples where device_id = ${deviceId}`)).length

  describe.each(['through the API', 'at the intake itself'])('%s', where => {
    const url = () => (where === 'through the API' ? service.url : service.intakeUrl)

    describe.each(['end', 'reset'] as const)('by %s', how => {
      it.each([
        ['JSON whose text is whole and shorter than announced', JSON_TYPE],
        ['lines, at the end of one', LINES_TYPE],
      ])('stores nothing of %s', async (_, contentType) => {
        const deviceId = ++device
        const body = contentType === JSON_TYPE ? JSON.stringify(eventsOf(deviceId, 100)) : linesOf(deviceId, 100)
        const headers = [`content-type: ${contentType}`, `content-length: ${body.length + 1000}`]
        const half = body.length / 2
        const reply = await sendAndCut(
          url(),
          headers,
          [Buffer.from(body.slice(0, half)), Buffer.from(body.slice(half))],
          how,
        )
        expect(reply).not.toMatch(/^HTTP\/1.1 (200|500)/)
        expect(await stored(deviceId)).toBe(0)
      })

      it.each(['lines', 'gzip that is whole', 'gzip'])(
        'stores nothing of %s in chunks without the last one',
        async what => {
          const deviceId = ++device
          const lines = Buffer.from(linesOf(deviceId, 2000))
          const body = what === 'lines' ? lines : gzipSync(lines)
          const headers = [`content-type: ${LINES_TYPE}`, 'transfer-encoding: chunked']
          if (what !== 'lines') headers.push('content-encoding: gzip')
          // Lines end where a line ends.
          const half = what === 'lines' ? body.indexOf('\n', body.length / 2) + 1 : Math.floor(body.length / 2)
          const pieces = [body.subarray(0, half), ...(what === 'gzip' ? [] : [body.subarray(half)])]
          const reply = await sendAndCut(url(), headers, pieces.map(chunk), how)
          expect(reply).not.toMatch(/^HTTP\/1.1 (200|500)/)
          expect(await stored(deviceId)).toBe(0)
        },
      )
    })

    it('changes nothing for those who come after', async () => {
      const deviceId = ++device
      const reply = await fetch(`${url()}/ingest/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': LINES_TYPE },
        body: linesOf(deviceId, 10),
      })
      expect([reply.status, await reply.json()]).toEqual([200, { accepted: 10, duplicates: 0 }])
      expect(await stored(deviceId)).toBe(10)
    })
  })
})
