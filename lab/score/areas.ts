import { isDeepStrictEqual } from 'node:util'
import type { Asked } from '../accuracy/true-incident.ts'
import type { ApiReader } from './api-reader.ts'

interface AreaItem {
  readonly id: string
  readonly geometry: unknown
  readonly radiusM: number | null
  /** null: ever since. */
  readonly validFromTimestamp: string | null
}

/**
 * The areas that the truth tells visits of.
 * @param fromMs when the fleet began
 * @param creates those that are missing are created
 * @returns their ids, in the order in which rules tell them; undefined where some are missing
 * @throws OperatorError when areas may not be read, or not be created.
 */
export async function findAreas(
  api: ApiReader,
  areas: Asked['areas'],
  fromMs: number,
  creates: boolean,
): Promise<string[] | undefined> {
  const known: AreaItem[] = []
  for await (const item of api.list('/areas', {}, page => (page as { areas: AreaItem[] }).areas)) known.push(item)
  const ids: string[] = []
  for (const { center, radiusM } of areas) {
    const geometry = { type: 'Point', coordinates: [center.lon, center.lat] }
    const match = known.find(
      item =>
        item.radiusM === radiusM &&
        (item.validFromTimestamp === null || Date.parse(item.validFromTimestamp) <= fromMs) &&
        isDeepStrictEqual(item.geometry, geometry),
    )
    if (!match && !creates) return undefined
    const validFromTimestamp = new Date(fromMs).toISOString()
    const area = { name: `Home ${ids.length + 1} (tacho score)`, geometry, radiusM, validFromTimestamp }
    ids.push(match?.id ?? ((await api.create('/areas', area)) as { readonly id: string }).id)
  }
  return ids.sort((a, b) => Number(a) - Number(b))
}
