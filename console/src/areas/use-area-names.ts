import { useQuery } from '@tanstack/react-query'
import type { Area } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { areasQuery } from './areas-query.ts'

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
