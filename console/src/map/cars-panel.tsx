import { Button, Chip, CloseButton, Group, NativeSelect, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useLocalStorage, useThrottledValue } from '@mantine/hooks'
import { IconAlertTriangle, IconMapPin } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { FoundPlace } from '../api/types.ts'
import {
  CAR_GROUPINGS,
  CAR_ORDERS,
  type CarFilter,
  type CarGrouping,
  carGroups,
  type filtered,
  inOrder,
} from '../fleet/car.ts'
import type { Place } from '../fleet/car-state.ts'
import { ATTENTION_COLOR, MOVEMENT_LOOKS, MOVEMENTS } from '../fleet/state-marks.tsx'
import { formatNumber, type Texts, useLanguage, useTexts } from '../language/language.ts'
import { SearchField } from '../table/filters.tsx'
import type { CarDetails } from './car-details.ts'
import { CarList, type CarRow } from './car-list.tsx'
import type { AddressFilter } from './map-search.ts'

interface CarsPanelProps {
  /** How many there are, whatever the filter. */
  readonly carCount: number
  /** What the filter leaves. */
  readonly visible: ReturnType<typeof filtered>
  readonly filter: CarFilter
  readonly onFilter: (changed: AddressFilter) => void
  readonly details: CarDetails
  /** Goes to a place that was searched for. */
  readonly onPlace: (place: FoundPlace) => void
  readonly chosenId: string | undefined
  readonly onChoose: (id: string) => void
}

/** A list that changes its order more often cannot be read. */
const SORT_AGAIN_MS = 1000

/** Search, filter and list of the cars beside the map: all that the map shows, for keyboards and screen readers, too. */
export function CarsPanel(props: CarsPanelProps) {
  const { carCount, visible, filter, details, onPlace, onFilter, chosenId, onChoose } = props
  const { shown, counts } = visible
  const texts = useTexts('map')
  const states = useTexts('carState')
  const { search, movement, isAttention } = filter
  const [order, setOrder] = useChoice('tacho.order', CAR_ORDERS)
  const [grouping, setGrouping] = useChoice('tacho.grouping', CAR_GROUPINGS)
  // Another filter and the first car that it leaves show at once, cars that change their state when they have been looked at.
  const current = useMemo(() => ({ filter, shown }), [filter, shown])
  const calm = useThrottledValue(current, SORT_AGAIN_MS)
  const isCalm = calm.filter === filter && (calm.shown.length > 0 || shown.length === 0)
  const unhurried = isCalm ? calm.shown : shown
  const rows = useMemo((): readonly CarRow[] => {
    const sorted = inOrder(unhurried, order)
    if (grouping === 'none') return sorted.map(car => ({ car, heading: undefined }))
    return [...carGroups(sorted, grouping)].flatMap(([key, cars]) => {
      const heading = texts.groupOf(groupText(grouping, key, texts, states), formatNumber(cars.length, 0))
      return cars.map((car, index) => ({ car, heading: index === 0 ? heading : undefined }))
    })
  }, [unhurried, order, grouping, texts, states])
  const placeless = (kind: Place['kind']) => shown.filter(({ state }) => state.place.kind === kind).length
  const homeless = placeless('neverReported')
  const hasGroups = grouping === 'group' || shown.some(({ group }) => group !== '')

  return (
    <Stack gap={0} h="100%" component="section" aria-label={texts.cars}>
      <Stack gap="xs" p="md" pb="xs">
        <SearchField
          type="search"
          label={texts.search}
          value={search}
          onChange={text => onFilter({ search: text })}
          rightSection={
            search && <CloseButton size="sm" aria-label={texts.clearSearch} onClick={() => onFilter({ search: '' })} />
          }
        />
        <FoundPlaces key={search} text={search} onPlace={onPlace} />
        <Chip
          size="xs"
          color={ATTENTION_COLOR.name}
          icon={<IconAlertTriangle size={12} aria-hidden />}
          checked={isAttention}
          onChange={checked => onFilter({ attention: checked || undefined })}
        >
          {`${states.needsAttention} ${formatNumber(counts.attention)}`}
        </Chip>
        <Chip.Group
          value={movement ?? 'all'}
          onChange={value => onFilter({ movement: MOVEMENTS.find(kind => kind === value) })}
        >
          <Group gap={6} role="radiogroup" aria-label={texts.filterByMovement}>
            <Chip size="xs" value="all">{`${texts.all} ${formatNumber(counts.all)}`}</Chip>
            {MOVEMENTS.filter(kind => counts.movements[kind] > 0 || kind === movement || ALWAYS_OFFERED.has(kind)).map(
              kind => (
                <Chip key={kind} size="xs" value={kind} color={MOVEMENT_LOOKS[kind].name}>
                  {`${states.movements[kind]} ${formatNumber(counts.movements[kind])}`}
                </Chip>
              ),
            )}
          </Group>
        </Chip.Group>
        <Group grow gap={6}>
          <NativeSelect
            size="xs"
            aria-label={texts.order}
            value={order}
            data={CAR_ORDERS.map(value => ({ value, label: texts.orders[value] }))}
            onChange={event => setOrder(event.currentTarget.value)}
          />
          <NativeSelect
            size="xs"
            aria-label={texts.grouping}
            value={grouping}
            data={CAR_GROUPINGS.filter(value => value !== 'group' || hasGroups).map(value => ({
              value,
              label: texts.groupings[value],
            }))}
            onChange={event => setGrouping(event.currentTarget.value)}
          />
        </Group>
        <Text size="xs" c="dimmed" role="status">
          {texts.countOf(formatNumber(shown.length), formatNumber(carCount))}
          {homeless > 0 && ` · ${texts.withoutPosition(formatNumber(homeless))}`}
          {placeless('forbidden') > 0 && ` · ${texts.noPositionsPermission}`}
        </Text>
      </Stack>
      {shown.length === 0 ? (
        <Stack p="md" align="start">
          <Text>{texts.nothingFound}</Text>
          <Button
            variant="light"
            size="xs"
            onClick={() => onFilter({ search: '', movement: undefined, attention: undefined })}
          >
            {texts.showAllAgain}
          </Button>
        </Stack>
      ) : (
        <CarList rows={rows} details={details} chosenId={chosenId} onChoose={onChoose} />
      )}
    </Stack>
  )
}

