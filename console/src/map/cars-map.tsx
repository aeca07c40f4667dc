import { ActionIcon, Box } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconArrowsMaximize, IconMapPin, IconMapPinOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Area, FoundPlace } from '../api/types.ts'
import { useAreasOn } from '../areas/area-layers.ts'
import { areasQuery, presentAreas } from '../areas/areas-query.ts'
import { BaseMap, FIT } from '../base-map/base-map.tsx'
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
  /** A place that was searched for, which the map goes to. */
  readonly target: FoundPlace | undefined
  readonly chosen: Car | undefined
  readonly onChoose: (id: string) => void
}

const NO_AREAS: readonly Area[] = []

/** Below, on a phone, is the button that opens the list; no car shall be behind it. */
const ALL_CARS_FIT = { ...FIT, padding: { top: 56, right: 56, bottom: 110, left: 56 } }

/** The cars on the map: moving ones point in their direction, clusters show a count, a click selects a car. */
export function CarsMap({ all, cars, target, chosen, onChoose }: CarsMapProps) {
  const texts = useTexts('map')
  const mayReadAreas = useMay('areas')
  const [map, setMap] = useState<MapLibreMap>()
  const [areAreasShown, setAreasShown] = useLocalStorage({
    key: 'tacho.areas-on-map',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  const { data: areas } = useQuery({ ...areasQuery, enabled: mayReadAreas, select: presentAreas })
  useAreasOn(map, (areAreasShown && areas) || NO_AREAS, undefined, true)
  const piles = useCarsOn(map, cars)
  const [besideX, besideY] = piles.get(chosen?.id ?? '') ?? [0, 0]
  const hasView = useRef(false)
  const closeZoom = useRef(0)
  /** The chosen car that the map went to, or was clicked on. */
  const visited = useRef<string>(undefined)
  const choose = useEffectEvent((id: string) => {
    visited.current = id
    onChoose(id)
  })
  useEffect(() => (map ? onClicks(map, id => choose(id)) : undefined), [map])

  useEffect(() => {
    if (!map) return
    const feature = chosen && featureOf(chosen, [besideX, besideY])
    void sourceOf(map, CHOSEN)?.setData({ type: 'FeatureCollection', features: feature ? [feature] : [] })
    map.setPaintProperty(CHOSEN_RING_LAYER, 'circle-translate', [besideX, besideY])
  }, [map, chosen, besideX, besideY])

  const goTo = useEffectEvent((on: MapLibreMap, id: string) => {
    const place = chosen?.id === id ? chosen.state.place : undefined
    if (place?.kind !== 'at') return
    const center: [number, number] = [place.longitude, place.latitude]
    if (visited.current === id) return
    visited.current = id
    on.flyTo({ center, zoom: Math.max(on.getZoom(), closeZoom.current), animate: hasView.current })
    hasView.current = true
  })
  const chosenId = chosen?.id
  useEffect(() => {
    if (chosenId === undefined) visited.current = undefined
    else if (map) goTo(map, chosenId)
  }, [map, chosenId])

  // Of a filter that leaves none, the map shows where the others are.
  useEffect(() => {
    if (map && !hasView.current) hasView.current = show(map, firstBoundsOf(cars) ?? firstBoundsOf(all), false)
  }, [map, cars, all])

  useEffect(() => {
    if (map && target) map.flyTo({ center: [target.lon, target.lat], zoom: closeZoom.current })
  }, [map, target])

  // Later the cars move and the map stays, so the bounds are only of use until there is a map.
  const bounds = map ? undefined : chosen ? boundsOf([chosen]) : (firstBoundsOf(cars) ?? firstBoundsOf(all))
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
        <ActionIcon
          variant="default"
          size={31}
          aria-label={texts.showAll}
          title={texts.showAll}
          onClick={() => map && show(map, boundsOf(cars), true)}
        >
          <IconArrowsMaximize size={17} stroke={1.8} />
        </ActionIcon>
        {areas && areas.length > 0 && (
          <ActionIcon
            variant="default"
            size={31}
            aria-label={texts.areas}
            title={texts.areas}
            aria-pressed={areAreasShown}
            c={areAreasShown ? undefined : 'dimmed'}
            onClick={() => setAreasShown(!areAreasShown)}
          >
            {areAreasShown ? <IconMapPin size={17} stroke={1.8} /> : <IconMapPinOff size={17} stroke={1.8} />}
          </ActionIcon>
        )}
      </ActionIcon.Group>
    </Box>
  )
}

/** @returns whether there was anything to show */
function show(map: MapLibreMap, bounds: ReturnType<typeof boundsOf>, animate: boolean): boolean {
  if (bounds) map.fitBounds(bounds, { ...ALL_CARS_FIT, animate })
  return bounds !== undefined
}

/** A click on a car chooses it, one on a cluster comes closer until it falls apart. */
function onClicks(map: MapLibreMap, onCar: (id: string) => void): () => void {
  const layers = [CAR_LAYER, CLUSTER_LAYER]
  const click = (event: MapMouseEvent) => {
    const [feature] = map.queryRenderedFeatures(event.point, { layers })
    if (feature?.geometry.type !== 'Point') return
    const center = feature.geometry.coordinates as [number, number]
    const { id, cluster_id: clusterId } = feature.properties
    if (clusterId === undefined) onCar(String(id))
    else void comeCloser(map, Number(clusterId), center)
  }
  const point = () => {
    map.getCanvas().style.cursor = 'pointer'
  }
  const unpoint = () => {
    map.getCanvas().style.cursor = ''
  }
  const subscriptions = [
    map.on('click', click),
    map.on('mouseenter', layers, point),
    map.on('mouseleave', layers, unpoint),
  ]
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe()
  }
}

async function comeCloser(map: MapLibreMap, clusterId: number, center: [number, number]): Promise<void> {
  // The cluster may have changed since it was drawn; then nothing is left to open.
  const zoom = await sourceOf(map, CARS)
    ?.getClusterExpansionZoom(clusterId)
    .catch(() => undefined)
  // At least a step, as the cluster may fall apart at a zoom that is hardly closer than this one.
  map.easeTo({ center, zoom: Math.max(zoom ?? 0, map.getZoom() + 1) })
}
