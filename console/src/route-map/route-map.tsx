import type { Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { BaseMap, onFeatureClick } from '../base-map/base-map.tsx'
import { boundsOf, type LonLat } from '../base-map/lon-lat.ts'
import { useTexts } from '../language/language.ts'
import { addCar, MARKS, type RouteMark, useRouteOn } from './route-layers.ts'
import type { CarOnTrack, TrackPoint } from './track.ts'

interface RouteMapProps {
  /** What the map shows, for screen readers. */
  readonly label: string
  readonly way: readonly LonLat[]
  /** Colours the way by speed where it is known. */
  readonly track: readonly TrackPoint[]
  readonly marks: readonly RouteMark[]
  readonly hasEnded: boolean
  /** The moving car, passed to the map without rerendering the page. */
  readonly car:
    | {
        readonly place: () => CarOnTrack | undefined
        /** @returns what ends it */
        readonly subscribe: (listener: () => void) => () => void
      }
    | undefined
  /** Called with the instant of the mark that was clicked. */
  readonly onMark: (timeMs: number) => void
}

/** A route with its ends, what happened on it, and the car that drives along it. */
export function RouteMap({ label, way, track, marks, hasEnded, car, onMark }: RouteMapProps) {
  const texts = useTexts('routeMap')
  const [map, setMap] = useState<MapLibreMap>()
  const bounds = useMemo(() => boundsOf(way), [way])
  const [start, end] = [way[0], hasEnded ? way.at(-1) : undefined]
  const ends = [
    ...(start ? [{ place: start, letter: 'A', name: texts.start }] : []),
    ...(end ? [{ place: end, letter: 'B', name: texts.end }] : []),
  ]
  useRouteOn(map, { way, track, marks, ends })

  useEffect(() => {
    if (!map || !car) return undefined
    const marker = addCar(map, texts.car)
    /** Somebody who has moved the map so that the car is not on it wants it to stay there. */
    let isLeft = false
    const isInView = ({ longitude, latitude }: CarOnTrack) => map.getBounds().contains([longitude, latitude])
    const move = () => {
      const place = car.place()
      if (!place) return
      marker.move(place)
      if (isInView(place)) isLeft = false
      else if (!isLeft && !map.isMoving()) map.easeTo({ center: [place.longitude, place.latitude] })
    }
    move()
    const stop = car.subscribe(move)
    const moved = map.on('moveend', ({ originalEvent }) => {
      const place = car.place()
      if (originalEvent && place) isLeft = !isInView(place)
    })
    return () => {
      stop()
      moved.unsubscribe()
      marker.remove()
    }
  }, [map, car, texts])

  const pick = useEffectEvent(onMark)
  useEffect(
    () => (map ? onFeatureClick(map, [MARKS], ({ properties }) => pick(Number(properties.timeMs))) : undefined),
    [map],
  )

  return <BaseMap label={label} bounds={bounds} onMap={setMap} />
}
