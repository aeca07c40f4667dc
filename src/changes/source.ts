import type { HiddenEventTypes, Permission } from '../catalogue/permissions.ts'
import type { AccountReads } from '../db/account-reads.ts'
import type { DeviceId } from '../model/sample.ts'

/** How far a kind of object has been read. */
export interface ReadPosition {
  /** Everything up to this revision has been read. */
  readonly revision: string
  /** Where the next page begins, if there is one. */
  readonly cursor: string | undefined
}

/** A changed object, or events of a sample. */
export interface Change {
  readonly json: string
  /** The revision, unique within the kind; undefined for events, which are sent only once anyway. */
  readonly modified: string | undefined
}

/** A page of changes, and how far the kind has been read with it. */
interface ChangePage {
  readonly changes: readonly Change[]
  readonly position: ReadPosition
}

/** Whose changes are read, as far as a caller may see them, and in which form. */
export interface ChangeScope {
  readonly accountId: number
  readonly deviceId: DeviceId | undefined
  /** A public id. */
  readonly vehicleId: string | undefined
  readonly eventTypes: readonly string[]
  /** The event types in the lastEvents of vehicles; undefined for all. A vehicle counts as changed after any change. */
  readonly lastEventTypes: readonly string[] | undefined
  readonly language: 'en' | 'de'
  readonly hiddenTypes: HiddenEventTypes
  readonly maySeePositions: boolean
}

interface ChangeRequest {
  readonly position: ReadPosition
  /** The revision to read up to; for all pages of a walk, the one of the first page counts. */
  readonly lowWatermark: string
  /** Objects in the page, at most. */
  readonly limit: number
}

/** A kind of object whose changes can be followed. What it reads, and how that looks, is the business of who has the objects. */
export interface ChangeKind {
  /** The name of its list, and of the permission to read it. */
  readonly name: Permission
  /** Reads the page of changes that follows a position, in the scope of an account. */
  readonly read: (reads: AccountReads, scope: ChangeScope, request: ChangeRequest) => Promise<ChangePage>
}

/** A kind of object in one scope. */
export interface ChangeSource {
  readonly name: Permission
  readonly read: (position: ReadPosition, lowWatermark: string) => Promise<ChangePage>
}

/** Objects of one page at most, so that ten thousand cars are not one text of 20 MB. */
const PAGE_OBJECTS = 200

/** Some kinds of objects, as one scope sees them. */
export function sourcesOf(kinds: readonly ChangeKind[], reads: AccountReads, scope: ChangeScope): ChangeSource[] {
  return kinds.map(({ name, read }) => ({
    name,
    read: (position, lowWatermark) => read(reads, scope, { position, lowWatermark, limit: PAGE_OBJECTS }),
  }))
}
