import { queryOptions, useQuery } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { compareTexts } from '../language/language.ts'
import { ChangesMeanwhile, whenLive } from '../live/live-state.ts'
import { useMay } from '../session/use-session.ts'
import { type NameAt, nameAtIn } from './shape.ts'

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

/** What areas are called by id, deleted ones too as far as they are known; empty without the permission. */
export function useAreaNames(): ReadonlyMap<string, string> {
  const mayReadAreas = useMay('areas')
  const { data = NONE } = useQuery({ ...areasQuery, enabled: mayReadAreas, select: namesOf })
  return data
}

const NONE: ReadonlyMap<string, string> = new Map()

function namesOf(areas: ReadonlyMap<string, Area>): ReadonlyMap<string, string> {
  return new Map([...areas.values()].map(({ id, name }) => [id, name]))
}

/** What the person calls a place, by the areas of the account; finds none without the permission for areas. */
export function useNameAt(): NameAt {
  const mayReadAreas = useMay('areas')
  const { data = nowhere } = useQuery({ ...areasQuery, enabled: mayReadAreas, select: nameAtOf })
  return data
}

const nowhere: NameAt = () => ''

function nameAtOf(areas: ReadonlyMap<string, Area>): NameAt {
  return nameAtIn(presentAreas(areas))
}
