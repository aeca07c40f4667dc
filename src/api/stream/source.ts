/** What a stream can carry; also the names of its frames. */
export const STREAM_RESOURCES = ['vehicles', 'devices', 'trips', 'dtcs', 'events'] as const
export type StreamResource = (typeof STREAM_RESOURCES)[number]

/** How far a resource has been read. */
export interface Place {
  /** Everything up to this revision has been read. */
  readonly revision: string
  /** Where the page after the last one begins, when that was not the last. */
  readonly cursor: string | undefined
}

/** A changed object, or events of a sample. */
export interface Change {
  readonly json: string
  /** The revision that no other change of the resource has; undefined for events, which come once anyway. */
  readonly modified: string | undefined
}

/** A page of changes, and how far the resource has been read with it. */
export interface ChangePage {
  readonly changes: readonly Change[]
  readonly place: Place
}

/** A resource as one kind of reader sees it. */
export interface Source {
  readonly name: StreamResource
  /**
   * Reads what follows a place; a page of a few hundred objects.
   * @param lowWatermark up to which everything is to be read; on all pages of one walk the first one's counts
   */
  readonly read: (place: Place, lowWatermark: string) => Promise<ChangePage>
}
