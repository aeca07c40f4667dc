/** The documents that say what the service promises; both are in docs/spec. */
export const DOCUMENTS = ['fleet-api-v2.md', 'decisions.md'] as const
export type DocumentName = (typeof DOCUMENTS)[number]

/** One thing that the contract or a decision promises. */
export interface Statement {
  /** Named in the titles of its tests; never given to another statement. */
  readonly id: string
  readonly document: DocumentName
  readonly heading: string
  /** Where it stands below the heading: the first cell of its table row, or the first words of its paragraph. */
  readonly place: string
  /** What is promised, shortened. */
  readonly text: string
  /** Set while no test is possible: with which work it comes, and why. */
  readonly later: string | undefined
}

/** What is written down of a statement; its document and heading are those of its section. */
export type Row = readonly [id: string, place: string, text: string, later?: string]

/** The statements below one heading of a document. */
export function section(document: DocumentName, heading: string, rows: readonly Row[]): readonly Statement[] {
  return rows.map(([id, place, text, later]) => ({ id, document, heading, place, text, later }))
}

/** Reasons for `later`: what the service can not do before a coming piece of work. */
export const LATER = {
  gateways: 'dongle gateways: measurements come over HTTP only so far',
} as const
