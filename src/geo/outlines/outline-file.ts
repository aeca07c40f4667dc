import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { codeOfOutline } from './country-codes.ts'
import { type Lines, readLines } from './read-lines.ts'

/** A piece of land, with its lines by their numbers. */
interface OutlinePart {
  /** ISO 3166-1, two letters; '' where nobody's. */
  readonly country: string
  readonly lines: readonly number[]
}

/** What a step of the grid is in degrees, and where it begins. */
export interface Grid {
  readonly scale: readonly [lon: number, lat: number]
  readonly translate: readonly [lon: number, lat: number]
}

export interface OutlineFile {
  /** A line between two countries is there once. */
  readonly lines: Lines
  readonly parts: readonly OutlinePart[]
  readonly grid: Grid
}

type Part = readonly (readonly number[])[]
type Geometry = { readonly id?: string; readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: Part }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly Part[] }
)

const BEFORE_LINES = '}},"arcs":'
const AFTER_LINES = '],"bbox":'

/**
 * Reads the outlines of countries of the package world-atlas (Natural Earth 1:10m, public domain), which are in TopoJSON:
 * objects, then the lines that these name by their numbers, then the grid. To parse all of it at once takes 0.1 s and 77
 * MB, nearly all for half a million points as arrays; so the lines are read apart, in turns of some milliseconds.
 */
export async function readOutlineFile(): Promise<OutlineFile> {
  const bytes = await readFile(createRequire(import.meta.url).resolve('world-atlas/countries-10m.json'))
  const linesAt = bytes.lastIndexOf(`${BEFORE_LINES}[[[`)
  const linesEnd = bytes.lastIndexOf(AFTER_LINES)
  if (linesAt === -1 || linesEnd === -1)
    throw new Error('countries-10m.json of world-atlas has another form than it had')
  const { objects } = JSON.parse(`${bytes.toString('utf8', 0, linesAt + 2)}}`) as {
    readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } }
  }
  const { transform } = JSON.parse(`{${bytes.toString('utf8', linesEnd + 2)}`) as { readonly transform: Grid }
  return {
    lines: await readLines(bytes.subarray(linesAt + BEFORE_LINES.length, linesEnd + 1)),
    parts: objects.countries.geometries.flatMap(partsOf),
    grid: transform,
  }
}

function partsOf(geometry: Geometry): OutlinePart[] {
  const country = codeOfOutline(geometry.id, geometry.properties.name)
  const parts = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
  // A negative number is that line backwards: ~0 is -1.
  return parts.map(rings => ({ country, lines: rings.flat().map(line => (line < 0 ? ~line : line)) }))
}
