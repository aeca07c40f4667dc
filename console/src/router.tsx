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
import { mapSearch } from './map/map-search.ts'
import { ErrorState, LoadingState } from './page/page.tsx'
import { readRulesSearch } from './rules/rules-search.ts'
import { persistently } from './shell/persistently.ts'
import { startPage } from './shell/preferences.tsx'
import { NotFoundPage, Shell } from './shell/shell.tsx'
import { readStatisticsSearch } from './statistics/statistics-search.ts'
import { readTripSearch } from './trip/trip-search.ts'
import { readTripsSearch } from './trips/trips-search.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: `/${startPage()}`, replace: true })
  },
})

const today = createRoute({
  getParentRoute: () => root,
  path: '/today',
  // Fetched while the code of the page is still loading.
  loader: () => void queryClient.prefetchQuery(vehiclesQuery),
  component: lazyRouteComponent(
    persistently(() => import('./today/today-page.tsx')),
    'TodayPage',
  ),
})

const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  // Fetched while the code of the page and of the map is still loading.
  loader: () => void queryClient.prefetchQuery(vehiclesQuery),
  validateSearch: mapSearch,
  component: lazyRouteComponent(
    persistently(() => import('./map/map-page.tsx')),
    'MapPage',
  ),
})

const car = createRoute({
  getParentRoute: () => root,
  path: '/cars/$vehicleId',
  validateSearch: readHistorySearch,
  component: lazyRouteComponent(
    persistently(() => import('./car/car-page.tsx')),
    'CarPage',
  ),
})

const trips = createRoute({
  getParentRoute: () => root,
  path: '/trips',
  validateSearch: readTripsSearch,
  component: lazyRouteComponent(
    persistently(() => import('./trips/trips-page.tsx')),
    'TripsPage',
  ),
})

const trip = createRoute({
  getParentRoute: () => root,
  path: '/trips/$tripId',
  validateSearch: readTripSearch,
  component: lazyRouteComponent(
    persistently(() => import('./trip/trip-page.tsx')),
    'TripPage',
  ),
})

const areas = createRoute({
  getParentRoute: () => root,
  path: '/areas',
  validateSearch: readAreasSearch,
  component: lazyRouteComponent(
    persistently(() => import('./areas/areas-page.tsx')),
    'AreasPage',
  ),
})

const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  validateSearch: readIncidentsSearch,
  component: lazyRouteComponent(
    persistently(() => import('./incidents/incidents-page.tsx')),
    'IncidentsPage',
  ),
})

const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$incidentId',
  component: lazyRouteComponent(
    persistently(() => import('./incidents/incident-page.tsx')),
    'IncidentPage',
  ),
})

const rules = createRoute({
  getParentRoute: () => root,
  path: '/rules',
  validateSearch: readRulesSearch,
  component: lazyRouteComponent(
    persistently(() => import('./rules/rules-page.tsx')),
    'RulesPage',
  ),
})

const faults = createRoute({
  getParentRoute: () => root,
  path: '/faults',
  validateSearch: readFaultsSearch,
  component: lazyRouteComponent(
    persistently(() => import('./faults/faults-page.tsx')),
    'FaultsPage',
  ),
})

const statistics = createRoute({
  getParentRoute: () => root,
  path: '/statistics',
  validateSearch: readStatisticsSearch,
  component: lazyRouteComponent(
    persistently(() => import('./statistics/statistics-page.tsx')),
    'StatisticsPage',
  ),
})

const devices = createRoute({
  getParentRoute: () => root,
  path: '/devices',
  validateSearch: readDevicesSearch,
  component: lazyRouteComponent(
    persistently(() => import('./devices/devices-page.tsx')),
    'DevicesPage',
  ),
})

const addDongle = createRoute({
  getParentRoute: () => root,
  path: '/devices/add',
  component: lazyRouteComponent(
    persistently(() => import('./add-dongle/add-dongle-page.tsx')),
    'AddDonglePage',
  ),
})

const administration = createRoute({
  getParentRoute: () => root,
  path: '/administration',
  validateSearch: readAdministrationSearch,
  component: lazyRouteComponent(
    persistently(() => import('./administration/administration-page.tsx')),
    'AdministrationPage',
  ),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(
    persistently(() => import('./account/account-page.tsx')),
    'AccountPage',
  ),
})

/**
 * Every page and its address. Addresses are behind a `#`, because paths without it belong to the API, where an
 * unknown one is 404 (decisions.md, *Addresses*).
 */
export const router = createRouter({
  routeTree: root.addChildren([
    start,
    today,
    map,
    car,
    trips,
    trip,
    areas,
    incidents,
    incident,
    rules,
    faults,
    statistics,
    devices,
    addDongle,
    administration,
    account,
  ]),
  history: createHashHistory(),
  // What no page reads of an address is absent, as is what it reads and cannot use.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingState,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={errorOf(error)} onRetry={reset} />,
})

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
