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
} from '@tabler/icons-react'
import type { Permission } from '../api/types.ts'
import type { Texts } from '../language/language.ts'

interface Page {
  readonly address:
    | '/'
    | '/trips'
    | '/areas'
    | '/incidents'
    | '/rules'
    | '/faults'
    | '/statistics'
    | '/devices'
    | '/administration'
  readonly name: Exclude<keyof Texts<'shell'>, 'unseenIncidents'>
  readonly icon: Icon
  /** Without it the page would be empty, so it is not offered. */
  readonly needs: Permission
}

/** What the menu offers, from top to bottom. */
export const PAGES: readonly Page[] = [
  { address: '/', name: 'map', icon: IconMap2, needs: 'vehicles' },
  { address: '/trips', name: 'trips', icon: IconRoute, needs: 'trips' },
  { address: '/areas', name: 'areas', icon: IconPolygon, needs: 'areas' },
  { address: '/incidents', name: 'incidents', icon: IconBell, needs: 'incidents' },
  { address: '/rules', name: 'rules', icon: IconListCheck, needs: 'rules' },
  { address: '/faults', name: 'faults', icon: IconAlertTriangle, needs: 'dtcs' },
  { address: '/statistics', name: 'statistics', icon: IconChartBar, needs: 'aggregations' },
  { address: '/devices', name: 'devices', icon: IconCpu, needs: 'devices' },
  { address: '/administration', name: 'administration', icon: IconSettings, needs: 'administration' },
]

/** The page of the menu to which an address belongs: a car is on the map. */
export function pageAt(path: string): Page | undefined {
  if (path === '/' || path.startsWith('/cars/')) return PAGES[0]
  return PAGES.find(({ address }) => address !== '/' && path.startsWith(address))
}
