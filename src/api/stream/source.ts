import type { Permission } from '../../catalogue/permissions.ts'
import { FACTS } from '../../derive/facts.ts'

/** What a stream can carry, which is also the name of its frames. */
export type StreamResource = string

/** The lists that have readers of their own, each with the permission of its name. */
const LISTS = ['vehicles', 'devices', 'trips', 'dtcs', 'incidents', 'rules', 'areas', 'events'] as const
export type StreamList = (typeof LISTS)[number]

const PERMISSIONS: ReadonlyMap<StreamResource, Permission> = new Map<StreamResource, Permission>([
  ...LISTS.map(name => [name, name] as const),
  ...FACTS.flatMap(({ items }) => (items ? [[items.name, items.list.permission] as const] : [])),
])

export const STREAM_RESOURCES: readonly StreamResource[] = [...PERMISSIONS.keys()]

/** What a caller must be allowed to follow it. */
export function permissionOf(resource: StreamResource): Permission {
  const permission = PERMISSIONS.get(resource)
  if (!permission) throw new Error(`streams carry no ${resource}`)
  return permission
}

/** How far a resource has been read. */
export interface Place {
  /** Everything up to this revision has been read. */
  readonly revision: string
  /** Where the next page begins, if there is one. */
  readonly cursor: string | undefined
}

/** A changed object, or events of a sample. */
export interface Change {
  readonly json: string
  /** The revision, unique within the resource; undefined for events, which are sent only once anyway. */
  readonly modified: string | undefined
}

/** A page of changes, and how far the resource has been read with it. */
export interface ChangePage {
  readonly changes: readonly Change[]
  readonly place: Place
}

/** A resource as one selection sees it. */
export interface Source {
  readonly name: StreamResource
  /**
   * Reads what follows a place; a page of a few hundred objects.
   * @param lowWatermark the revision to read up to; for all pages of a walk, the one of the first page counts
   */
  readonly read: (place: Place, lowWatermark: string) => Promise<ChangePage>
}
