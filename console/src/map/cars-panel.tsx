import { Button, Chip, CloseButton, Group, NativeSelect, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useThrottledValue } from '@mantine/hooks'
import { IconAlertTriangle, IconMapPin } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { FoundPlace } from '../api/types.ts'
import { CAR_GROUPINGS, CAR_ORDERS, type Car, type CarFilter, type FilterCounts, inOrder } from '../fleet/car.ts'
import { ATTENTION_COLOR, MOVEMENT_LOOKS, MOVEMENTS } from '../fleet/state-marks.tsx'
import { formatNumber, useLanguage, useNow, useTexts } from '../language/language.ts'
import { SearchField } from '../table/filters.tsx'
import { arranged, groupText, useArrangement } from './arrangement.ts'
import type { CarDetails } from './car-details.ts'
import { CarList } from './car-list.tsx'

interface CarsPanelProps {
  /** How many there are, whatever the filter. */
  readonly carCount: number
  /** Those that the filter leaves. */
  readonly shown: readonly Car[]
  readonly counts: FilterCounts
  readonly filter: CarFilter
  readonly onFilter: (changed: Partial<CarFilter>) => void
  readonly details: CarDetails
  /** Goes to a place that was searched for. */
  readonly onPlace: (place: FoundPlace) => void
  readonly chosenId: string | undefined
  readonly onChoose: (id: string) => void
}

/** A list that changes its order more often cannot be read. */
const SORT_AGAIN_MS = 1000

/** Search, filter and list of the cars beside the map: all that the map shows, for keyboards and screen readers, too. */
export function CarsPanel({
  carCount,
  shown,
  counts,
  filter,
  details,
  onPlace,
  onFilter,
  chosenId,
  onChoose,
}: CarsPanelProps) {
  const texts = useTexts('map')
  const states = useTexts('carState')
  const nowMs = useNow()
  const { search, movement, isAttention } = filter
  const [{ order, grouping }, arrange] = useArrangement()
  // Another filter and the first car that it leaves show at once, cars that change their state when they have been looked at.
  const filterKey = `${search}\n${movement}\n${isAttention}`
  const current = useMemo(() => ({ filterKey, shown }), [filterKey, shown])
  const calm = useThrottledValue(current, SORT_AGAIN_MS)
  const isCalm = calm.filterKey === filterKey && (calm.shown.length > 0 || shown.length === 0)
  const unhurried = isCalm ? calm.shown : shown
  const hasGroups = useMemo(() => shown.some(({ group }) => group !== ''), [shown])
  const { cars: sorted, headings } = useMemo(
    () =>
      arranged(inOrder(unhurried, order), grouping, (key, size) =>
        texts.groupOf(groupText(grouping, key, texts, states), formatNumber(size, 0)),
      ),
    [unhurried, order, grouping, texts, states],
  )
  const homeless = useMemo(() => sorted.filter(({ state }) => state.place.kind === 'neverReported').length, [sorted])
  const isPlaceForbidden = sorted.some(({ state }) => state.place.kind === 'forbidden')

  const count = (number: number) => formatNumber(number)
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
          onChange={checked => onFilter({ isAttention: checked })}
        >
          {`${states.needsAttention} ${count(counts.attention)}`}
        </Chip>
        <Chip.Group
          value={movement ?? 'all'}
          onChange={value => onFilter({ movement: MOVEMENTS.find(kind => kind === value) })}
        >
          <Group gap={6} role="radiogroup" aria-label={texts.filterByMovement}>
            <Chip size="xs" value="all">{`${texts.all} ${count(counts.all)}`}</Chip>
            {MOVEMENTS.filter(kind => counts.movements[kind] > 0 || kind === movement || ALWAYS_OFFERED.has(kind)).map(
              kind => (
                <Chip key={kind} size="xs" value={kind} color={MOVEMENT_LOOKS[kind].name}>
                  {`${states.movements[kind]} ${count(counts.movements[kind])}`}
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
            onChange={event =>
              arrange({ order: CAR_ORDERS.find(known => known === event.currentTarget.value) ?? 'urgency' })
            }
          />
          <NativeSelect
            size="xs"
            aria-label={texts.grouping}
            value={grouping}
            data={CAR_GROUPINGS.filter(value => value !== 'group' || hasGroups || grouping === value).map(value => ({
              value,
              label: texts.groupings[value],
            }))}
            onChange={event =>
              arrange({ grouping: CAR_GROUPINGS.find(known => known === event.currentTarget.value) ?? 'none' })
            }
          />
        </Group>
        <Text size="xs" c="dimmed" role="status">
          {texts.countOf(count(shown.length), count(carCount))}
          {homeless > 0 && ` · ${texts.withoutPosition(count(homeless))}`}
          {isPlaceForbidden && ` · ${texts.noPositionsPermission}`}
        </Text>
      </Stack>
      {shown.length === 0 ? (
        <Stack p="md" align="start">
          <Text>{texts.nothingFound}</Text>
          <Button
            variant="light"
            size="xs"
            onClick={() => onFilter({ search: '', movement: undefined, isAttention: false })}
          >
            {texts.showAllAgain}
          </Button>
        </Stack>
      ) : (
        <CarList
          cars={sorted}
          details={details}
          headings={headings}
          chosenId={chosenId}
          nowMs={nowMs}
          onChoose={onChoose}
        />
      )}
    </Stack>
  )
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
      <Group gap="xs">
        <Skeleton h={28} w={80} radius="xl" />
        <Skeleton h={28} w={90} radius="xl" />
        <Skeleton h={28} w={80} radius="xl" />
      </Group>
      {Array.from({ length: ROWS }, (_, row) => (
        <Stack key={row} gap={8} h={42}>
          <Group justify="space-between">
            <Skeleton h={14} w="40%" />
            <Skeleton h={18} w={80} radius="xl" />
          </Group>
          <Skeleton h={10} w="65%" />
        </Stack>
      ))}
    </Stack>
  )
}
