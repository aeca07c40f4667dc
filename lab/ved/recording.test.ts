import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OperatorError } from '../../src/model/errors.ts'
import { HEADER, recorded } from '../../test/ved-recording.ts'
import { readRows, type VedRow } from './recording.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tacho-ved-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function rowsOf(content: string | Buffer, name = 'drive.csv'): Promise<VedRow[]> {
  const file = join(folder, name)
  await writeFile(file, content)
  return allOf(file)
}

async function allOf(file: string): Promise<VedRow[]> {
  const rows: VedRow[] = []
  for await (const row of readRows(file)) rows.push(row)
  return rows
}

test('a row is an instant of a car: the start of its trip and the time since, in whole milliseconds', async () => {
  const [row] = await rowsOf(recorded({ DayNum: '204.892792037', 'Timestamp(ms)': '800' }))
  expect(row).toMatchObject({ carNumber: 10, tripNumber: 2464, position: { lat: 42.28, lon: -83.71 } })
  expect(new Date(row?.timeMs ?? 0).toISOString()).toBe('2018-05-23T21:25:38.032Z')
})

test('plain and gzip, any line end, with or without a last one, and a byte order mark', async () => {
  const plain = recorded({}, { 'Timestamp(ms)': '100' })
  const expected = await rowsOf(plain)
  expect(expected).toHaveLength(2)
  expect(await rowsOf(gzipSync(plain), 'drive.csv.gz')).toEqual(expected)
  expect(await rowsOf(plain.replaceAll('\n', '\r\n'))).toEqual(expected)
  expect(await rowsOf(`\uFEFF${plain.trimEnd()}`)).toEqual(expected)
})

test('many lines, over the borders of what is read at a time', async () => {
  const rows = await rowsOf(recorded(...Array.from({ length: 5000 }, (_, i) => ({ 'Timestamp(ms)': String(i) }))))
  expect(rows.map(row => row.timeMs - (rows[0]?.timeMs ?? 0))).toEqual(Array.from({ length: 5000 }, (_, i) => i))
})

test('empty and NaN mean not measured', async () => {
  const [row] = await rowsOf(
    recorded({ 'Vehicle Speed[km/h]': 'NaN', 'Latitude[deg]': '', 'Longitude[deg]': '', 'MAF[g/sec]': '3' }),
  )
  expect(row?.position).toBeUndefined()
  expect(row?.measured.every(Number.isNaN)).toBe(true)
  expect(row?.leftOut.filter(Boolean)).toHaveLength(1)
})

test.each([
  ['a word', { 'Engine RPM[RPM]': 'fast' }, 'drive.csv, line 3: "fast" in column "Engine RPM[RPM]" is not a number.'],
  ['half a position', { 'Latitude[deg]': '' }, 'drive.csv, line 3: a position needs both latitude and longitude.'],
  ['no latitude', { 'Latitude[deg]': '91' }, '"91" in column "Latitude[deg]" is not a number from -90 to 90.'],
  ['no car', { VehId: '' }, '"" in column "VehId" is not a whole number from 1 to 999999.'],
  ['half a trip', { Trip: '1.5' }, '"1.5" in column "Trip" is not a whole number'],
  ['time before the trip', { 'Timestamp(ms)': '-1' }, '"-1" in column "Timestamp(ms)" is not a number from 0'],
  ['a day before the first', { DayNum: '0' }, '"0" in column "DayNum" is not a number from 1'],
])('%s is refused with file, line and column', async (_, fields, sentence) => {
  const reading = rowsOf(recorded({}, fields))
  await expect(reading).rejects.toThrow(OperatorError)
  await expect(reading).rejects.toThrow(sentence)
})

test('a line cut short is refused', async () => {
  await expect(rowsOf(recorded({}).slice(0, -40))).rejects.toThrow('line 2: ')
})

test('files that are none: missing, empty, of another kind, damaged', async () => {
  await expect(allOf(join(folder, 'none.csv'))).rejects.toThrow('There is no file')
  await expect(allOf(folder)).rejects.toThrow('cannot be read')
  await expect(rowsOf('')).rejects.toThrow('drive.csv is empty.')
  await expect(rowsOf('a,b\n1,2\n')).rejects.toThrow('is not a VED recording: its first line has no column "DayNum".')
  const whole = gzipSync(recorded({}, {}, {}))
  await expect(rowsOf(whole.subarray(0, whole.length - 20), 'cut.csv.gz')).rejects.toThrow(
    /cut.csv.gz is damaged after line/,
  )
})

test('the order of the columns does not matter', async () => {
  const turned = (line: string) => line.split(',').toReversed().join()
  const plain = recorded({})
  expect(HEADER.startsWith('DayNum')).toBe(true)
  expect(await rowsOf(plain.trimEnd().split('\n').map(turned).join('\n'))).toEqual(await rowsOf(plain))
})