/**
 * What was chosen last in this browser: it is a habit of the person, and not of the link that somebody sent. What is not
 * understood, such as a word of another version, is as if it had not been chosen.
 */
function useChoice<Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]) {
  const [first]: readonly string[] = choices
  const [kept, keep] = useLocalStorage({ key, defaultValue: first, getInitialValueInEffect: false })
  return [choices.find(known => known === kept) ?? choices[0], keep] as const
}

/** A group in words. @param key of `carGroups` */
function groupText(grouping: CarGrouping, key: string, texts: Texts<'map'>, states: Texts<'carState'>): string {
  const words: Readonly<Record<string, string>> = {
    ...states.movements,
    ...states.healths,
    attention: states.needsAttention,
  }
  if (grouping === 'movement' || grouping === 'health') return words[key] ?? key
  return key || (grouping === 'model' ? texts.noModel : texts.noGroup)
}

/** The others are offered while there are such cars, so that the filters of a usual fleet fit in two rows. */
const ALWAYS_OFFERED: ReadonlySet<string> = new Set(['driving', 'parked'])

/** Shorter texts are of a plate rather than of a place. */
const SHORTEST_PLACE = 3
const MOST_PLACES = 4

/** The places of what is typed into the field of the cars; the geocoder, where one is set, only when somebody asks. */
function FoundPlaces({ text, onPlace }: { readonly text: string; readonly onPlace: (place: FoundPlace) => void }) {
  const texts = useTexts('map')
  const language = useLanguage()
  const [addresses, setAddresses] = useState(false)
  const wanted = text.trim()
  const { data } = useQuery({
    queryKey: ['places', language, wanted, addresses],
    enabled: wanted.length >= SHORTEST_PLACE,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ask('GET /cc/v2.0/places', { query: { text: wanted, addresses }, signal }),
  })
  if (!data) return null
  return (
    <Stack gap={0} component="section" aria-label={texts.places}>
      {data.places.slice(0, MOST_PLACES).map(place => (
        <Button
          key={`${place.lat} ${place.lon}`}
          variant="subtle"
          size="compact-sm"
          justify="flex-start"
          leftSection={<IconMapPin size={14} aria-hidden />}
          onClick={() => onPlace(place)}
        >
          {place.name}
          <Text span size="xs" c="dimmed" ml={6}>
            {place.within}
          </Text>
        </Button>
      ))}
      {data.geocoder === 'not asked' && (
        <Button variant="subtle" size="compact-sm" justify="flex-start" onClick={() => setAddresses(true)}>
          {texts.searchAddresses}
        </Button>
      )}
      {data.geocoder === 'failed' && (
        <Text size="xs" c="dimmed" role="status">
          {texts.geocoderFailed}
        </Text>
      )}
    </Stack>
  )
}

const ROWS = 10

/** What the list of cars will look like, while it is on its way. */
export function CarsPanelSkeleton() {
  const texts = useTexts('pageState')
  return (
    <Stack gap="md" p="md" role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <Skeleton h={36} />
      <Skeleton h={28} radius="xl" />
      {Array.from({ length: ROWS }, (_, row) => (
        <Stack key={row} gap={8} h={42}>
          <Skeleton h={14} />
          <Skeleton h={10} w="65%" />
        </Stack>
      ))}
    </Stack>
  )
}
