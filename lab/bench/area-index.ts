import { areaIndexOf } from '../../src/model/areas/area-index.ts'
import { checkShape } from '../../src/model/areas/check-shape.ts'
import type { AreaShape, LonLat } from '../../src/model/areas/shape.ts'

/** How long 10,000 areas take to be indexed, and a fix to find those it is in. Run it with `npx tsx lab/bench/area-index.ts`. */

const AREAS = 10_000
const FIXES = 1_000_000
const HYSTERESIS_M = 30

let seed = 1
/** From 0 to 1, the same each time. */
function random(): number {
  seed = (seed * 48271) % 0x7fffffff
  return seed / 0x7fffffff
}

/** Somewhere in a country of 600 by 900 km. */
function place(): LonLat {
  return [6 + 8 * random(), 47.5 + 7.5 * random()]
}

/** As people draw: mostly circles of some hundred metres and yards of a few corners; some towns and roads. */
function shapeOf(number: number): AreaShape {
  const center = place()
  if (number % 10 < 5) return { type: 'circle', center, radiusM: 50 + 450 * random() }
  const corners = number % 10 < 8 ? 4 + Math.floor(8 * random()) : 200
  const sizeDegrees = corners === 200 ? 0.05 : 0.003
  const points = Array.from({ length: corners }, (_, corner): LonLat => {
    const angle = (2 * Math.PI * corner) / corners
    const radius = sizeDegrees * (0.6 + 0.4 * random())
    return [center[0] + radius * Math.cos(angle), center[1] + radius * Math.sin(angle)]
  })
  if (number % 10 === 9) return { type: 'corridor', line: points.slice(0, 100), halfWidthM: 40 }
  return { type: 'polygon', polygons: [[[...points, points[0] ?? center]]] }
}

function timed<T>(what: string, count: number, work: () => T): T {
  const begunMs = performance.now()
  const result = work()
  const ms = performance.now() - begunMs
  console.log(`${what}: ${ms.toFixed(0)} ms, ${((ms / count) * 1000).toFixed(2)} µs each`)
  return result
}

const areas = Array.from({ length: AREAS }, (_, number) => ({ shape: shapeOf(number) }))
timed(`check ${AREAS} areas`, AREAS, () => areas.filter(({ shape }) => checkShape(shape) !== undefined))
const index = timed(`index ${AREAS} areas`, AREAS, () => areaIndexOf(areas, HYSTERESIS_M))
const anywhere = Array.from({ length: FIXES }, place)
timed(`${FIXES} fixes anywhere in the country`, FIXES, () => {
  for (const [longitude, latitude] of anywhere) index.near(longitude, latitude)
})
const atBorders = Array.from({ length: FIXES }, (_, number): LonLat => {
  const shape = areas[number % AREAS]?.shape
  if (shape?.type === 'circle') return shape.center
  return (shape?.type === 'corridor' ? shape.line[0] : shape?.polygons[0]?.[0][0]) ?? [0, 0]
})
let found = 0
timed(`${FIXES} fixes in an area or at its border`, FIXES, () => {
  for (const [longitude, latitude] of atBorders) found += index.near(longitude, latitude).length
})
console.log(`${(found / FIXES).toFixed(2)} areas found each`)
