import { Type } from 'typebox'

/** What every door for measurements answers with 200. */
export const IngestReceipt = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events that are now stored and were not before.' }),
    duplicates: Type.Integer({ description: 'Events that were known already and changed nothing.' }),
  },
  { title: 'IngestReceipt' },
)
