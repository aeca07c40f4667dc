/** Conventions of all routes, stated once (fleet-api-v2.md, *General conventions*). */
export const API_DESCRIPTION = `
Fleet status (devices, vehicles, trips, measurement events, diagnostic trouble codes, statistics) over the Connected Car
Fleet REST API, version 2, below \`/cc/v2.0\`; measurements are sent to \`/ingest/events\`.

- **Tokens**: \`Authorization: Bearer …\` with an API key that the operator issued, or with an access token of
  \`POST /auth/token\`.
- **Timestamps** are ISO 8601. Accepted are \`Z\`, any offset, no zone (UTC), a date alone, any number of fraction
  digits. Replies are in UTC with \`Z\`: six fraction digits for \`modifyTimestamp\`, three for all others.
- **Parameters**: an empty one counts as absent, an unknown one is ignored; lists are separated by commas; both ends of
  a range are inclusive; several filters must all hold; an id that does not exist matches nothing.
- **Language**: \`Accept-Language\` selects the language of translated text; English and German exist.
- **Long lists** are cut at \`maxResults\` (500, at most 10,000). A \`Link\` header with \`rel="next"\` leads to the rest.
  With \`count=true\`, lists of trips, trouble codes and incidents say in \`X-Total-Count\` how many match.
- **Sync**: lists of devices, vehicles, trips and trouble codes carry a top-level \`modifyTimestamp\`. Sent as
  \`filterTimestamp\` with the next request, it brings everything that changed since, deleted objects included. An object
  may come twice; none is missed.
- **Errors** are objects with one field, \`errorMessage\`, in plain words that name the parameter.
- **Limits**: requests are counted per key or user. Replies to a valid token say how many are left.
`.trim()

export const TAGS = [
  { name: 'Authentication', description: 'Tokens for users.' },
  { name: 'Devices', description: 'The dongles that are plugged into vehicles.' },
  { name: 'Vehicles', description: 'The cars, with the latest value of everything measured.' },
  { name: 'Trips', description: 'Intervals in which a car was driving.' },
  { name: 'Events', description: 'Measurements over time.' },
  { name: 'Trouble codes', description: 'What the control units of the cars report.' },
  { name: 'Rules', description: 'What the fleet is watched for. Beyond the published document.' },
  { name: 'Incidents', description: 'What rules found. Beyond the published document.' },
  { name: 'Aggregations', description: 'Statistics of trips.' },
  { name: 'Areas', description: 'Parts of the map that the account has drawn. Beyond the published document.' },
  { name: 'Catalogue', description: 'What can be measured, and in which units.' },
  { name: 'Stream', description: 'What changes, as it happens.' },
  { name: 'Ingest', description: 'Sending measurements.' },
  {
    name: 'Administration',
    description:
      'Users, keys and dongles of the own account, for those with the permission `administration`. Beyond the published ' +
      'document.',
  },
] as const

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const

/** Headers of replies, by name. */
export const HEADERS = {
  'X-Rate-Limit': { description: 'Requests allowed in the current period.', schema: integer, required: true },
  'X-Rate-Limit-Remaining': { description: 'Requests left in the period.', schema: integer, required: true },
  'X-Response-Time': { description: 'Milliseconds the server needed.', schema: integer, required: true },
  'Retry-After': { description: 'Seconds after which a repeat can succeed.', schema: integer },
  'WWW-Authenticate': { description: 'Bearer', schema: text, required: true },
  ETag: { description: 'Names this state of the object, for If-None-Match.', schema: text, required: true },
  Link: { description: 'Where the rest of a cut list is: `<…>; rel="next"` (RFC 8288).', schema: text },
  'X-Total-Count': { description: 'How many match, with `count=true`.', schema: integer },
  'Content-Language': { description: 'Language of translated text.', schema: text, required: true },
  Vary: { description: 'Accept-Language', schema: text, required: true },
}

/** Descriptions of status codes, where the schema of the body has none. */
export const RESPONSES: Readonly<Record<string, string>> = {
  200: 'OK.',
  201: 'Created.',
  204: 'Done.',
  304: 'Not modified since the reply with that ETag.',
  400: 'The request cannot be processed; the message names the parameter.',
  401: 'No valid token was given.',
  403: 'The key or user has no permission to use this type of data.',
  404: 'There is no such object, or it belongs to another account.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  429: 'Too many requests in the period.',
  503: 'Not possible at the moment; a repeat will succeed.',
}
