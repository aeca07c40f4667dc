import { Box, Flex } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Area } from '../api/types.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import type { Car } from '../fleet/car.ts'
import { useCars } from '../fleet/use-cars.ts'
import { ErrorState, LoadingState } from '../page/page.tsx'
import { AreaForm } from './area-form.tsx'
import { AreaList } from './area-list.tsx'
import { areaList, areasQuery, presentAreas } from './areas-query.ts'
import { type Draft, draftOf, newDraft } from './draft.ts'
import type { Shape } from './shape.ts'
import { VisitsPanel } from './visits-panel.tsx'

const route = getRouteApi('/areas')

const NO_CARS: readonly Car[] = []

const AreasMap = lazyMap(() => import('./areas-map.tsx').then(module => module.AreasMap))

const PANEL_PX = 400
/** A table of visits needs more. */
const VISITS_PX = 760

/** Areas of the account: drawn and changed on the map, and who was in them. */
export function AreasPage() {
  const client = useQueryClient()
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const isWideForVisits = useMediaQuery('(min-width: 80em)', undefined, { getInitialValueInEffect: false })
  const search = route.useSearch()
  const { area: chosenId, visits: showsVisits = false } = search
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(areasQuery)
  const areas = useMemo(() => data && presentAreas(data), [data])
  const { cars, error: noCars } = useCars()
  const [draft, setDraft] = useState<Draft>()
  const chosen = areas?.find(area => area.id === chosenId)
  const onDraft = useCallback((change: Partial<Draft>) => setDraft(known => known && { ...known, ...change }), [])
  const onBegun = useCallback(() => onDraft({ isBegun: true }), [onDraft])
  const onShape = useCallback(
    (shape: Shape) => setDraft(known => known && { ...known, shape, mapChanges: known.mapChanges + 1, isBegun: false }),
    [],
  )
  const onChoose = useCallback(
    (id: string | undefined) => void navigate({ replace: true, search: id === undefined ? {} : { area: id } }),
    [navigate],
  )
  // The stream reports the same a moment later.
  const learn = (area: Area) => areaList.learn(client, [area])

  if (error && !areas) return <ErrorState error={error} onRetry={() => void refetch()} />
  const panel = () => {
    if (!areas) return <LoadingState />
    if (draft)
      return (
        <AreaForm
          draft={draft}
          area={areas.find(area => area.id === draft.id)}
          onDraft={onDraft}
          onType={type => setDraft({ ...draft, type, shape: undefined, isBegun: false })}
          onSaved={area => {
            learn(area)
            // What is saved does not ask when the address changes.
            flushSync(() => setDraft(undefined))
            onChoose(area.id)
          }}
          onCancel={() => setDraft(undefined)}
        />
      )
    if (showsVisits && chosen)
      return (
        <VisitsPanel
          area={chosen}
          days={search}
          onDays={days => void navigate({ replace: true, search: { area: chosen.id, visits: true, ...days } })}
          onBack={() => onChoose(chosen.id)}
        />
      )
    return (
      <AreaList
        areas={areas}
        chosen={chosen}
        onChoose={onChoose}
        onDraw={() => setDraft(newDraft('polygon'))}
        onChange={area => setDraft(draftOf(area))}
        onVisits={area => void navigate({ search: { area: area.id, visits: true } })}
        onDeleted={area => {
          learn({ ...area, deleteTimestamp: area.modifyTimestamp })
          onChoose(undefined)
        }}
      />
    )
  }
  // Where both have no room beside each other, the map is above.
  const isBeside = showsVisits ? isWideForVisits : isWide
  return (
    <Flex direction={isBeside ? 'row' : 'column'} h={isBeside ? HEIGHT : undefined}>
      <Box
        w={isBeside ? (showsVisits ? VISITS_PX : PANEL_PX) : '100%'}
        h={isBeside ? '100%' : undefined}
        style={{ flexShrink: 0, overflowY: isBeside ? 'auto' : undefined, order: isBeside ? 0 : 1 }}
      >
        {panel()}
      </Box>
      <Box flex={isBeside ? 1 : 'none'} miw={0} h={isBeside ? '100%' : '45dvh'}>
        {areas && (areas.length > 0 || cars || noCars) && (
          <Suspense fallback={<LoadingState />}>
            <AreasMap
              areas={areas}
              cars={cars ?? NO_CARS}
              chosenId={chosen?.id}
              showsVisits={showsVisits}
              onChoose={onChoose}
              draft={draft}
              onBegun={onBegun}
              onShape={onShape}
            />
          </Suspense>
        )}
      </Box>
    </Flex>
  )
}

const HEIGHT = 'calc(100dvh - var(--shell-header-height))'
