import '@mantine/spotlight/styles.css'
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Spotlight, spotlight } from '@mantine/spotlight'
import {
  type Icon,
  IconCar,
  IconChartBar,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconMapPin,
  IconMoon,
  IconPlus,
  IconPolygon,
  IconPrinter,
  IconRoute,
  IconSearch,
  IconUser,
} from '@tabler/icons-react'
import { useIsFetching, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import { areasQuery, presentAreas } from '../areas/areas-query.ts'
import { isFound, normalised } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { compareTexts, LANGUAGES, languageName, setLanguage, useLanguage, useTexts } from '../language/language.ts'
import { logOut } from '../session/session.ts'
import { useMay } from '../session/use-session.ts'
import { STATISTICS_PERIODS } from '../statistics/statistics-search.ts'
import { TRIP_PERIODS } from '../trips/trips-search.ts'
import { usePages } from './navigation.tsx'

/** More of one sort are found by typing more. */
const MOST = 8

/** Shorter texts are of a plate rather than of a place. */
const SHORTEST_PLACE = 3

interface Find {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly icon: Icon
  readonly act: () => void
}

/**
 * One field that finds cars, pages, areas, places and what can be done; its code is loaded when it is first opened.
 *
 * @param opening it opens whenever this changes
 */
export function Palette({ opening, onShortcuts }: { readonly opening: number; readonly onShortcuts: () => void }) {
  const texts = useTexts('palette')
  const shell = useTexts('shell')
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const pages = usePages().map(({ address, name, icon }): Find => {
    return { id: address, label: shell[name], icon, act: () => void navigate({ to: address }) }
  })
  const periods = usePeriods().filter(({ id }) => pages.some(page => id.startsWith(page.id)))
  const cars = useCars()
  const areas = useAreas(opening > 0)
  const places = usePlaces(typed.trim())
  const isSearching = useIsFetching({ queryKey: ['places'] }) > 0
  const actions = useActions(onShortcuts)
  useEffect(() => {
    if (opening > 0) spotlight.open()
  }, [opening])
  const wanted = normalised(typed)
  const isWanted = ({ label, hint = '' }: Find) => normalised(label + hint).includes(wanted)
  const groups: readonly (readonly [name: string, finds: readonly Find[]])[] = [
    [texts.cars, cars(typed)],
    [texts.pages, [...pages, ...(wanted === '' ? [] : periods)].filter(isWanted)],
    [texts.areas, wanted === '' ? [] : areas.filter(isWanted).slice(0, MOST)],
    [texts.places, places],
    [texts.actions, actions.filter(isWanted)],
  ]
  const found = groups.filter(([, finds]) => finds.length > 0)
  return (
    <Spotlight.Root query={typed} onQueryChange={setTyped} shortcut={null} scrollable maxHeight="60dvh">
      <Spotlight.Search
        placeholder={texts.placeholder}
        aria-label={texts.placeholder}
        leftSection={<IconSearch size={20} stroke={1.6} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {found.map(([name, finds]) => (
          <Spotlight.ActionsGroup key={name} label={name}>
            {finds.map(({ id, label, hint, icon: Symbol, act }) => (
              <Spotlight.Action
                key={id}
                label={label}
                {...(hint && { description: hint })}
                leftSection={<Symbol size={20} stroke={1.6} aria-hidden />}
                onClick={act}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && !isSearching && <Spotlight.Empty>{texts.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Pages that show a period, each with those that have a name: `trips last month`. */
function usePeriods(): readonly Find[] {
  const navigate = useNavigate()
  const shell = useTexts('shell')
  const trips = useTexts('trips').ranges
  const statistics = useTexts('statistics').presets
  return [
    ...TRIP_PERIODS.names.map(range => ({
      id: `/trips ${range}`,
      label: shell.trips,
      hint: trips[range],
      icon: IconRoute,
      act: () => void navigate({ to: '/trips', search: { range } }),
    })),
    ...STATISTICS_PERIODS.names.map(range => ({
      id: `/statistics ${range}`,
      label: shell.statistics,
      hint: statistics[range],
      icon: IconChartBar,
      act: () => void navigate({ to: '/statistics', search: { range } }),
    })),
  ]
}

/** Finds cars that are not hidden by what the list on the map is searched by; none before something is typed. */
function useCars(): (typed: string) => readonly Find[] {
  const navigate = useNavigate()
  const directory = useCarDirectory()
  const ordered = useMemo(
    () => [...directory.values()].filter(car => !car.isHidden).toSorted((a, b) => compareTexts(a.name, b.name)),
    [directory],
  )
  return typed => {
    if (typed.trim() === '') return []
    const begun = normalised(typed)
    const found = ordered.filter(car => isFound(car, typed))
    const first = found.filter(({ name, plate }) => [name, plate].some(text => normalised(text).startsWith(begun)))
    return [...new Set([...first, ...found])].slice(0, MOST).map(({ id, name, plate, makeAndModel, group }) => ({
      id: `car ${id}`,
      label: name,
      hint: [plate === name ? '' : plate, makeAndModel, group].filter(Boolean).join(' · '),
      icon: IconCar,
      act: () => void navigate({ to: '/cars/$vehicleId', params: { vehicleId: id } }),
    }))
  }
}

/** They are asked for when the palette is first opened. */
function useAreas(isOpened: boolean): readonly Find[] {
  const navigate = useNavigate()
  const { data } = useQuery({ ...areasQuery, enabled: useMay('areas') && isOpened, select: presentAreas })
  return (data ?? []).map(({ id, name }) => ({
    id: `area ${id}`,
    label: name,
    icon: IconPolygon,
    act: () => void navigate({ to: '/areas', search: { area: id } }),
  }))
}

/** Of the own gazetteer: what is typed for a car goes to no geocoder. */
function usePlaces(text: string): readonly Find[] {
  const navigate = useNavigate()
  const mayReadVehicles = useMay('vehicles')
  const { data } = useQuery({
    queryKey: ['places', useLanguage(), text, false],
    enabled: mayReadVehicles && text.length >= SHORTEST_PLACE,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => ask('GET /cc/v2.0/places', { query: { text }, signal }),
  })
  return (data?.places ?? []).slice(0, MOST).map(({ name, within, lat, lon }) => ({
    id: `place ${lat} ${lon}`,
    label: name,
    hint: within,
    icon: IconMapPin,
    act: () => void navigate({ to: '/map', search: { lat, lon } }),
  }))
}

function useActions(onShortcuts: () => void): readonly Find[] {
  const texts = useTexts('palette')
  const shell = useTexts('shell')
  const navigate = useNavigate()
  const language = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const rule = { id: 'rule', label: texts.newRule, icon: IconPlus }
  const device = { id: 'device', label: texts.addDevice, icon: IconPlus }
  return [
    ...(useMay('rules') ? [{ ...rule, act: () => void navigate({ to: '/rules', search: { new: true } }) }] : []),
    ...(useMay('administration') ? [{ ...device, act: () => void navigate({ to: '/devices/add' }) }] : []),
    {
      id: 'scheme',
      label: isDark ? texts.light : texts.dark,
      icon: IconMoon,
      act: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    ...LANGUAGES.filter(tag => tag !== language).map(tag => ({
      id: `language ${tag}`,
      label: texts.inLanguage(languageName(tag)),
      icon: IconLanguage,
      act: () => void setLanguage(tag),
    })),
    { id: 'profile', label: shell.profile, icon: IconUser, act: () => void navigate({ to: '/account' }) },
    { id: 'shortcuts', label: texts.shortcuts, icon: IconKeyboard, act: onShortcuts },
    // Printed once the palette is gone.
    { id: 'print', label: texts.print, icon: IconPrinter, act: () => setTimeout(() => print(), 400) },
    { id: 'logout', label: shell.logOut, icon: IconLogout, act: () => void logOut() },
  ]
}
