import { ActionIcon, Box } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconArrowsMaximize, IconMapPin, IconMapPinOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { MapGeoJSONFeature, Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Area } from '../api/types.ts'
import { useAreasOn } from '../areas/area-layers.ts'
import { areasQuery, presentAreas } from '../areas/areas-query.ts'
import { BaseMap, onFeatureClick } from '../base-map/base-map.tsx'
import { MapButton } from '../base-map/lazy-map.tsx'
import type { Car } from '../fleet/car.ts'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { boundsOf, featureOf, firstBoundsOf } from './car-features.ts'
import { CAR_LAYER, CARS, CHOSEN, CHOSEN_RING_LAYER, CLUSTER_LAYER, sourceOf, useCarsOn } from './car-layers.ts'

interface CarsMapProps {
  /** Whatever the filter. */
  readonly all: readonly Car[]
  /** Those that the filter leaves. */
  readonly cars: readonly Car[]
  /** Of a place that was searched for, which the map goes to. */
  readonly lat: number | undefined
  readonly lon: number | undefined
  readonly chosen: Car | undefined
  /** Whether `cars` are as they were at an instant of the past: the question is where all of them were. */
  readonly isPast: boolean
  readonly onChoose: (id: string) => void
}

const NO_AREAS: readonly Area[] = []

const CLICKED = [CAR_LAYER, CLUSTER_LAYER]

/** How far the bar of the instant reaches down, with room for a mark. */
const TIME_BAR_PX = 140

/** Below, on a phone, is the button that opens the list; no car shall be behind it. */
const ALL_CARS_FIT = { padding: { top: 56, right: 56, bottom: 110, left: 56 } }

/** The cars on the map: moving ones point in their direction, clusters show a count, a click selects a car. */
export function CarsMap({ all, cars, lat, lon, chosen, isPast, onChoose }: CarsMapProps) {
  const texts = useTexts('map')
  const mayReadAreas = useMay('areas')
  const [map, setMap] = useState<MapLibreMap>()
  const [areAreasShown, setAreasShown] = useLocalStorage({ key: 'tacho.areas-on-map', defaultValue: true })
  const { data: areas } = useQuery({ ...areasQuery, enabled: mayReadAreas, select: presentAreas })
  useAreasOn(map, (areAreasShown && areas) || NO_AREAS, undefined, true)
  const piles = useCarsOn(map, cars)
  const [besideX, besideY] = piles.get(chosen?.id ?? '') ?? [0, 0]
  // Later the cars move and the map stays. Of a filter that leaves none, it shows where the others are.
  const [bounds] = useState(() => (chosen && boundsOf([chosen])) ?? firstBoundsOf(cars) ?? firstBoundsOf(all))
  const closeZoom = useRef(0)
  /** The chosen car that the map went to, or was clicked on. */
  const visited = useRef(chosen?.id)

  const click = useEffectEvent((on: MapLibreMap, { geometry, properties }: MapGeoJSONFeature) => {
    if (geometry.type !== 'Point') return
    const { id, cluster_id: clusterId } = properties
    if (clusterId !== undefined) {
      void comeCloser(on, Number(clusterId), geometry.coordinates as [number, number])
      return
    }
    visited.current = String(id)
    onChoose(String(id))
  })
  useEffect(() => (map ? onFeatureClick(map, CLICKED, feature => click(map, feature)) : undefined), [map])

  useEffect(() => {
    if (!map) return
    const feature = chosen && featureOf(chosen, [besideX, besideY])
    void sourceOf(map, CHOSEN)?.setData({ type: 'FeatureCollection', features: feature ? [feature] : [] })
    map.setPaintProperty(CHOSEN_RING_LAYER, 'circle-translate', [besideX, besideY])
  }, [map, chosen, besideX, besideY])

  const chosenId = chosen?.id
  const goTo = useEffectEvent((on: MapLibreMap) => {
    const place = chosen?.state.place
    if (visited.current === chosenId || place?.kind !== 'at') return
    visited.current = chosenId
    on.flyTo({ center: [place.longitude, place.latitude], zoom: Math.max(on.getZoom(), closeZoom.current) })
  })
  useEffect(() => {
    if (chosenId === undefined) visited.current = undefined
    else if (map) goTo(map)
  }, [map, chosenId])

  useEffect(() => {
    if (map && lat !== undefined && lon !== undefined) map.flyTo({ center: [lon, lat], zoom: closeZoom.current })
  }, [map, lat, lon])

  const showAll = () => {
    const around = boundsOf(cars)
    const top = isPast ? TIME_BAR_PX : ALL_CARS_FIT.padding.top
    if (around) map?.fitBounds(around, { padding: { ...ALL_CARS_FIT.padding, top }, maxZoom: closeZoom.current })
  }
  const showEverybody = useEffectEvent(() => !chosen && showAll())
  useEffect(() => {
    if (map && isPast) showEverybody()
  }, [map, isPast])

  return (
    <Box pos="relative" h="100%">
      <BaseMap
        label={texts.mapLabel}
        bounds={bounds}
        fit={ALL_CARS_FIT}
        hasNote
        onMap={(made, zoom) => {
          closeZoom.current = zoom
          setMap(made)
        }}
      />
      <ActionIcon.Group orientation="vertical" pos="absolute" top={80} right={10}>
        <MapButton label={texts.showAll} icon={IconArrowsMaximize} onClick={showAll} />
        {areas && areas.length > 0 && (
          <MapButton
            label={texts.areas}
            icon={areAreasShown ? IconMapPin : IconMapPinOff}
            isPressed={areAreasShown}
            onClick={() => setAreasShown(!areAreasShown)}
          />
        )}
      </ActionIcon.Group>
    </Box>
  )
}

/** Comes closer to a cluster until it falls apart. */
async function comeCloser(map: MapLibreMap, clusterId: number, center: [number, number]): Promise<void> {
  // The cluster may have changed since it was drawn; then nothing is left to open.
  const zoom = await sourceOf(map, CARS)
    ?.getClusterExpansionZoom(clusterId)
    .catch(() => undefined)
  // At least a step, as the cluster may fall apart at a zoom that is hardly closer than this one.
  map.easeTo({ center, zoom: Math.max(zoom ?? 0, map.getZoom() + 1) })
}
