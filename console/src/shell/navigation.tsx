import { Badge, NavLink, VisuallyHidden } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconBell,
  IconChartBar,
  IconCpu,
  IconListCheck,
  IconMap2,
  IconPolygon,
  IconRoute,
  IconSettings,
  IconSun,
} from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { ask } from '../api/request.ts'
import { type Permission } from '../api/types.ts'
import { formatNumber, type Texts, useTexts } from '../language/language.ts'
import { sessionQuery } from '../session/use-session.ts'

/** The menu, with the pages that the person may see. */
export function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const texts = useTexts('shell')
  const pages = usePages()
  const here = useRouterState({ select: state => pageAt(state.location.pathname)?.address })
  return (
    <>
      {pages.map(({ address, name, icon: Symbol }) => {
        const isHere = address === here
        return (
          <NavLink
            key={address}
            component={Link}
            to={address}
            label={texts[name]}
            rightSection={address === '/incidents' ? <UnseenIncidents /> : undefined}
            leftSection={<Symbol size={20} stroke={1.6} aria-hidden />}
            active={isHere}
            aria-current={isHere ? 'page' : undefined}
            onClick={onNavigate}
          />
        )
      })}
    </>
  )
}

/** The pages that the person may see. */
export function usePages() {
  const { data: session } = useQuery(sessionQuery)
  return PAGES.filter(({ needs }) => session && (!needs || session.permissions.includes(needs)))
}

/** What the menu offers, from top to bottom. */
const PAGES = [
  { address: '/today', name: 'today', key: 't', icon: IconSun, needs: undefined },
  { address: '/map', name: 'map', key: 'm', icon: IconMap2, needs: 'vehicles' },
  { address: '/trips', name: 'trips', key: 'r', icon: IconRoute, needs: 'trips' },
  { address: '/areas', name: 'areas', key: 'a', icon: IconPolygon, needs: 'areas' },
  { address: '/incidents', name: 'incidents', key: 'i', icon: IconBell, needs: 'incidents' },
  { address: '/rules', name: 'rules', key: 'u', icon: IconListCheck, needs: 'rules' },
  { address: '/faults', name: 'faults', key: 'f', icon: IconAlertTriangle, needs: 'dtcs' },
  { address: '/statistics', name: 'statistics', key: 's', icon: IconChartBar, needs: 'aggregations' },
  { address: '/devices', name: 'devices', key: 'd', icon: IconCpu, needs: 'devices' },
  { address: '/administration', name: 'administration', key: 'o', icon: IconSettings, needs: 'administration' },
] as const satisfies readonly {
  readonly address: string
  readonly name: keyof Texts<'shell'>
  /** Leads to it after `g`. */
  readonly key: string
  readonly icon: Icon
  /** Without it the page would be empty, so it is not offered; undefined where something is there for everybody. */
  readonly needs: Permission | undefined
}[]

/** The page of the menu to which an address belongs: a car is on the map. */
export function pageAt(path: string) {
  const within = path.startsWith('/cars/') ? '/map' : path
  return PAGES.find(({ address }) => within.startsWith(address))
}

/** More than so many are not counted. */
const MOST_COUNTED = 99

/** How many nobody has acknowledged; more than `MOST_COUNTED` are one more than that. Refetched with the lists of incidents. */
const unseenCountQuery = queryOptions({
  queryKey: ['incidents', 'unseen'],
  queryFn: async ({ signal }): Promise<number> => {
    const query = { isAcknowledged: false, maxResults: MOST_COUNTED + 1 }
    return (await ask('GET /cc/v2.0/incidents', { query, signal })).incidents.length
  },
})

/** How many incidents nobody has acknowledged; nothing while there are none. */
function UnseenIncidents() {
  const texts = useTexts('shell')
  const { data: count = 0 } = useQuery(unseenCountQuery)
  if (count === 0) return null
  const text = count > MOST_COUNTED ? `${MOST_COUNTED}+` : formatNumber(count)
  return (
    <>
      {/* The name of the page beside it has the room. */}
      <Badge color="red.9" size="md" px={count < 10 ? 0 : 6} circle={count < 10} aria-hidden>
        {text}
      </Badge>
      <VisuallyHidden>{texts.unseenIncidents(text)}</VisuallyHidden>
    </>
  )
}
