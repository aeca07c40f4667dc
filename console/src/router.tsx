import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { readAdministrationSearch } from './administration/administration-search.ts'
import { queryClient } from './api/query-client.ts'
import { readAreasSearch } from './areas/areas-search.ts'
import { readHistorySearch } from './car/history/history-search.ts'
import { readDevicesSearch } from './devices/devices-search.ts'
import { readFaultsSearch } from './faults/faults-search.ts'
import { vehiclesQuery } from './fleet/use-cars.ts'
import { readIncidentsSearch } from './incidents/incidents-search.ts'
import { profile } from './language/language.ts'
import { mapSearch } from './map/map-search.ts'
import { ErrorState, LoadingState } from './page/page.tsx'
import { readRulesSearch } from './rules/rules-search.ts'
import { persistently } from './shell/persistently.ts'
import { NotFoundPage, Shell } from './shell/shell.tsx'
import { readStatisticsSearch } from './statistics/statistics-search.ts'
import { TodayPage } from './today/today-page.tsx'
import { readTripSearch } from './trip/trip-search.ts'
import { readTripsSearch } from './trips/trips-search.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

/**
 * Every page and its address. Addresses are behind a `#`, because paths without it belong to the API, where an
 * unknown one is 404 (decisions.md, *Addresses*).
 */
const pages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: `/${profile.get().startPage}`, replace: true })
    },
  }),
  createRoute({ getParentRoute: () => root, path: '/today', component: TodayPage }),
  createRoute({
    getParentRoute: () => root,
    path: '/map',
    // Both are fetched while the code of the page is still loading.
    loader: () => {
      void queryClient.prefetchQuery(vehiclesQuery)
      void import('./map/cars-map.tsx').catch(() => undefined)
    },
    validateSearch: searchOf(mapSearch),
    component: page(() => import('./map/map-page.tsx'), 'MapPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/cars/$vehicleId',
    validateSearch: searchOf(readHistorySearch),
    component: page(() => import('./car/car-page.tsx'), 'CarPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/trips',
    validateSearch: searchOf(readTripsSearch),
    component: page(() => import('./trips/trips-page.tsx'), 'TripsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/trips/$tripId',
    validateSearch: searchOf(readTripSearch),
    component: page(() => import('./trip/trip-page.tsx'), 'TripPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/areas',
    validateSearch: searchOf(readAreasSearch),
    component: page(() => import('./areas/areas-page.tsx'), 'AreasPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/incidents',
    validateSearch: searchOf(readIncidentsSearch),
    component: page(() => import('./incidents/incidents-page.tsx'), 'IncidentsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/incidents/$incidentId',
    component: page(() => import('./incidents/incident-page.tsx'), 'IncidentPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/rules',
    validateSearch: searchOf(readRulesSearch),
    component: page(() => import('./rules/rules-page.tsx'), 'RulesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/faults',
    validateSearch: searchOf(readFaultsSearch),
    component: page(() => import('./faults/faults-page.tsx'), 'FaultsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/statistics',
    validateSearch: searchOf(readStatisticsSearch),
    component: page(() => import('./statistics/statistics-page.tsx'), 'StatisticsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/devices',
    validateSearch: searchOf(readDevicesSearch),
    component: page(() => import('./devices/devices-page.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/devices/add',
    component: page(() => import('./add-dongle/add-dongle-page.tsx'), 'AddDonglePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/administration',
    validateSearch: searchOf(readAdministrationSearch),
    component: page(() => import('./administration/administration-page.tsx'), 'AdministrationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account',
    component: page(() => import('./account/account-page.tsx'), 'AccountPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(pages),
  history: createHashHistory(),
  // The address of a page that is opened is written as it was read.
  search: { strict: true },
  defaultPreload: 'intent',
  // Nothing of one car, trip or incident belongs to the next one that a link leads to.
  defaultRemountDeps: ({ params }) => params,
  defaultPendingComponent: LoadingState,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error as Error} onRetry={reset} />,
})

/** What a page reads of its address, and nothing else: the router adds it to what the address says. */
function searchOf<Search>(read: (given: Readonly<Record<string, unknown>>) => Search) {
  return (given: Record<string, unknown>): Search => ({
    ...Object.fromEntries(Object.keys(given).map(key => [key, undefined])),
    ...read(given),
  })
}

/** A page whose code is loaded when it is first wanted. */
function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(persistently(load), name)
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
