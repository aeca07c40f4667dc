import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { eventsOfJson, samplesOf } from '../src/gateways/shared/event-json.ts'
import { readDocument } from './document.ts'
import { query } from './embedded-folder.ts'
import { startService } from './service.ts'

const tour = readDocument('docs/tour.md')

let uploadKey = ''
let readKey = ''
const service = await startService()
uploadKey = await service.key('Fleet', ['ingest'])
readKey = await service.key('Fleet', ['events'])
afterAll(() => service.stop())

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends the bytes of a request as a block shows them; only the end of the connection is added. */
async function send(request: string): Promise<Answer> {
  const [head = '', body = ''] = request.split('\n\n')
  const { port } = new URL(service.url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`${[...head.split('\n'), 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  const answer = await text(socket)
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
  const [headers = '', ...rest] = answer.split('\r\n\r\n')
  const content = rest.join('\r\n\r\n')
  return { status, body: /transfer-encoding: chunked/i.test(headers) ? unchunked(content) : content }
}

/** RFC 9112, 7.1. */
function unchunked(content: string): string {
  let whole = ''
  for (let rest = content; ; ) {
    const [, size = '0', tail = ''] = /^([0-9a-f]+)\r\n([^]*)$/i.exec(rest) ?? []
    const length = Number.parseInt(size, 16)
    if (length === 0) return whole
    whole += tail.slice(0, length)
    rest = tail.slice(length + 2)
  }
}

/** A block shows JSON with blanks and line ends that the service does not send. */
const compact = (block: string) => JSON.stringify(JSON.parse(tour.block(block)))

test('the request of the tour becomes the sample, the row and the receipt that it shows', async () => {
  const upload = tour.block('upload').replace('<KEY>', uploadKey)
  const { samples } = samplesOf(eventsOfJson(upload.split('\n\n')[1] ?? ''), {})
  expect(JSON.stringify(samples)).toBe(`[${compact('sample')}]`)

  expect(await send(upload)).toEqual({ status: 200, body: compact('receipt') })
  const rows = await query(
    service.config.databaseUrl,
    `select row_to_json(r)::text as json from (${tour.block('stored')}) r`,
  )
  expect(rows.map(({ json }) => JSON.parse(String(json)))).toEqual([JSON.parse(tour.block('row'))])
  expect(await send(upload)).toEqual({ status: 200, body: compact('repeated') })
})

test('the question of the tour gets the answer that it shows', async () => {
  expect(await send(tour.block('question').replace('<TOKEN>', readKey))).toEqual({
    status: 200,
    body: compact('answer'),
  })
})

test('the drive of the tour becomes the trip that it shows, and what comes late changes it', async () => {
  const trips = async () => {
    const rows = await query(
      service.config.databaseUrl,
      `select row_to_json(r)::text as json from (${tour.block('trips')}) r`,
    )
    return rows.map(({ json }) => JSON.parse(String(json)) as unknown)
  }
  expect((await send(tour.block('drive').replace('<KEY>', uploadKey))).status).toBe(200)
  expect(await trips()).toEqual([JSON.parse(tour.block('trip'))])
  expect((await send(tour.block('late').replace('<KEY>', uploadKey))).status).toBe(200)
  await expect.poll(trips).toEqual([JSON.parse(tour.block('trip-after'))])
})

test('the permissions are those that the tour names', async () => {
  expect((await send(tour.block('upload').replace('<KEY>', readKey))).status).toBe(403)
  expect((await send(tour.block('question').replace('<TOKEN>', uploadKey))).status).toBe(403)
})

test('every file that it names is there', () => {
  expect(tour.missingFiles()).toEqual([])
})
