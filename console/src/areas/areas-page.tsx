import { Box, Flex } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import type { Area } from '../api/types.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import { ErrorState, LoadingState } from '../page/page.tsx'
import { AreaForm } from './area-form.tsx'
import { AreaList } from './area-list.tsx'
import { areaList, areasQuery, presentAreas } from './areas-query.ts'
import { type Draft, draftOf } from './draft.ts'
import { VisitsPanel } from './visits-panel.tsx'

const route = getRouteApi('/areas')

const AreasMap = lazyMap(() => import('./areas-map.tsx').then(module => module.AreasMap))

const HEIGHT = 'calc(100dvh - var(--shell-header-height))'

/** Areas of the account: drawn and changed on the map, and who was in them. */
export function AreasPage() {
  const client = useQueryClient()
  const search = route.useSearch()
  const { area: chosenId, visits: showsVisits = false } = search
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(areasQuery)
  const areas = useMemo(() => data && presentAreas(data), [data])
  const [draft, setDraft] = useState<Draft>()
  const chosen = areas?.find(area => area.id === chosenId)
  const onDraft = (change: Partial<Draft>) => setDraft(known => known && { ...known, ...change })
  const onChoose = (id: string | undefined) =>
    void navigate({ replace: true, search: id === undefined ? {} : { area: id } })
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
          onSaved={area => {
            learn(area)
            setDraft(undefined)
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
        onDraft={area => setDraft(draftOf(area))}
        onVisits={area => void navigate({ search: { area: area.id, visits: true } })}
        onDeleted={area => {
          learn({ ...area, deleteTimestamp: area.modifyTimestamp })
          onChoose(undefined)
        }}
      />
    )
  }
  // The map is above where both have no room beside each other; a table of visits needs more than a list of areas.
  const beside = showsVisits ? 'xl' : 'md'
  return (
    <Flex direction={{ base: 'column-reverse', [beside]: 'row' }} h={{ [beside]: HEIGHT }}>
      <Box w={{ base: '100%', [beside]: showsVisits ? 800 : 400 }} style={{ flexShrink: 0, overflowY: 'auto' }}>
        {panel()}
      </Box>
      <Box flex={{ [beside]: 1 }} miw={0} h={{ base: '45dvh', [beside]: '100%' }}>
        {areas && (
          <Suspense fallback={<LoadingState />}>
            <AreasMap
              areas={areas}
              chosenId={chosen?.id}
              showsVisits={showsVisits}
              onChoose={onChoose}
              draft={draft}
              onDraft={onDraft}
            />
          </Suspense>
        )}
      </Box>
    </Flex>
  )
}
