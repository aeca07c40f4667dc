import { afterAll, describe, expect, test } from 'vitest'
import { imeiOf } from '../../../lab/simulation/imei.ts'
import { startAdministration } from '../../../test/administration.ts'
import { typedCommands } from '../../../test/cli.ts'
import { logInTeltonika } from '../../../test/teltonika-client.ts'
import { registerAccount } from '../../cli/account.ts'
import { registerDevice } from '../../cli/device.ts'
import { sql } from '../../db/sql.ts'
import { releaseStaleClaims } from '../../fleet/with-consequences.ts'

/** Keys of the accounts. */
let [fleet, leasing, stranger] = ['', '', '']
let serial = 0

const world = await startAdministration()
fleet = await world.service.key('Fleet')
afterAll(() => world.stop())

const { notes, output, tacho } = typedCommands(
  [registerAccount, registerDevice],
  () => world.service.config.databaseUrl,
)

const newImei = () => imeiOf('35630706', ++serial)
const add = (key: string, deviceId: number) => world.ask(key, 'POST', '/admin/devices', { deviceId })
const report = (key: string, deviceId: number) =>
  world.ask(key, 'POST', '/ingest/events', [
    { deviceId, recordedTimestamp: '2026-01-15T08:00:00Z', eventType: 'BATTERY_VOLTAGE', value: 12.5 },
  ])
const notTheirs = {
  status: 400,
  body: { errorMessage: 'deviceId was not handed out to this account by the operator of the service.' },
}

async function claims(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await tacho('device', 'claims', '--json')
  return JSON.parse(output.pop() ?? '') as Readonly<Record<string, unknown>>[]
}

describe('a dongle that an account registers itself', () => {
  test('needs nobody where the account is the only one', async () => {
    expect((await add(fleet, newImei())).status).toBe(201)
    expect(await claims()).toEqual([])
  })

  test('must have been handed out to it where there are several; whose it is, is told to the operator alone', async () => {
    leasing = await world.service.key('Leasing')
    stranger = await world.service.key('Stranger')
    const [free, ofLeasing, there] = [newImei(), newImei(), newImei()]
    await tacho('account', 'hand-out', 'Leasing', String(ofLeasing), String(there))
    expect((await add(leasing, there)).status).toBe(201)
    for (const imei of [free, ofLeasing, there]) expect(await add(stranger, imei)).toEqual(notTheirs)
    expect((await add(leasing, ofLeasing)).status).toBe(201)
    const ofStranger = (await claims()).filter(({ account }) => account === 'Stranger')
    expect(ofStranger).toMatchObject([
      { imei: there, state: 'refused', ownedBy: 'Leasing', handedOutTo: 'Leasing' },
      { imei: ofLeasing, state: 'refused', ownedBy: 'Leasing', handedOutTo: 'Leasing' },
      { imei: free, state: 'refused', ownedBy: null, handedOutTo: null },
    ])
    expect(world.log().flatMap(({ change }) => (change ? [change] : []))).toContainEqual({
      action: 'device refused',
      deviceId: free,
    })
  })

  test('is given up when it never reported, and may be registered again', async () => {
    const [silent, lively] = [newImei(), newImei()]
    await tacho('account', 'hand-out', 'Leasing', String(silent), String(lively))
    for (const imei of [silent, lively]) expect((await add(leasing, imei)).status).toBe(201)
    expect((await report(leasing, lively)).status).toBe(200)
    const { database } = world.service
    expect(await releaseStaleClaims(database, 7)).toEqual([])
    await database.rows(sql`select 1`)
    await setClaimedLongAgo(silent)
    await setClaimedLongAgo(lively)
    expect(await releaseStaleClaims(database, 7)).toMatchObject([{ deviceId: silent }])
    expect((await world.ask(leasing, 'GET', `/cc/v2.0/devices/${silent}`)).status).toBe(404)
    expect((await world.ask(leasing, 'GET', `/cc/v2.0/devices/${lively}`)).status).toBe(200)
    expect(await claims()).toContainEqual(expect.objectContaining({ imei: silent, state: 'released', ownedBy: null }))
    expect((await add(leasing, silent)).status).toBe(201)
    expect((await world.ask(leasing, 'GET', `/cc/v2.0/devices/${silent}`)).status).toBe(200)
  })

  test('with a key alone gets what it sends itself, and nothing that comes from the dongle', async () => {
    const [claimed, handedOut] = [newImei(), newImei()]
    expect((await report(stranger, claimed)).status).toBe(200)
    await tacho('account', 'hand-out', 'Leasing', String(handedOut))
    expect((await report(stranger, handedOut)).status).toBe(400)
    const { teltonikaPort } = world.service
    await expect(logInTeltonika(teltonikaPort, String(claimed))).rejects.toThrow('was answered 0')
    expect(await claims()).toContainEqual(expect.objectContaining({ imei: claimed, state: 'by key' }))
    // The dongle joins whoever got it from the operator, though the first account is another one.
    await (await logInTeltonika(teltonikaPort, String(handedOut))).close()
  })
})

async function setClaimedLongAgo(imei: number): Promise<void> {
  const { query } = await import('../../../test/embedded-folder.ts')
  await query(
    world.service.config.databaseUrl,
    `update claims set claimed = claimed - interval '30 days' where device_id = ${imei}`,
  )
}

describe('tacho account hand-out', () => {
  test('gives ranges that no other account has, and shows what is elsewhere already', async () => {
    const there = newImei()
    await tacho('device', 'add', String(there), '--account', 'Stranger')
    const range = `${there - 2}-${there + 2}`
    await tacho('account', 'hand-out', 'Fleet', range)
    expect(notes.slice(-2)).toEqual([
      `${range} may be registered by Fleet.`,
      `The dongle ${there} is in the account Stranger: \`tacho device move --account\` or \`tacho device delete\` changes that.`,
    ])
    await expect(tacho('account', 'hand-out', 'Leasing', `${there + 1}-${there + 5}`)).rejects.toThrow(
      `${range} was handed out to Fleet already.`,
    )
    await tacho('account', 'hand-out', 'Fleet', `${there + 3}-${there + 8}`)
    await tacho('account', 'take-back', 'Fleet', `${there}-${there + 4}`)
    await tacho('account', 'ranges', 'Fleet')
    expect(
      output
        .pop()
        ?.split('\n')
        .slice(1)
        .map(line => line.split(/\s+/)[1]),
    ).toEqual([`${there - 2}-${there - 1}`, `${there + 5}-${there + 8}`])
    await expect(tacho('account', 'take-back', 'Leasing', String(newImei()))).rejects.toThrow('Nothing of')
    await expect(tacho('account', 'hand-out', 'Nobody', String(newImei()))).rejects.toThrow(
      'There is no account Nobody',
    )
  })

  test('decides which account a dongle joins that nobody placed', async () => {
    const imei = newImei()
    await tacho('account', 'hand-out', 'Leasing', String(imei))
    await tacho('device', 'add', String(imei))
    expect((await world.ask(leasing, 'GET', `/cc/v2.0/devices/${imei}`)).status).toBe(200)
    const other = newImei()
    await tacho('account', 'hand-out', 'Leasing', String(other))
    await expect(tacho('device', 'add', String(other), '--account', 'Fleet')).rejects.toThrow(/handed out/)
  })
})
