import type { Map as MapLibreMap } from 'maplibre-gl'
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
const CORNERS = { draggable: true, midpoints: true, deletable: true }

/** @param onShape called with what is drawn: when it is complete, and after each change */
export function drawOn(map: MapLibreMap, color: HexColor, onShape: (shape: Shape) => void): ShapeDrawing {
  const line = { lineStringColor: color, lineStringWidth: 4 } as const
  const area = { fillColor: color, fillOpacity: 0.25, outlineColor: color, outlineWidth: 3 } as const
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: 9 }),
    modes: [
      new TerraDrawPolygonMode({ styles: area }),
      new TerraDrawCircleMode({ styles: area, drawInteraction: 'click-move-or-drag' }),
      new TerraDrawLineStringMode({ styles: line }),
      new TerraDrawSelectMode({
        allowManualDeselection: false,
        flags: {
          polygon: { feature: { draggable: true, coordinates: CORNERS } },
          linestring: { feature: { draggable: true, coordinates: CORNERS } },
          circle: { feature: { draggable: true, coordinates: { draggable: false, resizable: 'center-fixed' } } },
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
  let shownId: string | number | undefined
  const tell = (id: string | number) => {
    const feature = draw.getSnapshotFeature(id)
    const shape = feature && shapeOfFeature(feature.geometry, feature.properties.mode, halfWidthM)
    if (shape) onShape(shape)
  }
  draw.start()
  draw.on('finish', id => {
    shownId = id
    tell(id)
    draw.setMode('select')
    draw.selectFeature(id)
  })
  draw.on('change', (ids, type) => {
    if (type === 'update' && draw.getMode() === 'select' && shownId !== undefined && ids.includes(shownId))
      tell(shownId)
  })
  return {
    begin(type) {
      shownId = undefined
      draw.clear()
      draw.setMode(MODES[type])
    },
    show(shape) {
      shownId = undefined
      draw.clear()
      if (shape?.type === 'corridor') ({ halfWidthM } = shape)
      const geometry = shape && geometryOf(shape)
      if (!shape || !geometry) return
      draw.setMode('select')
      const [added] = draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: MODES[shape.type] } }])
      if (added?.id === undefined || !added.valid) return
      shownId = added.id
      draw.selectFeature(added.id)
    },
    end: () => draw.stop(),
  }
}

/** Undefined for what has holes or parts: that is drawn as an area, and changed by its coordinates. */
function geometryOf(shape: Shape) {
  const positions = (points: readonly LonLat[]) =>
    points.map(([longitude, latitude]) => [rounded(longitude), rounded(latitude)])
  if (shape.type === 'corridor') {
    return shape.line.length < 2 ? undefined : { type: 'LineString' as const, coordinates: positions(shape.line) }
  }
  if (shape.type === 'circle') {
    return { type: 'Polygon' as const, coordinates: [positions(circleRing(shape.center, shape.radiusM))] }
  }
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
