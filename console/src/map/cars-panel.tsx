import { Button, Chip, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import type { Car } from '../fleet/car.ts'
import { CAR_STATE_COLORS, CAR_STATES } from '../fleet/car-state-colors.ts'
import { type CarFilter, filtered, inOrder } from '../fleet/in-order.ts'
import { fleetTexts } from '../fleet/texts.ts'
import { useNow } from '../fleet/use-now.ts'
import { useThrottled } from '../fleet/use-throttled.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { CarList } from './car-list.tsx'
import { mapTexts } from './texts.ts'

interface CarsPanelProps {
  readonly cars: readonly Car[]
  readonly filter: CarFilter
  readonly onFilter: (filter: CarFilter) => void
  readonly chosenId: string | undefined
  readonly onChoose: (id: string) => void
}

/** A list that changes its order more often can not be read. */
const SORT_AGAIN_MS = 1000

/** Typing goes on this long before the address follows. */
const TYPING_MS = 200

/** Search, filter and list of the cars beside the map: all that the map shows, for keyboards and screen readers, too. */
export function CarsPanel({ cars, filter, onFilter, chosenId, onChoose }: CarsPanelProps) {
  const texts = useTexts(mapTexts)
  const states = useTexts(fleetTexts).states
  const language = useLanguage()
  const nowMs = useNow()
  const [typed, setTyped] = useState(filter.search)
  const [sent, setSent] = useState(filter.search)
  const [seen, setSeen] = useState(filter.search)
  // The address changed: by typing here, by going back, or by a link.
  if (filter.search !== seen) {
    setSeen(filter.search)
    if (filter.search !== sent) setTyped(filter.search)
  }
  const unhurried = useThrottled(cars, SORT_AGAIN_MS)
  const sorted = useMemo(() => inOrder(unhurried), [unhurried])
  const { shown, found, counts } = useMemo(
    () => filtered(sorted, { search: typed, state: filter.state }),
    [sorted, typed, filter.state],
  )
  const homeless = useMemo(() => shown.filter(car => car.longitude === undefined).length, [shown])

  useEffect(() => {
    if (typed === filter.search) return undefined
    const timer = setTimeout(() => {
      setSent(typed)
      onFilter({ ...filter, search: typed })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, filter, onFilter])

  const clear = () => {
    setTyped('')
    setSent('')
    onFilter({ search: '', state: undefined })
  }
  const count = (number: number) => formatNumber(number, language)
  return (
    <Stack gap={0} h="100%" component="section" aria-label={texts.cars}>
      <Stack gap="xs" p="md" pb="xs">
        <TextInput
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={typed && <CloseButton size="sm" aria-label={texts.clearSearch} onClick={() => setTyped('')} />}
        />
        <Chip.Group
          value={filter.state ?? 'all'}
          onChange={value => {
            setSent(typed)
            onFilter({ search: typed, state: CAR_STATES.find(state => state === value) })
          }}
        >
          <Group gap={6} role="radiogroup" aria-label={texts.filterByState}>
            <Chip size="xs" value="all">{`${texts.all} ${count(found)}`}</Chip>
            {CAR_STATES.map(state => (
              <Chip key={state} size="xs" value={state} color={CAR_STATE_COLORS[state].name}>
                {`${states[state]} ${count(counts[state])}`}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Text size="xs" c="dimmed" role="status">
          {texts.countOf(count(shown.length), count(cars.length))}
          {homeless > 0 && ` · ${texts.withoutPosition(count(homeless))}`}
        </Text>
      </Stack>
      {shown.length === 0 ? (
        <Stack p="md" align="start">
          <Text>{texts.nothingFound}</Text>
          <Button variant="light" size="xs" onClick={clear}>
            {texts.showAllAgain}
          </Button>
        </Stack>
      ) : (
        <CarList cars={shown} chosenId={chosenId} nowMs={nowMs} onChoose={onChoose} />
      )}
    </Stack>
  )
}
