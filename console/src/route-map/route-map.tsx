import './route-map.css'
import { useComputedColorScheme } from '@mantine/core'
import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { BaseMap } from '../base-map/base-map.tsx'
import { boundsOf, type LonLat } from '../base-map/lon-lat.ts'
import { useTexts } from '../language/language.ts'
import {
  addCar,
  addEnd,
  addRouteLayers,
  MARKS,
  type RouteMark,
  showMarks,
  showSpeeds,
  showWay,
} from './route-layers.ts'
import type { CarOnTrack, TrackPoint } from './track.ts'

/** The moving car, passed to the map without rerendering the page. */
export interface MovingCar {
  readonly place: () => CarOnTrack | undefined
  /** @returns what ends it */
  readonly subscribe: (listener: () => void) => () => void
  /** Whether the map keeps it in view. */
  readonly isFollowed: () => boolean
}

interface RouteMapProps {
  /** What the map shows, for screen readers. */
  readonly label: string
  readonly way: readonly LonLat[]
  /** Colours the way by speed where it is known. */
  readonly track: readonly TrackPoint[]
  readonly marks: readonly RouteMark[]
  readonly hasEnded: boolean
  readonly car: MovingCar | undefined
  /** Called with the instant of the mark that was clicked. */
  readonly onMark: (timeMs: number) => void
}

/** A route with its ends, what happened on it, and the car that drives along it. */
export function RouteMap({ label, way, track, marks, hasEnded, car, onMark }: RouteMapProps) {
  const texts = useTexts('routeMap')
  const isDark = useComputedColorScheme('light') === 'dark'
  const [map, setMap] = useState<MapLibreMap>()
  const bounds = useMemo(() => boundsOf(way), [way])
  const pick = useEffectEvent(onMark)
  const isLeft = useRef(false)

  const [start, end] = [way[0], hasEnded ? way.at(-1) : undefined]
  const ends = JSON.stringify([start, end])

  useEffect(() => {
    if (map) showWay(map, way)
  }, [map, way])
  useEffect(() => {
    if (map) showSpeeds(map, track)
  }, [map, track])
  useEffect(() => {
    if (map) showMarks(map, marks)
  }, [map, marks])

  useEffect(() => {
    if (!map) return undefined
    const [from, to] = JSON.parse(ends) as [LonLat | null, LonLat | null]
    const markers = [
      ...(from ? [addEnd(map, from, 'A', texts.start)] : []),
      ...(to ? [addEnd(map, to, 'B', texts.end)] : []),
    ]
    return () => {
      for (const marker of markers) marker.remove()
    }
  }, [map, ends, texts])

  useEffect(() => {
    if (!map || !car) return undefined
    const marker = addCar(map, texts.car)
    const move = () => {
      const place = car.place()
      marker.move(place)
      if (place && car.isFollowed() && !isLeft.current) keepInView(map, place)
    }
    move()
    const stop = car.subscribe(move)
    // Somebody who has moved the map wants it to stay there.
    const leave = map.on('dragstart', () => {
      isLeft.current = true
    })
    return () => {
      stop()
      leave.unsubscribe()
      marker.remove()
    }
  }, [map, car, texts])

  useEffect(() => {
    if (!map) return undefined
    const onClick = (event: MapMouseEvent) => {
      const [mark] = map.queryRenderedFeatures(event.point, { layers: [MARKS] })
      const timeMs: unknown = mark?.properties.timeMs
      if (typeof timeMs === 'number') pick(timeMs)
    }
    map.on('click', onClick)
    return () => {
      map.off('click', onClick)
    }
  }, [map])

  return (
    <BaseMap
      label={label}
      bounds={bounds}
      onMap={drawn => {
        if (drawn) addRouteLayers(drawn, isDark)
        setMap(drawn)
      }}
    />
  )
}

/** What part of the map at each edge counts as leaving it. */
const EDGE = 0.15

/** Moves the map only when the car comes to its edge, so that the map stays still most of the time. */
function keepInView(map: MapLibreMap, { longitude, latitude }: CarOnTrack): void {
  const { x, y } = map.project([longitude, latitude])
  const { clientWidth: width, clientHeight: height } = map.getContainer()
  const isInside = x > width * EDGE && x < width * (1 - EDGE) && y > height * EDGE && y < height * (1 - EDGE)
  if (!isInside && !map.isMoving()) map.easeTo({ center: [longitude, latitude], duration: 600 })
}
