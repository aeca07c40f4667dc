import { expect, it } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { everyPage, fileNameOf, type Page } from './files.ts'

it.each([
  [['KA-TX 12', '2026-11-21'], 'KA-TX-12_2026-11-21'],
  [['../../etc', 'a/b\\c:d'], 'etc_a-b-c-d'],
  [['München', ''], 'München'],
  [['?', ''], 'export'],
])('a file of %j is named %s', (parts, name) => {
  expect(fileNameOf(parts)).toBe(name)
})

const PAGES: Readonly<Record<string, Page<number>>> = {
  first: { items: [1, 2], next: '/b' },
  '/b': { items: [], next: '/c' },
  '/c': { items: [3], next: undefined },
}
const pageOf = (next = 'first') => PAGES[next] ?? { items: [], next: undefined }

async function read(ask: (next: string | undefined) => Promise<Page<number>>, signal = new AbortController().signal) {
  const pages: (readonly number[])[] = []
  for await (const items of everyPage(ask, signal)) pages.push(items)
  return pages
}

it('reads page after page to the end, asks again where it was told to wait, and loses nothing', async () => {
  let refusals = 2
  const ask = async (next: string | undefined) => {
    if (next === '/b' && refusals-- > 0) throw new ApiError(429, 'Too many requests.', 0.001)
    return pageOf(next)
  }
  expect(await read(ask)).toEqual([[1, 2], [], [3]])
})

it('gives up at any other error', async () => {
  const ask = () => Promise.reject(new ApiError(500, 'It broke.'))
  await expect(read(ask)).rejects.toThrow('It broke.')
})

it('reads no further once it is cancelled', async () => {
  const controller = new AbortController()
  const asked: (string | undefined)[] = []
  const ask = async (next: string | undefined) => {
    asked.push(next)
    controller.abort()
    return pageOf(next)
  }
  await read(ask, controller.signal)
  expect(asked).toEqual([undefined])
})
