import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { CarFilter } from '../fleet/in-order.ts'
import { useTyped } from '../fleet/use-typed.ts'

const route = getRouteApi('/')

/** Typing goes on this long before the address follows. */
const TYPING_MS = 200

/** What is searched and filtered by, kept in the address. The list and the map follow each letter; the address, when typing has paused. */
export function useCarFilter() {
  const { search = '', movement, attention: isAttention = false } = route.useSearch()
  const navigate = route.useNavigate()
  const { history } = useRouter()
  const { typed, type } = useTyped(search, TYPING_MS, text => {
    // The last typed text must not undo a navigation to another page.
    if (history.location.pathname !== '/') return
    void navigate({ replace: true, search: before => ({ ...before, search: text || undefined }) })
  })
  const filter = useMemo((): CarFilter => ({ search: typed, movement, isAttention }), [typed, movement, isAttention])
  const onFilter = useCallback(
    (changed: Partial<CarFilter>) => {
      if (changed.search !== undefined) type(changed.search)
      if (!('movement' in changed) && !('isAttention' in changed)) return
      void navigate({
        replace: true,
        search: before => ({
          ...before,
          ...('movement' in changed ? { movement: changed.movement } : {}),
          ...('isAttention' in changed ? { attention: changed.isAttention ? (true as const) : undefined } : {}),
        }),
      })
    },
    [navigate, type],
  )
  return { filter, onFilter }
}
