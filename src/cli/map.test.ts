import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { makeTemporaryFolder } from '../../test/embedded-folder.ts'
import { writeMadeMap } from '../../test/made-map-file.ts'
import { registerMap } from './map.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** @returns what it printed. */
async function tachoMap(...args: readonly string[]): Promise<string> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  const program = new Command()
  registerMap(program)
  await program.parseAsync(['map', ...args], { from: 'user' })
  return lines.join('\n')
}

test('without a map of a region it says what is there, and how to get one', async () => {
  const printed = await tachoMap()
  expect(printed).toContain('It has no streets.')
  expect(printed).toMatch(/tacho map get [\d.,]+ --to region\.pmtiles\n.*MAP_FILE/s)
})

test('it says what a map covers, whether it is the one that is set or one to be looked at', async () => {
  const path = join(await makeTemporaryFolder(), 'region.pmtiles')
  await writeMadeMap(path)
  const description = [
    `${path} is a map that the console can show.`,
    '',
    '  from    48.1200, 11.5500  to  48.1500, 11.6000  (latitude, longitude)',
    '  zoom    0 to 14',
    expect.stringMatching(/^ {2}size {4}0\.\d MB$/),
    '  as of   2026-11-01T00:00:00Z',
    '  data    © OpenStreetMap',
  ]
  expect((await tachoMap(path)).split('\n')).toEqual(description)
  vi.stubEnv('MAP_FILE', path)
  expect((await tachoMap()).split('\n')).toEqual(description)
})

test('a file that is no map is refused', async () => {
  vi.stubEnv('MAP_FILE', join(await makeTemporaryFolder(), 'nowhere.pmtiles'))
  await expect(tachoMap()).rejects.toThrow(/^MAP_FILE is .*, but there is no such file\.$/)
})

test('the map of another server goes before all others', async () => {
  vi.stubEnv('MAP_STYLE_URL', 'https://maps.example/style.json')
  expect(await tachoMap()).toContain('https://maps.example/style.json')
})

test('a region is fetched beyond the west of Greenwich, too, and what is no box is refused', async () => {
  const path = join(await makeTemporaryFolder(), 'world.pmtiles')
  await writeMadeMap(path)
  const bytes = await readFile(path)
  const server = createServer(({ headers }, response) => {
    const [from = 0, to = 0] = (headers.range ?? '').replace('bytes=', '').split('-').map(Number)
    response.writeHead(206).end(bytes.subarray(from, to + 1))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/map.pmtiles`
  const get = (box: string, ...more: readonly string[]) =>
    tachoMap('get', box, '--from', from, '--to', `${path}.part-of-it`, ...more)
  expect(await get('-5,40,12,50', '--maxzoom', '9')).toMatch(
    /is a map that the console can show\.\n.*zoom {4}0 to 9: too/s,
  )
  vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exit')
  })
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  for (const [box, fault] of [
    ['5,50,12,40', 'upside down'],
    ['12,40,5,50', 'the wrong way round'],
    ['5,40,12', 'must be west, south, east and north'],
  ] as const) {
    await expect(get(box)).rejects.toThrow('exit')
    expect(String(said.mock.lastCall?.[0])).toContain(fault)
  }
  server.close()
})
