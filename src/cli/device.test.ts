import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { typedCommands } from '../../test/cli.ts'
import { startService, type TestService } from '../../test/service.ts'
import { sql } from '../db/sql.ts'
import { registerKey } from './access.ts'
import { registerAccount } from './account.ts'
import { registerDevice } from './device.ts'

let service: TestService
let folder: string
let serial = 0

beforeAll(async () => {
  service = await startService({ UNKNOWN_DEVICES: 'reject' })
  folder = await mkdtemp(join(tmpdir(), 'tacho-devices-'))
  vi.stubEnv('DATABASE_URL', service.config.databaseUrl)
  await tacho('account', 'add', 'Fleet')
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})
const { output, notes, tacho } = typedCommands(
  [registerAccount, registerDevice, registerKey],
  () => service.config.databaseUrl,
)

const newImei = () => String(imeiOf('35630704', ++serial))

async function importText(text: string | Uint8Array, ...words: string[]): Promise<void> {
  const path = join(folder, 'list.csv')
  await writeFile(path, text)
  await tacho('device', 'import', path, ...words)
}

async function get<T>(path: string, account = 'Fleet'): Promise<T> {
  const authorization = `Bearer ${await service.key(account)}`
  const response = await fetch(`${service.baseUrl}${path}`, { headers: { authorization } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function listed(...words: string[]): Promise<Readonly<Record<string, unknown>>[]> {
  await tacho('device', 'list', '--json', ...words)
  return JSON.parse(output.pop() ?? '') as Readonly<Record<string, unknown>>[]
}

async function ingest(imei: string, key: string, recordedTimestamp = new Date().toISOString()): Promise<number> {
  const response = await fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ deviceId: Number(imei), recordedTimestamp, eventType: 'BATTERY_VOLTAGE', value: 12.5 }]),
  })
  return response.status
}

const count = async (table: 'devices' | 'vehicles' | 'operator_moves') =>
  (
    await service.database.rows<{ count: number }>(sql`
    select case ${table} when 'devices' then (select count(*) from devices)
      when 'vehicles' then (select count(*) from vehicles) else (select count(*) from operator_moves) end as count`)
  )[0]?.count

/** Everything that can be entered of a car and its dongle. */
const SETTINGS = `--plate=M-TC 1,--vin=wvwzzz1kzaw000001,--model=Golf,--vehicle=1.4,--fuel=Diesel,--tecdoc-make=121,
  --tecdoc-vehicle=54321,--kba=0603/BQM,--hardware=FMC003`.split(/,\s*/)

