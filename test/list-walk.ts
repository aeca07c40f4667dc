import { expect } from 'vitest'
import type { TestClient } from './api.ts'
import { expectDocumented } from './openapi-conformity.ts'

/** The objects of a list, read page by page along its Link headers. */
export async function walkPages<T>(client: TestClient, path: string, name: string): Promise<T[][]> {
  const pages: T[][] = []
  let next: string | undefined = path
  while (next !== undefined) {
    const response = await client.get(next)
    expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
    await expectDocumented(response, 'GET', next)
    pages.push(response.json<Record<string, T[]>>()[name] ?? [])
    next = nextOf(response.headers.link)
    if (pages.length > 1000) throw new Error('a walk that does not end')
  }
  return pages
}

/** The target of a Link header, relative to the base address. */
function nextOf(link: string | string[] | number | undefined): string | undefined {
  if (link === undefined) return undefined
  const target = /^<\/cc\/v2\.0(\/[^>]+)>; rel="next"$/.exec(String(link))?.[1]
  if (target === undefined) throw new Error(`not a Link header of ours: ${String(link)}`)
  return target
}
