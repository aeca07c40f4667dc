import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Area } from '../api/types.ts'
import { BaseMap, FIT } from '../base-map/base-map.tsx'
import { boundsOf } from '../base-map/lon-lat.ts'
import type { Car } from '../fleet/car.ts'
import { useCars } from '../fleet/use-cars.ts'
import { useTexts } from '../language/language.ts'
import { firstBoundsOf } from '../map/car-features.ts'
import { useCarsOn } from '../map/car-layers.ts'
import { AREA_LAYERS, useAreasOn } from './area-layers.ts'
import type { Draft } from './draft.ts'
import type { ShapeDrawing } from './draw-shape.ts'
import { extentOf, type Shape, shapeOf } from './shape.ts'

const NO_CARS: readonly Car[] = []

interface AreasMapProps {
  readonly areas: readonly Area[]
  readonly chosenId: string | undefined
  /** Whether its visits are listed, which leaves less room to the map. */
  readonly showsVisits: boolean
  readonly onChoose: (id: string) => void
  /** What is being drawn; undefined while nothing is. */
  readonly draft: Draft | undefined
  /** Called when a shape is begun on the map, and with what was drawn or changed there. */
  readonly onDraft: (change: Partial<Draft>) => void
}

/** The areas on the map, of which one may be drawn or changed. */
export function AreasMap({ areas, chosenId, showsVisits, onChoose, draft, onDraft }: AreasMapProps) {
  const texts = useTexts('area')
  const { cars, error } = useCars()
  const [map, setMap] = useState<MapLibreMap>()
  const drawing = useRef<ShapeDrawing>(undefined)
  /** The shape that the map itself reported last: it need not be shown again. */
  const told = useRef<Shape>(undefined)
  const choose = useEffectEvent(onChoose)
  const begun = useEffectEvent(() => onDraft({ isBegun: true }))
  const tell = useEffectEvent((shape: Shape) => {
    told.current = shape
    onDraft({ shape, isBegun: false })
  })
  const bounds = useMemo(() => boundsIn(areas) ?? firstBoundsOf(cars ?? NO_CARS), [areas, cars])
  const shown = useMemo(() => areas.filter(area => area.id !== draft?.id), [areas, draft?.id])

  useAreasOn(map, shown, chosenId)
  useCarsOn(map, cars ?? NO_CARS)

  /** Another one where the map goes to the area again. */
  const goal = JSON.stringify([chosenId, boundsIn(areas.filter(area => area.id === chosenId)), showsVisits])
  useEffect(() => {
    const [, extent] = JSON.parse(goal) as [unknown, ReturnType<typeof boundsIn> | null]
    if (!map || !extent) return
    // Its room may have changed just now.
    map.resize()
    map.fitBounds(extent, { ...FIT, animate: false })
  }, [map, goal])

  const isDrawing = draft !== undefined
  useEffect(() => {
    if (!map || isDrawing) return undefined
    const onClick = (event: MapMouseEvent) => {
      const [found] = map.queryRenderedFeatures(event.point, { layers: [...AREA_LAYERS] })
      const id: unknown = found?.properties.id
      if (typeof id === 'string') choose(id)
    }
    map.on('click', onClick)
    return () => {
      map.off('click', onClick)
    }
  }, [map, isDrawing])

  const draftKey = draft && `${draft.id} ${draft.type}`
  const color = draft?.color
  const begin = useEffectEvent(() => {
    if (!draft || !drawing.current) return
    if (draft.shape) drawing.current.show(draft.shape)
    else drawing.current.begin(draft.type)
  })
  useEffect(() => {
    if (!map || draftKey === undefined || !isHexColor(color)) return undefined
    const gone = new AbortController()
    // The drawing library comes when somebody draws.
    const load = async () => {
      const { drawOn } = await import('./draw-shape.ts')
      if (gone.signal.aborted) return
      drawing.current = drawOn(map, color, texts.handles, { onShape: tell, onBegun: begun })
      begin()
    }
    void load()
    return () => {
      gone.abort()
      drawing.current?.end()
      drawing.current = undefined
    }
  }, [map, draftKey, color, texts])

  const shape = draft?.shape
  useEffect(() => {
    if (!shape || shape === told.current) return
    drawing.current?.show(shape)
  }, [shape])

  // Cars are on the map, too, and seen first where there is no area.
  if (areas.length === 0 && !cars && !error) return null
  return <BaseMap label={texts.map} bounds={bounds} onMap={setMap} />
}

function boundsIn(areas: readonly Area[]) {
  const shapes = areas.map(shapeOf).filter(shape => shape !== undefined)
  return boundsOf(shapes.flatMap(extentOf))
}

function isHexColor(color: string | undefined): color is `#${string}` {
  return color?.startsWith('#') ?? false
}
