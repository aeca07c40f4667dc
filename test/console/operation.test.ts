import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RejectedFrame, writeRejectedFrames } from '../../src/db/rejected-frames.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { query } from '../embedded-folder.ts'
import { isOnCitus } from '../on-citus.ts'
import { barriersOn } from './axe.ts'
import { describeInBrowser, PATIENCE } from './chromium.ts'
import { PICTURES, settledPicture } from './picture.ts'
import { type ConsoleWorld, startWorld, type VisitOptions } from './world.ts'

const PATH = '/administration?tab=operation'
const STRANGER = 356307042441013

const FRAME: RejectedFrame = {
  gateway: 'teltonika',
  deviceId: STRANGER as DeviceId,
  sender: '192.0.2.7',
  why: `The device ${STRANGER} is unknown and may not join.`,
  reason: 'unknown device',
  bytes: Buffer.from('x'),
  byteCount: 1,
}

describeInBrowser('operation', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startWorld()
    await writeTransaction(world.service.database, transaction =>
      writeRejectedFrames(transaction, [
        FRAME,
        FRAME,
        { ...FRAME, deviceId: undefined, sender: '2001:db8::17', reason: 'unreadable', why: 'The checksum is wrong.' },
      ]),
    )
  })
  afterAll(() => world.stop())

  const visit = (options: VisitOptions = {}) => world.visit({ hasMaps: false, path: PATH, ...options })

  async function send(second: number): Promise<number> {
    const recordedTimestamp = new Date(Date.UTC(2026, 0, 15, 8, 0, second)).toISOString()
    const reply = await fetch(`${world.service.url}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ deviceId: 356938035643809, recordedTimestamp, eventType: 'GPS_SPEED', value: 50 }]),
    })
    return reply.status
  }

  test('shows the parts, the machine, the nodes, and who was refused with the way out', async () => {
    const page = await visit()
    await page.getByText(isOnCitus ? 'Everything works' : 'No backups are made').waitFor()
    for (const part of ['Database', 'Intake', 'Storing']) await page.getByText(`${part}: ready`).waitFor()
    // The disk of a database on other machines is not known.
    if (!isOnCitus) await page.getByText(/^[\d.,]+\s[GT]B of [\d.,]+\s[GT]B$/).waitFor()
    const nodes = page.getByRole('table', { name: 'Nodes' })
    for (const process of ['API', 'Intake']) await nodes.getByRole('cell', { name: process, exact: true }).waitFor()
    const refused = page.getByRole('table', { name: 'Refused' }).getByRole('row')
    const stranger = refused.filter({ hasText: String(STRANGER) })
    await stranger.getByRole('cell', { name: '2', exact: true }).waitFor()
    await stranger.getByText('Register it under Devices, if it is yours.').waitFor()
    await refused.filter({ hasText: '2001:db8::17' }).getByText('tacho frames list').waitFor()
    expect(await barriersOn(page)).toEqual([])
  })

  test('says that nothing is stored on a full disk, since when and what to do, and when it goes on', async () => {
    // What the database says when its disk is full. Citus has no triggers on what it distributes.
    await query(
      world.service.config.databaseUrl,
      `create function disk_full() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger disk_full before insert or update on due for each row execute function disk_full()`,
    )
    expect(await send(1)).toBe(503)
    const page = await visit()
    await page.getByText(/^What devices send cannot be stored, since /).waitFor()
    await page.getByText('The disk of the database is full. Free space, and it goes on by itself.').waitFor()
    await page.getByText('Storing: failing').waitFor()
    if (PICTURES) await settledPicture(page, join(PICTURES, 'operation full disk.png'))
    await query(world.service.config.databaseUrl, 'drop trigger disk_full on due')
    expect(await send(2)).toBe(200)
    await expect.poll(() => page.getByText('Storing: ready').count(), PATIENCE).toBe(1)
  })

  test.each([
    ['light', false],
    ['dark', false],
    ['light', true],
  ] as const)('can be read in German: %s, on a phone: %s', async (scheme, isPhone) => {
    const page = await visit({ scheme, isPhone, language: 'de' })
    await page.getByText(isOnCitus ? 'Alles funktioniert' : 'Es werden keine Sicherungen gemacht').waitFor()
    await page.getByText('Unter Geräte eintragen, falls es Ihres ist.').waitFor()
    if (PICTURES) await settledPicture(page, join(PICTURES, `operation ${scheme}${isPhone ? ' phone' : ''}.png`))
    expect(await barriersOn(page)).toEqual([])
  })
})
