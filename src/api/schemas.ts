import { type TObject, type TProperties, Type } from 'typebox'

/** Every error of the service (fleet-api-v2.md, *Errors*). */
export const ErrorBody = Type.Object(
  {
    errorMessage: Type.String({
      examples: ['fromTimestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.'],
    }),
  },
  { title: 'Error', description: 'What was wrong, in plain words.' },
)

/** The errors that every route with a token can give, for its response schema. */
export const errorReplies = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  429: ErrorBody,
  503: ErrorBody,
} as const

export const languageHeader = Type.Object({
  'accept-language': Type.Optional(
    Type.String({
      description: 'Language of translated text: *, en, de, en-US, de-DE, or a list with weights.',
      default: 'en-US',
    }),
  ),
})

export const instant = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2020-02-22T14:37:07.797Z'] })
export const stamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2020-02-22T14:37:07.797123Z'] })
export const deviceId = Type.Integer({
  format: 'int64',
  description: 'IMEI of the device.',
  examples: [356307042441013],
})
export const nullable = <
  T extends TObject<TProperties> | ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>,
>(
  schema: T,
) => Type.Union([schema, Type.Null()])
