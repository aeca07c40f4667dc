/** The lists that a stream can carry: the names of their frames, and of the permissions to read them. */
export const STREAM_RESOURCES = [
  'vehicles',
  'devices',
  'trips',
  'dtcs',
  'incidents',
  'rules',
  'areas',
  'events',
] as const
export type StreamResource = (typeof STREAM_RESOURCES)[number]

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