describe('add', () => {
  test('lets a dongle in, whose car is as it was entered', async () => {
    const imei = newImei()
    const key = await service.key('Fleet', ['ingest'])
    expect(await ingest(imei, key)).toBe(400)
    await tacho('device', 'add', imei, ...SETTINGS)
    expect(notes).toEqual([`The dongle ${imei} may report.`])
    expect(await ingest(imei, key)).toBe(200)
    expect(await get(`/vehicles/VINWVWZZZ1KZAW000001`)).toMatchObject({
      licensePlate: 'M-TC 1',
      vin: 'WVWZZZ1KZAW000001',
      make: 'Volkswagen',
      model: 'Golf',
      vehicle: '1.4',
      fuelType: 'Diesel',
      tecDocMakeId: 121,
      tecDocModelId: 0,
      tecDocVehicleId: 54321,
      kba: '0603/BQM',
      deviceId: Number(imei),
    })
    expect(await get(`/devices/${imei}`)).toMatchObject({ manufacturer: 'Teltonika', hardwareType: 'FMC003' })
    await expect(tacho('device', 'add', imei)).rejects.toThrow(`${imei} is there already`)
  })

  test('with the VIN of a car that has no dongle puts it into that car, and with one that has says which', async () => {
    const [first, second, third] = [newImei(), newImei(), newImei()]
    await tacho('device', 'add', first, '--vin', 'WVWZZZ1KZAW000002', '--plate', 'M-TC 2')
    await expect(tacho('device', 'add', second, '--vin', 'WVWZZZ1KZAW000002')).rejects.toThrow(
      `WVWZZZ1KZAW000002 is the VIN of the vehicle VINWVWZZZ1KZAW000002, in which the dongle ${first} is`,
    )
    await tacho('device', 'move', first, '--to', 'new', '--vin', 'WVWZZZ1KZAW000003')
    await tacho('device', 'add', third, '--vin', 'WVWZZZ1KZAW000002')
    expect(await get('/vehicles/VINWVWZZZ1KZAW000002')).toMatchObject({
      deviceId: Number(third),
      licensePlate: 'M-TC 2',
    })
  })

  test.each([
    ['9007199254740992', 'It must be an IMEI of 15 digits, or another number below 2^53.'],
    ['356307042441010', 'imei is no IMEI: the last digit would have to be 3'],
    ['0', 'It must be an IMEI'],
    ['-5', 'It must be an IMEI'],
    ['nonsense', 'It must be an IMEI of 15 digits'],
  ])('of %s is refused', async (imei, message) => {
    await expect(tacho('device', 'add', imei)).rejects.toThrow(message)
  })

  test.each([
    ['902064', 902064],
    ['27043946607', 27043946607],
    ['013800138000', 13800138000],
    ['9007199254740991', 9007199254740991],
    ['49-015420-323751-8', 490154203237518],
  ])('of %s takes the number, as of every device', async (typed, imei) => {
    await tacho('device', 'add', typed)
    expect(await listed('--search', String(imei))).toMatchObject([{ imei, vehicleId: `IMEI_${imei}` }])
  })

  test('of a dongle that was made with a wrong check digit asks first', async () => {
    await tacho('device', 'add', '356307042441010', '--any-check-digit')
    await importText('imei\n356307042441011\n', '--any-check-digit')
    expect(await listed('--search', '35630704244101')).toMatchObject([
      { imei: 356307042441010 },
      { imei: 356307042441011 },
    ])
  })

  test.each([
    ['--vin', 'WVW', '--vin must have 17 letters and digits, without I, O and Q.'],
    ['--tecdoc-make', 'x', '--tecdoc-make must be a whole number.'],
    ['--account', 'Nobody', 'There is no account Nobody; `tacho account add` makes one.'],
  ])('with %s %s is refused', async (option, value, message) => {
    await expect(tacho('device', 'add', newImei(), option, value)).rejects.toThrow(message)
  })
})

