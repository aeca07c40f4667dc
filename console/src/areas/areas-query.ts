import { queryOptions } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { compareTexts } from '../language/language.ts'
import { ChangesMeanwhile } from '../live/changes.ts'
import { whenLive } from '../live/live-state.ts'

const PAGE_SIZE = 10_000

/** Kept up to date by the live stream. */
export const changedAreas = new ChangesMeanwhile<string, Area>()

/** All areas by id, deleted ones among them when that became known by the stream. */
export const areasQuery = queryOptions({
  queryKey: ['areas'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, Area>> => {
    await whenLive()
    return changedAreas.during(async () => {
      const areas = new Map<string, Area>()
      let next: string | undefined
      do {
        const page = await askPage('GET /cc/v2.0/areas', { query: { maxResults: PAGE_SIZE }, next, signal })
        for (const area of page.reply.areas) areas.set(area.id, area)
        next = page.next
      } while (next !== undefined)
      return areas
    })
  },
})

/** Those that are there, by name. */
export function presentAreas(areas: ReadonlyMap<string, Area>): readonly Area[] {
  const present = [...areas.values()].filter(area => area.deleteTimestamp === null)
  return present.sort((a, b) => compareTexts(a.name, b.name))
}
