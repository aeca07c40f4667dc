import { ErrorWithReasonCode, ErrorWithSubackPacket, ReasonCodes } from 'mqtt'

/** Refusals of a version: CONNACK 1 of MQTT 3.1.1 (3.2.2.3), 132 of MQTT 5 (3.2.2.2). */
const WRONG_VERSION: ReadonlySet<number> = new Set([1, 132])
/** Wrong user or password, or not allowed to connect: 4 and 5 of MQTT 3.1.1, 134 and 135 of MQTT 5. */
const WRONG_CREDENTIALS: ReadonlySet<number> = new Set([4, 5, 134, 135])
/** Another client connected with the same client id (MQTT 5, 3.14.2.1). */
const SESSION_TAKEN_OVER = 142
/** SUBACK: the filter or shared subscriptions are not supported (MQTT 5, 3.9.3). */
const NOT_SHARED: ReadonlySet<number> = new Set([143, 158])
/** SUBACK: refused (MQTT 3.1.1, 3.9.3), not authorized (MQTT 5, 3.9.3). */
const NOT_ALLOWED: ReadonlySet<number> = new Set([128, 135])

/** Whether the broker does not speak this version of MQTT. */
export const isWrongVersion = (error: unknown) => WRONG_VERSION.has(reasonOf(error))
/** Whether the broker rejects shared subscriptions. */
export const isNotShared = (error: unknown) => NOT_SHARED.has(reasonOf(error))

/** The message for the operator when connecting fails. */
export function connectionSentence(error: unknown): string {
  if (WRONG_CREDENTIALS.has(reasonOf(error))) return 'the broker refuses the user or the password of MQTT_URL'
  return `the broker can not be reached: ${wordsOf(error)}`
}

/** The message for the operator when the broker closes a connection with a reason (MQTT 5, 3.14). */
export function farewellSentence(reasonCode = 0): string {
  if (reasonCode === SESSION_TAKEN_OVER)
    return 'another client came with the same client id; each node needs a MQTT_CLIENT_ID of its own'
  return `the broker ended the connection: ${ReasonCodes[reasonCode as keyof typeof ReasonCodes] || `reason ${reasonCode}`}`
}

/** The message for the operator when the broker refuses the subscription. */
export function subscriptionSentence(filter: string, error: unknown): string {
  if (NOT_ALLOWED.has(reasonOf(error))) return `the broker does not let the user of MQTT_URL subscribe to ${filter}`
  return `the subscription to ${filter} failed: ${wordsOf(error)}`
}

function reasonOf(error: unknown): number {
  if (error instanceof ErrorWithReasonCode) return error.code
  // There is no packet if the connection ended before the SUBACK.
  if (error instanceof ErrorWithSubackPacket)
    return Number((error.packet as ErrorWithSubackPacket['packet'] | undefined)?.granted[0] ?? 0)
  return 0
}

/** Connecting to a name with several addresses fails with an AggregateError without a message. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
