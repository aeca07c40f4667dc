/** The documents that say what the service promises; both are in docs/spec. */
export const DOCUMENTS = ['fleet-api-v2.md', 'decisions.md'] as const
type DocumentName = (typeof DOCUMENTS)[number]

/** One thing that the contract or a decision promises. */
export interface Statement {
  /** Named in the titles of its tests; never given to another statement. */
  readonly id: string
  readonly document: DocumentName
  readonly heading: string
  /** Where it is below the heading: the first cell of its table row, or the first words of its paragraph. */
  readonly place: string
  /** What is promised, in short. */
  readonly text: string
}

/** A statement as it is listed; document and heading are those of its section. */
type Row = readonly [id: string, place: string, text: string]

/** The statements below one heading of a document. */
export function section(document: DocumentName, heading: string, rows: readonly Row[]): readonly Statement[] {
  return rows.map(([id, place, text]) => ({ id, document, heading, place, text }))
}
