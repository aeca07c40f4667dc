import type { Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useMemo, useState } from 'react'
import { BaseMap, FIT } from '../base-map/base-map.tsx'
import type { Car } from '../fleet/car.ts'
import { boundsOf } from '../map/car-features.ts'
import { useCarsOn } from '../map/car-layers.ts'

/** Close enough to tell the streets around apart. */
const CAR_FIT = { ...FIT, maxZoom: 13 }

/** Of the map, on each side: a car that gets so close to its edge is brought back into the middle. */
const EDGE = 0.25

/**
 * Where one car is, as the map of all cars draws it; the map goes along when the car leaves it.
 *
 * @param label what the map shows, for screen readers
 */
export function CarMap({ car, label }: { readonly car: Car; readonly label: string }) {
  const [map, setMap] = useState<MapLibreMap>()
  const cars = useMemo(() => [car], [car])
  const { place } = car.state
  const longitude = place.kind === 'at' ? place.longitude : undefined
  const latitude = place.kind === 'at' ? place.latitude : undefined
  useCarsOn(map, cars)

  useEffect(() => {
    if (!map || longitude === undefined || latitude === undefined) return
    const { x, y } = map.project([longitude, latitude])
    const { clientWidth, clientHeight } = map.getContainer()
    const isNearEdge = (at: number, size: number) => at < size * EDGE || at > size * (1 - EDGE)
    if (isNearEdge(x, clientWidth) || isNearEdge(y, clientHeight)) map.easeTo({ center: [longitude, latitude] })
  }, [map, longitude, latitude])

  return <BaseMap label={label} bounds={map ? undefined : boundsOf(cars)} fit={CAR_FIT} onMap={setMap} />
}
