import type { Map as MapLibreMap } from 'maplibre-gl'
import { useState } from 'react'
import { BaseMap } from '../base-map/base-map.tsx'
import { boundsOf, type LonLat } from '../base-map/lon-lat.ts'
import { useTexts } from '../language/language.ts'
import { useRouteOn } from '../route-map/route-layers.ts'

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
  const [map, setMap] = useState<MapLibreMap>()
  const [begin, end] = places
  const marks = places.map(([longitude, latitude]) => ({ longitude, latitude, color, timeMs: 0 }))
  const ends =
    begin && end
      ? [
          { place: begin, letter: 'A', name: texts.beginHere },
          { place: end, letter: 'B', name: texts.endHere },
        ]
      : []
  useRouteOn(map, { way, marks, ends })
  return <BaseMap label={label} bounds={boundsOf(places)} onMap={setMap} />
}
