import { existsSync, readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { startGateway } from '../../../test/binary-gateway.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { sendDatagram } from '../../../test/dongle-socket.ts'
import { logInTeltonika } from '../../../test/teltonika-client.ts'
import { TELTONIKA } from './protocol.ts'

const FILE = '../shared/data/teltonika/frames_sample.jsonl'

/** A frame as some device sent it, or as some other project's test has it. */
interface Captured {
  readonly id: string
  readonly hex: string
  readonly transport: 'tcp' | 'udp' | null
  readonly codec: string | null
  readonly intact: boolean
  readonly decoded_by_checker: { readonly records?: readonly unknown[] }
}

/** Of records, not of messages; codec 7 is refused. */
const isAcknowledged = ({ codec, intact }: Captured) => intact && ['8', '8E', '16'].includes(codec ?? '')
const isHex = ({ hex }: Captured) => /^([0-9a-f]{2})+$/i.test(hex)

const captured: readonly Captured[] = existsSync(FILE)
  ? readFileSync(FILE, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Captured)
  : []
const over = (transport: 'tcp' | 'udp') => captured.filter(frame => frame.transport === transport && isHex(frame))

const database = await createTestDatabase()
const test = await startGateway(TELTONIKA, database.url)
afterAll(async () => {
  await test.stop()
  await database.drop()
})

// Its name says why it is skipped: the folder with what others captured is not part of the project.
it.skipIf(captured.length === 0)(`frames of ${FILE} over TCP are answered by what is intact of them`, async () => {
  const answers = await Promise.all(
    over('tcp').map(async ({ id, hex }, index) => {
      const dongle = await logInTeltonika(test.port, String(351_000_000_000_000 + index))
      dongle.socket.end(Buffer.from(hex, 'hex'))
      await dongle.ended
      const answer = dongle.unread > 0 ? (await dongle.answer(dongle.unread)).toString('hex') : ''
      await dongle.close()
      return [id, answer]
    }),
  )
  expect(answers).toEqual(
    over('tcp').map(frame => {
      const records = frame.decoded_by_checker?.records?.length ?? 0
      return [frame.id, isAcknowledged(frame) ? records.toString(16).padStart(8, '0') : '']
    }),
  )
})

it.skipIf(captured.length === 0)(`frames of ${FILE} over UDP are answered by what is intact of them`, async () => {
  const answers = await Promise.all(
    over('udp').map(async frame => {
      // An answer that must not come is waited for not as long.
      const answer = await sendDatagram(
        test.port,
        Buffer.from(frame.hex, 'hex'),
        isAcknowledged(frame) ? undefined : 2000,
      )
      return [frame.id, answer?.readUInt8(6)]
    }),
  )
  expect(answers).toEqual(
    over('udp').map(frame => [frame.id, isAcknowledged(frame) ? frame.decoded_by_checker?.records?.length : undefined]),
  )
})
