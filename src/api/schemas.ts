import { type TObject, type TSchema, Type } from 'typebox'
import { ALL_PERMISSIONS, type Permission } from '../catalogue/permissions.ts'
import { badRequest, notFound } from '../model/errors.ts'
import { DEVICE_ID, idParameter } from '../server/http/parameters.ts'
import { ErrorBody } from '../server/http/schemas.ts'
import { type Instant, parseTimestamp } from '../server/http/timestamps.ts'

export { ErrorBody }

/** Under this name, keywords that only the document shows; the route checks them itself, with a better message. */
export const CHECKED_BY_ROUTE = 'x-checked-by-route'
export const checkedByRoute = (keywords: Readonly<Record<string, unknown>>) => ({ [CHECKED_BY_ROUTE]: keywords })

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
export const deviceIdField = Type.Integer({
  ...DEVICE_ID,
  description: 'IMEI of the device.',
  examples: [356307042441013],
})
type Plain = ReturnType<typeof Type.String | typeof Type.Integer | typeof Type.Number>
export const nullable = <T extends TObject | Plain>(schema: T) => Type.Union([schema, Type.Null()])

/** The reply of a list that clients sync: `{"<name>": […], "modifyTimestamp": …}` */
export const syncList = (name: string, item: TSchema, title?: string) =>
  Type.Object(
    {
      [name]: Type.Array(item),
      modifyTimestamp: revision('Use it as filterTimestamp of the next request to get what changed since.'),
    },
    title === undefined ? {} : { title },
  )

/** The errors that a change can give besides those of its own. */
export const changeReplies = { ...errorReplies, 413: ErrorBody, 415: ErrorBody } as const

export const NoContent = Type.Null({ description: 'Done.' })

const PermissionName = Type.Unsafe<Permission>({ type: 'string', enum: ALL_PERMISSIONS })

export const permissionList = (description: string) =>
  Type.Array(PermissionName, { description, examples: [['vehicles', 'trips']] })

export const permissionChoice = (description: string) =>
  Type.Array(PermissionName, { description, minItems: 1, uniqueItems: true, examples: [['vehicles', 'trips']] })

export const IdPath = Type.Object({ id: idParameter('The id.', ['7']) })

/** Reads the id of a user, key or rule. @throws ClientError 404 when it is not a valid id. */
export function readId(text: string, what: 'user' | 'key' | 'rule'): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound(`The ${what} ${text}`)
  return Number(text)
}

/** A timestamp in a body, in any form that query parameters accept; that is more than the format `date-time` allows. */
export const timestampIn = (description: string) =>
  Type.String({
    description: `${description} ISO 8601.`,
    examples: ['2020-02-22T14:37:07.797Z'],
    ...checkedByRoute({ format: 'date-time' }),
  })

/** Reads it. @throws ClientError 400 naming the field. */
export function readTimestamp(text: string, field: string): Instant {
  const read = parseTimestamp(text)
  if (read === undefined) throw badRequest(`${field} must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.`)
  return read
}

/** The number in an id of a request. Only the form of replies, not `007`, so that one thing has one id. */
export function numberIdOf(text: string): number | undefined {
  const id = Number(text)
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}
