import { Type } from 'typebox'
import { ALL_PERMISSIONS, type Permission } from '../../catalogue/permissions.ts'
import { badRequest, notFound } from '../../model/errors.ts'
import { idParameter } from '../../server/http/parameters.ts'
import { type Instant, parseTimestamp } from '../../server/http/timestamps.ts'
import { checkedByRoute } from '../openapi-components.ts'
import { ErrorBody, errorReplies } from '../schemas.ts'

/** The errors that a change can give besides those of its own. */
export const changeReplies = { ...errorReplies, 413: ErrorBody, 415: ErrorBody } as const

/** The reply to a change that returns nothing. */
export const NoContent = Type.Null({ description: 'Done.' })

const PermissionName = Type.Unsafe<Permission>({ type: 'string', enum: ALL_PERMISSIONS })

/** Permissions in replies. */
export const permissionList = (description: string) =>
  Type.Array(PermissionName, { description, examples: [['vehicles', 'trips']] })

/** Permissions in requests: at least one, no duplicates. */
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
  const instant = parseTimestamp(text)
  if (instant === undefined)
    throw badRequest(`${field} must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.`)
  return instant
}
