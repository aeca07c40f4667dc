import { useComputedColorScheme } from '@mantine/core'
import type { Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useMemo, useState } from 'react'
import { BaseMap } from '../base-map/base-map.tsx'
import { boundsOf, type LonLat } from '../base-map/lon-lat.ts'
import { useTexts } from '../language/language.ts'
import { addEnd, addRouteLayers, showMarks, showWay } from '../route-map/route-layers.ts'
import '../route-map/route-map.css'

interface IncidentMapProps {
  /** What the map shows, for screen readers. */
  readonly label: string
  /** Where it began, and where it ended if that is elsewhere. */
  readonly places: readonly LonLat[]
  readonly color: string
  /** The trip on which it was; empty without one. */
  readonly way: readonly LonLat[]
}

/** Where an incident was. */
export function IncidentMap({ label, places, color, way }: IncidentMapProps) {
  const texts = useTexts('incidents')
  const isDark = useComputedColorScheme('light') === 'dark'
  const [map, setMap] = useState<MapLibreMap>()
  const bounds = useMemo(() => boundsOf(places), [places])

  useEffect(() => {
    if (map) showWay(map, way)
  }, [map, way])
  useEffect(() => {
    if (!map) return undefined
    showMarks(
      map,
      places.map(([longitude, latitude]) => ({ longitude, latitude, color, timeMs: 0 })),
    )
    const [from, to] = places
    const markers = from && to ? [addEnd(map, from, 'A', texts.beginHere), addEnd(map, to, 'B', texts.endHere)] : []
    return () => {
      for (const marker of markers) marker.remove()
    }
  }, [map, places, color, texts])

  return (
    <BaseMap
      label={label}
      bounds={bounds}
      hasNote={false}
      onMap={drawn => {
        if (drawn) addRouteLayers(drawn, isDark)
        setMap(drawn)
      }}
    />
  )
}
