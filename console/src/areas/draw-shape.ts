import { type Map as MapLibreMap, Marker } from 'maplibre-gl'
import {
  type HexColor,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import type { LonLat } from '../base-map/lon-lat.ts'
import { circleOf, circleRing, onEarth, rounded, type Shape, type ShapeType } from './shape.ts'

/** A shape that is drawn and changed on a map, by mouse and touch. */
export interface ShapeDrawing {
  /** Lets the person draw one from nothing. */
  readonly begin: (type: ShapeType) => void
  /** Shows one, to be changed; undefined takes it away. */
  readonly show: (shape: Shape | undefined) => void
  readonly end: () => void
}

const MODES: Readonly<Record<ShapeType, string>> = { polygon: 'polygon', circle: 'circle', corridor: 'linestring' }
const TYPES = new Map<unknown, ShapeType>([
  ['polygon', 'polygon'],
  ['circle', 'circle'],
  ['linestring', 'corridor'],
])

/** Of a new corridor, until the person says otherwise. */
const USUAL_HALF_WIDTH_M = 30
/** Escape is the page's, which asks before something is lost. */
const NO_CANCEL = { cancel: null, finish: 'Enter' }
const CORNERS = { draggable: true, midpoints: true, deletable: true }

interface Listeners {
  /** Called when the first point of a shape is set. */
  readonly onBegun: () => void
  /** Called with what is drawn: when it is complete, and after each change. */
  readonly onShape: (shape: Shape) => void
}

/** @param handles what the points are called by which a circle is changed */
export function drawOn(
  map: MapLibreMap,
  color: HexColor,
  handles: Readonly<Record<'middle' | 'edge', string>>,
  { onBegun, onShape }: Listeners,
): ShapeDrawing {
  const line = { lineStringColor: color, lineStringWidth: 4 } as const
  const area = { fillColor: color, fillOpacity: 0.25, outlineColor: color, outlineWidth: 3 } as const
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: 9 }),
    modes: [
      new TerraDrawPolygonMode({ styles: area, keyEvents: NO_CANCEL }),
      new TerraDrawCircleMode({ styles: area, drawInteraction: 'click-move-or-drag', keyEvents: NO_CANCEL }),
      new TerraDrawLineStringMode({ styles: line, keyEvents: NO_CANCEL }),
      new TerraDrawSelectMode({
        allowManualDeselection: false,
        flags: {
          polygon: { feature: { draggable: true, coordinates: CORNERS } },
          linestring: { feature: { draggable: true, coordinates: CORNERS } },
        },
        styles: {
          selectedPolygonColor: color,
          selectedPolygonOutlineColor: color,
          selectedLineStringColor: color,
          selectionPointColor: color,
          midPointColor: color,
        },
      }),
    ],
  })
  let halfWidthM = USUAL_HALF_WIDTH_M
  let circle: CircleHandles | undefined
  let shownId: string | number | undefined
  const tell = (id: string | number) => {
    const feature = draw.getSnapshotFeature(id)
    const shape = feature && shapeOfFeature(feature.geometry, feature.properties.mode, halfWidthM)
    if (shape) onShape(shape)
    return shape
  }
  const clear = () => {
    shownId = undefined
    circle = circle?.remove()
    draw.clear()
  }
  const letChange = (id: string | number, shape: Shape | undefined) => {
    shownId = id
    if (shape?.type !== 'circle') draw.selectFeature(id)
    else
      circle = circleHandles(map, color, handles, shape, changed => {
        draw.updateFeatureGeometry(id, circleGeometry(changed))
        onShape(changed)
      })
  }
  draw.start()
  draw.on('finish', id => {
    const shape = tell(id)
    draw.setMode('select')
    letChange(id, shape)
  })
  draw.on('change', (ids, type) => {
    if (type === 'create' && draw.getMode() !== 'select') onBegun()
    const isChanged = type === 'update' && draw.getMode() === 'select' && !circle
    if (isChanged && shownId !== undefined && ids.includes(shownId)) tell(shownId)
  })
  return {
    begin(type) {
      clear()
      draw.setMode(MODES[type])
    },
    show(shape) {
      clear()
      if (shape?.type === 'corridor') ({ halfWidthM } = shape)
      const geometry = shape && geometryOf(shape)
      if (!shape || !geometry) return
      draw.setMode('select')
      const [added] = draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: MODES[shape.type] } }])
      if (added?.id !== undefined && added.valid) letChange(added.id, shape)
    },
    end() {
      circle?.remove()
      draw.stop()
    },
  }
}

