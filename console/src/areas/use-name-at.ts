import { useQuery } from '@tanstack/react-query'
import type { Area } from '../api/types.ts'
import { useMay } from '../session/use-session.ts'
import { type NameAt, nameAtIn } from './area-at.ts'
import { areasQuery, presentAreas } from './areas-query.ts'

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
