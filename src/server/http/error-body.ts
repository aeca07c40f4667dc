import { Type } from 'typebox'

/** Every error of the service (fleet-api-v2.md, *Errors*). */
export const ErrorBody = Type.Object(
  {
    errorMessage: Type.String({
      examples: ['fromTimestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.'],
    }),
  },
  { title: 'Error', description: 'What was wrong, in plain words.' },
)