describe('import', () => {
  test('makes what is new and sets what differs; again it changes nothing', async () => {
    await tacho('account', 'add', 'Leasing')
    const [first, second, third] = [newImei(), newImei(), newImei()]
    await tacho('device', 'add', third, '--plate', 'M-TC 30')
    const text = [
      'IMEI;Kennzeichen;VIN;Make;Fuel;Account;KBA (HSN/TSN);TecDoc-Make ID',
      `${first};"M-TC 10; alt";WBA3A5C58DF000010;BMW;Petrol;;0005/AAA;16`,
      `${second};M-ÄÖ 1;;;;Leasing;;`,
      '',
      `${third};M-TC 31;WBA3A5C58DF000030;;;;;`,
    ].join('\r\n')
    await importText(`﻿${text}`)
    await importText(text)
    expect(notes.slice(-2)).toEqual(['2 added, 1 updated, 0 unchanged.', '0 added, 0 updated, 3 unchanged.'])
    expect(await get('/vehicles/VINWBA3A5C58DF000010')).toMatchObject({
      licensePlate: 'M-TC 10; alt',
      fuelType: 'Petrol',
      kba: '0005/AAA',
      tecDocMakeId: 16,
    })
    expect(await get(`/vehicles/IMEI_${second}`, 'Leasing')).toMatchObject({ licensePlate: 'M-ÄÖ 1' })
    expect(await get(`/vehicles/IMEI_${third}`)).toMatchObject({ id: 'VINWBA3A5C58DF000030', licensePlate: 'M-TC 31' })
  })

  test('reads what Excel saves in German: semicolons, the Windows code page, a line that says the separator', async () => {
    const imei = newImei()
    await importText(Buffer.from(`sep=;\r\nIMEI;Kennzeichen\r\n${imei};M-Ü 5\r\n`, 'latin1'))
    expect(await listed('--search', imei)).toMatchObject([{ plate: 'M-Ü 5' }])
  })

  test('also with tabs in UTF-16', async () => {
    const imei = newImei()
    await importText(Buffer.from(`﻿imei\tplate\n${imei}\tM-TC, 6\n`, 'utf16le'))
    expect(await listed('--search', imei)).toMatchObject([{ plate: 'M-TC, 6' }])
  })

  test.each([
    ['with decimals', (imei: string) => `imei,plate\n${imei}.0,M-X 1\n`],
    ['with decimals in German', (imei: string) => `imei;plate\r\n${imei},00;M-X 1\r\n`],
    ['with an exponent and all digits', (imei: string) => `imei|plate\n${imei[0]}.${imei.slice(1)}E+14|M-X 1\n`],
    ['with many decimals, in lines that end differently', (imei: string) => `imei,plate\r\n${imei}.000,M-X 1\n\n`],
    ['with an apostrophe', (imei: string) => `imei,plate\n'${imei},M-X 1\n`],
    ['in quotes after a byte order mark', (imei: string) => `\uFEFF"imei";"plate"\r\n"${imei}";"M-X 1"\r\n`],
    ['as a formula', (imei: string) => `imei,plate\n="${imei}",="M-X 1"\n`],
    ['as a formula in quotes', (imei: string) => `plate\timei\r\nM-X 1\t"=""${imei}"""\r\n`],
    ['between signs of a web page', (imei: string) => `imei,plate\n\u202a\u00a0${imei}\u202c,M-X 1\n`],
    ['beside a number with decimals', (imei: string) => `imei,plate,tecdoc make\n${imei},M-X 1,16.0\n`],
  ])('reads a number %s', async (_how, text) => {
    const imei = newImei()
    await importText(text(imei))
    expect(await listed('--search', imei)).toMatchObject([{ imei: Number(imei), plate: 'M-X 1' }])
  })

  test.each([
    ['3.56307E+14', 'line 2, imei was rounded by the spreadsheet'],
    ['"3,56307E+14"', 'line 2, imei was rounded by the spreadsheet'],
    ['3.5630704244101E+14', 'line 2, imei was rounded by the spreadsheet'],
    ['356.307.042.441.013', 'line 2, imei was made a number with separators by the spreadsheet'],
    ['902.064', 'line 2, imei was made a number with separators'],
  ])('says that the spreadsheet spoilt %s', async (cell, message) => {
    await expect(importText(`imei,plate\n${cell},\n`)).rejects.toThrow(message)
  })

  test('of a list with anything wrong changes nothing, and says line and column', async () => {
    const [first, second, there] = [newImei(), newImei(), newImei()]
    await tacho('device', 'add', there)
    const before = [await count('devices'), await count('vehicles')]
    const wrong = importText(
      [
        'IMEI,VIN,TecDoc Make',
        `${first},,`,
        '356307042441010,,',
        `${second},WVWZZZ1KZAO000001,x`,
        ',WVWZZZ1KZAW000077,',
        '3.56307E+14,,',
        `${first},,,,more`,
      ].join('\n'),
    )
    await expect(wrong).rejects.toThrow(/line 3, IMEI is no IMEI: the last digit would have to be 3/)
    await expect(wrong).rejects.toThrow(/line 4, VIN must have 17 .*\n.*line 4, TecDoc Make must be a whole number/)
    await expect(wrong).rejects.toThrow(/line 5, IMEI is missing\.\n.*line 6, IMEI was rounded by the spreadsheet/)
    await expect(wrong).rejects.toThrow(/line 7: there is no heading above "more"\.\n(.*\n)*Nothing was changed\.$/)
    await expect(importText(`imei,vin\n${first},WVWZZZ1KZAW000055\n${second},WVWZZZ1KZAW000055\n`)).rejects.toThrow(
      `line 3, vin is the VIN of ${first}, too.`,
    )
    await expect(importText(`imei,account\n${first},\n${there},Leasing\n`)).rejects.toThrow(
      'line 3, account belongs to the account Fleet; `tacho device move` with --account changes that.',
    )
    await expect(importText(`imei,plate\n${there},X-1\n`, '--account', 'Leasing')).rejects.toThrow(
      'line 2: belongs to the account Fleet',
    )
    await expect(importText('plate,colour\nM-TC 1,red\n')).rejects.toThrow(
      /line 1, colour is no column of this list; there are imei, plate,.*\n.*line 1: no column is named imei/,
    )
    await expect(importText('imei,plate\n"1234,x\n')).rejects.toThrow('a quotation mark stands where none may be')
    await expect(importText('')).rejects.toThrow('the file is empty')
    await expect(tacho('device', 'import', join(folder, 'none.csv'))).rejects.toThrow('cannot be read')
    expect([await count('devices'), await count('vehicles')]).toEqual(before)
  })
})

