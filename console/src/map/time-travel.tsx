import { ActionIcon, CloseButton, Group, Paper, Slider, Text } from '@mantine/core'
import { useThrottledValue } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from '../api/request.ts'
import type { PositionThen } from '../api/schema.ts'
import { dayOf, instantOfWall, startOfDayMs, wallClock } from '../calendar/days.ts'
import type { Car, CarEntry } from '../fleet/car.ts'
import { type CarState, type Movement, STANDS_BELOW_KMH } from '../fleet/car-state.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { formatClock, formatDay, useNow, useTexts } from '../language/language.ts'
import { DateField } from '../table/filters.tsx'

/* Where every car was at an instant of the past, which the address of the map holds, and the control to choose it. */

/** While the slider is moved, the service is asked this often at most. */
const ASK_AGAIN_MS = 300

/** A minute on the clock of the person, `YYYY-MM-DDTHH:mm`. */
export function minuteOf(timeMs: number): string {
  return wallClock(timeMs).toISOString().slice(0, 16)
}

function instantOf(minute: string): number {
  return instantOfWall(Date.parse(`${minute}Z`))
}

/** All cars that are not hidden as they were at a minute; undefined until they are known, and without a minute. */
export function useCarsThen(minute: string | undefined) {
  const directory = useCarDirectory()
  const atMs = useThrottledValue(minute === undefined ? 0 : instantOf(minute), ASK_AGAIN_MS)
  const { data, error, refetch } = useQuery({
    queryKey: ['positions', atMs],
    queryFn: async ({ signal }) => {
      const query = { timestamp: new Date(atMs).toISOString() }
      const { positions } = await ask('GET /cc/v2.0/positions', { query, signal })
      return { atMs, positions: new Map(positions.map(position => [position.vehicleId, position])) }
    },
    enabled: minute !== undefined,
    placeholderData: keepPreviousData,
  })
  const cars = useMemo(() => {
    if (!data || minute === undefined) return undefined
    const shown = [...directory.values()].filter(({ isHidden }) => !isHidden)
    return shown.map(entry => carThen(entry, data.positions.get(entry.id), data.atMs))
  }, [directory, data, minute])
  return { cars, error, refetch }
}

/** A car as it was at an instant. @param then undefined where nothing was known of it */
function carThen(entry: CarEntry, then: PositionThen | undefined, atMs: number): Car {
  const sinceMs = then?.sinceTimestamp ? Date.parse(then.sinceTimestamp) : undefined
  const measuredMs = then?.positionTimestamp ? Date.parse(then.positionTimestamp) : undefined
  const state: CarState = {
    movement: then ? movementThen(then, sinceMs ?? atMs) : { kind: 'neverReported' },
    place: then
      ? { kind: 'at', longitude: then.position.lon, latitude: then.position.lat, measuredMs: measuredMs ?? atMs }
      : { kind: 'neverReported' },
    // Only what the car is like now is known of these.
    health: { kind: 'unknown' },
    dongle: undefined,
    battery: undefined,
    energy: undefined,
    areCodesRead: false,
    newestMs: measuredMs,
  }
  return {
    ...entry,
    color: '',
    headingDeg: then?.course ?? undefined,
    tripId: then?.tripId ?? '',
    state,
    past: { atMs, sinceMs },
  }
}

function movementThen({ state, speed }: PositionThen, sinceMs: number): Movement {
  if (state === 'SILENT') return { kind: 'silent', sinceMs, isInTrip: false }
  if (state === 'PARKED') return { kind: 'parked' }
  if (speed !== null && speed < STANDS_BELOW_KMH) return { kind: 'idling' }
  return { kind: 'driving', speedKmh: speed ?? undefined }
}

const DAY_MINUTES = 1440

interface TimeBarProps {
  /** `YYYY-MM-DDTHH:mm` */
  readonly minute: string
  /** Undefined: back to now. */
  readonly onChange: (minute: string | undefined) => void
}

/** Chooses the minute that the map is about: the day and time in a field, days by buttons, the time of the day by a slider. */
export function TimeBar({ minute, onChange }: TimeBarProps) {
  const texts = useTexts('map')
  const nowMs = useNow()
  const [day = '', time = ''] = minute.split('T')
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  // What is yet to come is not known.
  const go = (wanted: string) => onChange([wanted, minuteOf(nowMs)].toSorted()[0])
  const goBy = (days: number) => go(`${dayOf(startOfDayMs(day, days))}T${time}`)
  const clockOf = (value: number) => formatClock(instantOf(`${day}T${timeOf(value)}`))
  return (
    <Paper component="section" aria-label={texts.everybodyThen} shadow="md" withBorder px="sm" pt={6} pb="xs">
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text fz="sm" fw={600} lh={1.2} role="status" visibleFrom="md">
          {texts.asOf(formatDay(instantOf(minute)), clockOf(minutes))}
        </Text>
        <Group gap={4} wrap="nowrap">
          <ActionIcon variant="subtle" aria-label={texts.dayBefore} onClick={() => goBy(-1)}>
            <IconChevronLeft size={18} />
          </ActionIcon>
          <DateField
            hasTime
            isSmall
            label={texts.instant}
            value={`${day} ${time}:00`}
            max={dayOf(nowMs)}
            onChange={chosen => chosen && go(chosen.replace(' ', 'T').slice(0, 16))}
          />
          <ActionIcon variant="subtle" aria-label={texts.dayAfter} onClick={() => goBy(1)}>
            <IconChevronRight size={18} />
          </ActionIcon>
          <CloseButton aria-label={texts.backToNow} title={texts.backToNow} onClick={() => onChange(undefined)} />
        </Group>
      </Group>
      <Slider
        mt={6}
        size="sm"
        min={0}
        max={DAY_MINUTES - 1}
        step={1}
        value={minutes}
        onChange={value => go(`${day}T${timeOf(value)}`)}
        label={clockOf}
        thumbLabel={texts.timeOfDay}
        thumbValueText={clockOf(minutes)}
      />
    </Paper>
  )
}

function timeOf(minutes: number): string {
  return new Date(minutes * 60_000).toISOString().slice(11, 16)
}
