import { useQuery } from '@tanstack/react-query'
import { askAll } from '../api/request.ts'
import type { Area } from '../api/types.ts'
import { compareTexts } from '../language/language.ts'
import { followedList, whenLive } from '../live/live-state.ts'
import { useMay } from '../session/use-session.ts'
import { type NameAt, nameAtIn } from './shape.ts'

/** All areas by id, deleted ones among them when that became known by the stream. */
export const areaList = followedList<string, Area>(['areas'], async ({ signal }) => {
  await whenLive()
  return askAll('GET /cc/v2.0/areas', { signal }, reply => reply.areas)
})
export const areasQuery = areaList.query

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