test('list shows dongles and their cars in lines of a terminal, all or those that are looked for', async () => {
  const imei = newImei()
  await tacho('device', 'add', imei, '--plate', 'HH-XY 99', '--make', 'Mercedes-Benz', '--model', 'Sprinter 316 CDI')
  expect(await ingest(imei, await service.key('Fleet', ['ingest']))).toBe(200)
  await tacho('device', 'list', '--search', 'hh-xy')
  const [heading, line, ...others] = (output.pop() ?? '').split('\n')
  expect(heading).toMatch(/^IMEI +VEHICLE +PLATE +CAR +STATE +LAST RECEIVED +HARDWARE +FIRMWARE$/)
  expect(line).toMatch(new RegExp(`^${imei} +IMEI_${imei} +HH-XY 99 +Mercedes-Benz S… +online +2\\d{3}-`))
  expect(others).toEqual([])
  await tacho('device', 'list')
  for (const shown of (output.pop() ?? '').split('\n')) expect(shown.length).toBeLessThanOrEqual(120)
  expect(await listed('--account', 'Nobody')).toEqual([])
  expect(await listed('--search', imei)).toMatchObject([{ imei: Number(imei), account: 'Fleet', isOnline: true }])
})

test('move names the car by its number plate, and takes the dongle to another account', async () => {
  const [first, second] = [newImei(), newImei()]
  await tacho('device', 'add', first, '--plate', 'K-AB 1')
  await tacho('device', 'add', second, '--plate', 'K-AB 2')
  await tacho('device', 'move', first, '--to', 'kab2', '--at', '2026-01-15T08:00:00+01:00')
  expect(notes.pop()).toBe(`The dongle ${first} is in IMEI_${second} since 2026-01-15T07:00:00.000Z.`)
  await tacho('account', 'add', 'Rental')
  await tacho('device', 'move', first, '--account', 'Rental')
  expect(notes.pop()).toMatch(`The dongle ${first} is in IMEI_${first} of Rental since 2`)
  expect(await listed('--account', 'Rental')).toMatchObject([{ imei: Number(first) }])
  // Keys of an account report for its dongles only.
  expect(await ingest(first, await service.key('Rental', ['ingest']))).toBe(200)
  expect(await ingest(first, await service.key('Fleet', ['ingest']))).toBe(400)
  await expect(tacho('device', 'move', second, '--to', 'X-YZ 1')).rejects.toThrow('The account has no vehicle X-YZ 1')
  await expect(tacho('device', 'move', second, '--to', 'kab2', '--vin', 'WVWZZZ1KZAW000044')).rejects.toThrow(
    '--vin is for a new car',
  )
})

test('accounts are listed with what they have', async () => {
  await expect(tacho('account', 'add', 'Fleet')).resolves.toBeUndefined()
  expect(notes.pop()).toBe('There is an account Fleet already.')
  await tacho('account', 'add', 'Empty')
  await tacho('key', 'create', 'broker', '--account', 'Empty', '--permissions', 'ingest')
  await tacho('account', 'list')
  const rows = (output.pop() ?? '').split('\n').map(line => line.trim().split(/ {2,}/))
  expect(rows[0]).toEqual(['NAME', 'DONGLES', 'VEHICLES', 'USERS', 'KEYS', 'CREATED'])
  expect(rows.at(-1)?.slice(0, 5)).toEqual(['Empty', '0', '0', '0', '1'])
})
