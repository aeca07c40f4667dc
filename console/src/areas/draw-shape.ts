import { type Map as MapLibreMap, Marker } from 'maplibre-gl'
import {
  type GeoJSONStoreFeatures,
  type HexColor,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import {
  circleOf,
  circleRing,
  geometryOf,
  onEarth,
  type Shape,
  type ShapeType,
  shapeOf,
  USUAL_HALF_WIDTH_M,
} from './shape.ts'

/** A shape that is drawn and changed on a map, by mouse and touch. */
export interface ShapeDrawing {
  /** Lets the person draw one from nothing. */
  readonly begin: (type: ShapeType) => void
  /** Shows one, to be changed. */
  readonly show: (shape: Shape) => void
  readonly end: () => void
}

const MODES: Readonly<Record<ShapeType, string>> = { polygon: 'polygon', circle: 'circle', corridor: 'linestring' }
/** Escape is the page's, which asks before something is lost. */
const NO_CANCEL = { cancel: null, finish: 'Enter' }
const FLAGS = { feature: { draggable: true, coordinates: { draggable: true, midpoints: true, deletable: true } } }

interface Listeners {
  /** Called when the first point of a shape is set. */
  readonly onBegun: () => void
  /** Called with what is drawn: when it is complete, and after each change. */
  readonly onShape: (shape: Shape) => void
}

type HandleNames = Readonly<Record<'middle' | 'edge', string>>

/** @param names what the points are called by which a circle is changed */
export function drawOn(
  map: MapLibreMap,
  color: HexColor,
  names: HandleNames,
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
        flags: { polygon: FLAGS, linestring: FLAGS },
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
  /** By which a circle is changed; others have points of the library. */
  let handles: readonly Marker[] = []
  let shownId: string | number | undefined
  const tell = (id: string | number) => {
    const feature = draw.getSnapshotFeature(id)
    const shape = feature && drawnShape(feature, halfWidthM)
    if (shape) onShape(shape)
    return shape
  }
  const removeHandles = () => {
    for (const handle of handles) handle.remove()
    handles = []
  }
  const clear = () => {
    shownId = undefined
    removeHandles()
    draw.clear()
  }
  const letChange = (id: string | number, shape: Shape | undefined) => {
    shownId = id
    if (shape?.type !== 'circle') draw.selectFeature(id)
    else
      handles = circleHandles(map, color, names, shape, changed => {
        const geometry = geometryOf(changed)
        if (geometry.type === 'Polygon') draw.updateFeatureGeometry(id, geometry)
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
    const isChanged = type === 'update' && draw.getMode() === 'select' && handles.length === 0
    if (isChanged && shownId !== undefined && ids.includes(shownId)) tell(shownId)
  })
  return {
    begin(type) {
      clear()
      draw.setMode(MODES[type])
    },
    show(shape) {
      clear()
      if (shape.type === 'corridor') ({ halfWidthM } = shape)
      const geometry = geometryOf(shape)
      // What has holes or parts is drawn as an area, and changed by its coordinates.
      if (geometry.type === 'MultiPolygon' || (geometry.type === 'Polygon' && geometry.coordinates.length > 1)) return
      draw.setMode('select')
      const [added] = draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: MODES[shape.type] } }])
      if (added?.id !== undefined && added.valid) letChange(added.id, shape)
    },
    end() {
      removeHandles()
      draw.stop()
    },
  }
}

type Circle = Extract<Shape, { type: 'circle' }>

/** Points at the middle and at the edge of a circle, to be dragged. */
function circleHandles(
  map: MapLibreMap,
  color: HexColor,
  names: HandleNames,
  first: Circle,
  onChange: (shape: Circle) => void,
): readonly Marker[] {
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
    const [, [east, latitude] = shape.center] = circleRing(shape.center, shape.radiusM, 4)
    middle.setLngLat([...shape.center])
    edge.setLngLat([east, latitude])
  }
  const change = (changed: Partial<Circle>) => {
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
  return [middle.addTo(map), edge.addTo(map)]
}

/** What was drawn; the library draws a circle as a ring. */
function drawnShape({ geometry, properties }: GeoJSONStoreFeatures, halfWidthM: number): Shape | undefined {
  const shape = shapeOf({ geometry, radiusM: null, halfWidthM })
  if (shape?.type === 'corridor') return { ...shape, line: shape.line.map(onEarth) }
  if (shape?.type !== 'polygon') return undefined
  const ring = shape.polygons[0]?.[0] ?? []
  return properties.mode === MODES.circle
    ? { type: 'circle', ...circleOf(ring) }
    : { type: 'polygon', polygons: [[ring.map(onEarth)]] }
}