const positions = (points: readonly LonLat[]) =>
  points.map(([longitude, latitude]) => [rounded(longitude), rounded(latitude)])

const circleGeometry = ({ center, radiusM }: CircleShape) => ({
  type: 'Polygon' as const,
  coordinates: [positions(circleRing(center, radiusM))],
})

interface CircleHandles {
  readonly remove: () => undefined
}

type CircleShape = Extract<Shape, { type: 'circle' }>

function circleHandles(
  map: MapLibreMap,
  color: HexColor,
  names: Readonly<Record<'middle' | 'edge', string>>,
  first: CircleShape,
  onChange: (shape: CircleShape) => void,
): CircleHandles {
  let shape = first
  const handle = (name: string) => {
    const element = document.createElement('div')
    Object.assign(element.style, { width: '16px', height: '16px', borderRadius: '8px', border: '2px solid #fff' })
    Object.assign(element.style, { background: color, cursor: 'move', boxShadow: '0 1px 4px rgb(0 0 0 / 50%)' })
    element.title = name
    element.setAttribute('role', 'img')
    element.setAttribute('aria-label', name)
    return new Marker({ element, draggable: true })
  }
  const [middle, edge] = [handle(names.middle), handle(names.edge)]
  const place = () => {
    const [, east] = circleRing(shape.center, shape.radiusM, 4)
    middle.setLngLat([...shape.center])
    if (east) edge.setLngLat([...east])
  }
  const change = (changed: Partial<CircleShape>) => {
    shape = { ...shape, ...changed }
    place()
    onChange(shape)
  }
  middle.on('drag', () => change({ center: onEarth(middle.getLngLat().toArray()) }))
  edge.on('drag', () => {
    const radiusM = Math.round(middle.getLngLat().distanceTo(edge.getLngLat()))
    change({ radiusM: Math.max(1, radiusM) })
  })
  place()
  for (const marker of [middle, edge]) marker.addTo(map)
  return {
    remove() {
      for (const marker of [middle, edge]) marker.remove()
      return undefined
    },
  }
}

/** Undefined for what has holes or parts: that is drawn as an area, and changed by its coordinates. */
function geometryOf(shape: Shape) {
  if (shape.type === 'corridor') {
    return shape.line.length < 2 ? undefined : { type: 'LineString' as const, coordinates: positions(shape.line) }
  }
  if (shape.type === 'circle') return circleGeometry(shape)
  const [polygon, ...parts] = shape.polygons
  const [ring, ...holes] = polygon ?? []
  if (!ring || parts.length > 0 || holes.length > 0) return undefined
  return { type: 'Polygon' as const, coordinates: [positions(ring)] }
}

function shapeOfFeature(
  geometry: { readonly type: string; readonly coordinates: unknown },
  mode: unknown,
  halfWidthM: number,
): Shape | undefined {
  const type = TYPES.get(mode)
  if (type === 'corridor') return { type, line: pointsIn(geometry.coordinates).map(onEarth), halfWidthM }
  const ring = Array.isArray(geometry.coordinates) ? pointsIn(geometry.coordinates[0]) : []
  if (type === 'circle') return { type, ...circleOf(ring) }
  return type && { type, polygons: [[ring.map(onEarth)]] }
}

function pointsIn(value: unknown): LonLat[] {
  if (!Array.isArray(value)) return []
  return value.map((point): LonLat => (Array.isArray(point) ? [Number(point[0]), Number(point[1])] : [0, 0]))
}
