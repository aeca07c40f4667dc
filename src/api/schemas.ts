import { type TObject, type TSchema, Type } from 'typebox'
import { DEVICE_ID } from '../server/http/parameters.ts'
import { ErrorBody } from '../server/http/schemas.ts'

export { ErrorBody }

/** The errors of every route with a token, for its response schema. */
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
export const revision = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2020-02-22T14:37:07.797123Z'] })
export const deviceId = Type.Integer({
  ...DEVICE_ID,
  description: 'IMEI of the device.',
  examples: [356307042441013],
})
export const nullable = <T extends TObject | ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: T,
) => Type.Union([schema, Type.Null()])

/** The reply of a list that clients sync: `{"<name>": […], "modifyTimestamp": …}` */
export const syncList = (name: string, item: TSchema, title?: string) =>
  Type.Object(
    {
      [name]: Type.Array(item),
      modifyTimestamp: revision('Use it as filterTimestamp of the next request to get what changed since.'),
    },
    title === undefined ? {} : { title },
  )
